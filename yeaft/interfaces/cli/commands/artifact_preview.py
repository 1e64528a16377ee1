"""What an artifact looks like in a terminal, in as many lines as are wanted."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from yeaft.artifacts.tables import read_table
from yeaft.interfaces.cli.commands.half_blocks import half_blocks, picture_size
from yeaft.interfaces.cli.commands.printing import put, put_raw, table
from yeaft.interfaces.cli.emphasis import is_wanted
from yeaft.interfaces.cli.terminal_text import USUAL_COLUMNS, cut, terminal_columns
from yeaft.kernel.errors import BadData

if TYPE_CHECKING:
    from yeaft.artifacts.artifact import Artifact
    from yeaft.interfaces.cli.commands.desk import Desk

STDOUT = 1
CELL_COLUMNS = 60
"""No cell of a table is shown wider than this."""
LINE_CHARS = 2000


def put_preview(desk: Desk, artifact: Artifact, content: bytes, lines: int) -> None:
    """Show at most `lines` lines of text or rows of a table, or a picture as far as the terminal can."""
    match artifact.type:
        case "table":
            _put_table(desk, artifact, content, lines)
        case "image":
            _put_picture(desk, content)
        case "json":
            _put_text(desk, pretty(content), lines)
        case "text" | "diff" | "url":
            _put_text(desk, content.decode("utf-8", "replace"), lines)
        case "file" | "model":
            put(desk.text("artifact.opaque"))


def pretty(content: bytes) -> str:
    """Return JSON with one value on each line."""
    try:
        return json.dumps(json.loads(content), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return content.decode("utf-8", "replace")


def _put_text(desk: Desk, text: str, lines: int) -> None:
    found = text.splitlines()
    for line in found[:lines]:
        put(line if len(line) <= LINE_CHARS else f"{line[:LINE_CHARS]}…")
    if len(found) > lines:
        put(desk.text("artifact.more_lines", count=len(found) - lines))


def _put_table(desk: Desk, artifact: Artifact, content: bytes, lines: int) -> None:
    try:
        found = read_table(content.decode("utf-8", "replace"), columns=artifact.columns)
    except BadData:
        _put_text(desk, content.decode("utf-8", "replace"), lines)
        return
    names = [column.name for column in found.columns]
    for line in table_lines(names, found.rows[:lines], terminal_columns(STDOUT)):
        put(line)
    if len(found.rows) > lines:
        put(desk.text("artifact.more_rows", count=len(found.rows) - lines))


def table_lines(names: Sequence[str], rows: Sequence[Sequence[str]], columns: int | None) -> list[str]:
    """Return the rows of a table under their names, aligned; at a terminal of so many columns cells are cut to fit."""
    shown = [[cut(cell, CELL_COLUMNS) for cell in row] for row in rows]
    return [line.rstrip() for line in table([cut(name, CELL_COLUMNS) for name in names], shown, columns)]


def _put_picture(desk: Desk, content: bytes) -> None:
    width, height = picture_size(content)
    put(desk.text("artifact.pixels", width=width, height=height))
    if is_wanted(STDOUT, os.environ):
        for line in half_blocks(content, terminal_columns(STDOUT) or USUAL_COLUMNS):
            put_raw(f"{line}\n")
