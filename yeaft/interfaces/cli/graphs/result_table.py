"""A result that is a table, as lines for a terminal: what a step with `out: table` gives, row by row."""

from __future__ import annotations

import msgspec

from yeaft.interfaces.cli.commands.artifact_preview import table_lines
from yeaft.interfaces.cli.terminal_text import unmasked

Cell = str | int | float | bool | None


def lines_of_table(value: bytes, columns: int) -> list[str] | None:
    """Return the lines of JSON that is a list of rows, all with the same names; None for any other.

    Rows that hold more than single values are none of a table.
    """
    try:
        rows = msgspec.json.decode(value, type=list[dict[str, Cell]])
    except msgspec.DecodeError:
        return None
    names = list(rows[0]) if rows else []
    if not names or any(list(row) != names for row in rows):
        return None
    cells = [[_shown(cell) for cell in row.values()] for row in rows]
    return [unmasked(line) for line in table_lines(names, cells, columns)]


def _shown(cell: Cell) -> str:
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else msgspec.json.encode(cell).decode()
