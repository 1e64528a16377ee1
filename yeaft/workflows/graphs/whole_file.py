"""A file of graphs with all that it brings in from others beside it: what it includes, and what it inherits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from yeaft.kernel.lists import is_list
from yeaft.workflows.graphs.located import Located, Mistake, Unreadable, read_located
from yeaft.workflows.graphs.plain_values import is_mapping, mapping
from yeaft.workflows.graphs.side_files import read_side_file

INHERIT = "INHERIT"
_DEEPEST = 5


def whole_file(text: str, folder: Path, depth: int = 0) -> Located:
    """Read a text of a file in `folder`. Raises `Unreadable`.

    `!include FILE` stands for what a YAML file holds, or for the text of any other; `INHERIT: FILE` (or a list) lends
    all that is not said anew. Files are looked for in `folder` and below.
    """

    def include(name: str) -> Any:
        if depth >= _DEEPEST:
            raise ValueError(f"{name!r} is included too deep")
        side = read_side_file(name, folder)
        return _held(side, name, folder, depth) if name.endswith((".yml", ".yaml")) else side

    located = read_located(text, include)
    if not is_mapping(located.data):
        raise Unreadable(Mistake(1, "it must be a mapping with `graph:`, `graphs:`, `teams:` or `agents:`"))
    named = mapping(located.data).get(INHERIT)
    line = located.line((INHERIT,))
    for name in reversed(named if is_list(named) else [named]):
        if name is None:
            continue
        try:
            below = include(str(name))
        except ValueError as error:
            raise Unreadable(Mistake(line, f"{INHERIT}: {error}")) from error
        located = located.above(mapping(below), line)
    return located


def _held(text: str, name: str, folder: Path, depth: int) -> Any:
    """What a YAML file holds. Raises `ValueError` with its name and line."""
    try:
        return whole_file(text, folder, depth + 1).data
    except Unreadable as error:
        raise ValueError(f"{name}:{error.mistake.line}: {error.mistake.text}") from error
