"""The JSON of new cells and notebooks, with their keys in the order in which Jupyter writes them."""

import hashlib
import json
from itertools import count
from typing import Any

from yeaft.tools.notebooks.notebook import FIRST_MINOR_WITH_IDS, FORMAT, Cell, CellType, Notebook
from yeaft.tools.notebooks.notebook_style import in_form

ID_DIGITS = 8


def new_cell(notebook: Notebook, kind: CellType, source: str, after: int) -> dict[str, Any]:
    """A cell for the place behind cell `after` (-1: the first place); its source is kept as its neighbour's is."""
    like = notebook.cells[max(after, 0)].content.source if notebook.cells else []
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": in_form(source, like)}
    if kind == "code":
        cell = {**cell, "execution_count": None, "outputs": []}
    if notebook.minor >= FIRST_MINOR_WITH_IDS:
        cell = {**cell, "id": _new_id(notebook, f"{after}\n{kind}\n{source}")}
    return {key: cell[key] for key in sorted(cell)}


def turned(notebook: Notebook, cell: Cell, kind: CellType, source: str) -> dict[str, Any]:
    """The cell as one of another type: what only the old type has goes, what the new one needs comes."""
    old: dict[str, Any] = json.loads(notebook.text[slice(*cell.span)])
    new: dict[str, Any] = {**old, "cell_type": kind, "source": in_form(source, cell.content.source)}
    if kind == "code":
        new = {**new, "execution_count": None, "outputs": []}
    for key in ("attachments",) if kind == "code" else ("execution_count", "outputs"):
        new.pop(key, None)
    return {key: new[key] for key in sorted(new)} if list(old) == sorted(old) else new


def new_notebook(kind: CellType, source: str) -> dict[str, Any]:
    """A Python 3 notebook with one cell."""
    empty = Notebook(text="", minor=FIRST_MINOR_WITH_IDS, array=(0, 0), cells=())
    return {
        "cells": [new_cell(empty, kind, source, -1)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": FORMAT,
        "nbformat_minor": FIRST_MINOR_WITH_IDS,
    }


def _new_id(notebook: Notebook, seed: str) -> str:
    """An id that no cell has; the same seed gives the same one, because a call is planned twice."""
    taken = {cell.content.id for cell in notebook.cells}
    digests = (hashlib.sha256(f"{number}\n{seed}".encode()).hexdigest()[:ID_DIGITS] for number in count())
    return next(digest for digest in digests if digest not in taken)
