"""Tables: CSV with a heading, the types of their columns, and back."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from datetime import date

from msgspec import Struct

from yeaft.events.artifact import Column, ColumnType
from yeaft.kernel.errors import BadData

MOST_COLUMNS = 1000
MOST_CELL_CHARS = 1_000_000
MOST_NAME_CHARS = 200
_NARROW_FIRST: tuple[ColumnType, ...] = ("integer", "number", "boolean", "date")
_INTEGER = re.compile(r"[+-]?\d{1,18}")
_NUMBER = re.compile(r"[+-]?(\d{1,300}\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_SPECIAL = re.compile('[",\r\n]')
_EMPTY = '""'
"""A row of one empty cell: a blank line is none."""
_BOOLEANS = frozenset({"true", "false"})


class Table(Struct, frozen=True, kw_only=True):
    """Cells as text, row by row; an empty cell is one without a value."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


def read_table(text: str, *, delimiter: str = ",", columns: Sequence[Column] = ()) -> Table:
    """Read CSV whose first line has the names of the columns.

    With `columns` the table must have exactly these, else their types follow from the cells. Raises `BadData`, which
    names the line or the column.
    """
    lines = _lines(text, delimiter)
    if not lines:
        raise BadData("A table needs a first line with the names of its columns.")
    names, rows = lines[0][1], lines[1:]
    _check_names(names)
    for number, row in rows:
        if len(row) != len(names):
            raise BadData(f"Line {number} of the table has {len(row)} cells; its first line names {len(names)}.")
    cells = tuple(tuple(row) for _, row in rows)
    if columns:
        _check_columns(columns, names, rows)
        return Table(columns=tuple(columns), rows=cells)
    by_column = zip(*cells, strict=True) if cells else ([()] * len(names))
    found = tuple(Column(name=name, type=_type_of(column)) for name, column in zip(names, by_column, strict=True))
    return Table(columns=found, rows=cells)


def write_table(table: Table) -> str:
    """Return a table as CSV that reads back as the same cells."""
    rows = (tuple(column.name for column in table.columns), *table.rows)
    return "".join(f"{','.join(map(_quoted, row)) or _EMPTY}\n" for row in rows)


def is_of(cell: str, kind: ColumnType) -> bool:
    """Whether a cell can be read as a value of the type; an empty one can be of any."""
    if not cell:
        return True
    match kind:
        case "text":
            return True
        case "integer":
            return _INTEGER.fullmatch(cell) is not None
        case "number":
            return _NUMBER.fullmatch(cell) is not None
        case "boolean":
            return cell.lower() in _BOOLEANS
        case "date":
            return _is_date(cell)


def _quoted(cell: str) -> str:
    """Return a cell in quotes if it needs them; `csv.writer` forgets them around a carriage return alone."""
    return '"{}"'.format(cell.replace('"', '""')) if _SPECIAL.search(cell) else cell


def _lines(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Return the rows with the numbers of the lines that they end on; blank lines are none."""
    csv.field_size_limit(MOST_CELL_CHARS)
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter, strict=True)
    try:
        return [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise BadData(f"Line {reader.line_num} of the table is no CSV: {error}.") from error


def _check_names(names: Sequence[str]) -> None:
    if len(names) > MOST_COLUMNS:
        raise BadData(f"A table may have {MOST_COLUMNS} columns; this one has {len(names)}.")
    seen: set[str] = set()
    for place, name in enumerate(names, start=1):
        if not name.strip():
            raise BadData(f"Column {place} of the table has no name.")
        if len(name) > MOST_NAME_CHARS:
            raise BadData(f"The name of column {place} of the table has more than {MOST_NAME_CHARS} characters.")
        if name in seen:
            raise BadData(f"Two columns of the table are called {name!r}.")
        seen.add(name)


def _check_columns(wanted: Sequence[Column], names: Sequence[str], rows: Iterable[tuple[int, list[str]]]) -> None:
    expected = [column.name for column in wanted]
    if expected != list(names):
        raise BadData(f"The table has the columns {', '.join(names)}; its schema says {', '.join(expected)}.")
    for number, row in rows:
        for column, cell in zip(wanted, row, strict=True):
            if not is_of(cell, column.type):
                raise BadData(
                    f"Line {number} of the table has {cell[:40]!r} in the column {column.name}, which is no "
                    f"{column.type}."
                )


def _type_of(cells: Iterable[str]) -> ColumnType:
    filled = [cell for cell in cells if cell]
    for kind in _NARROW_FIRST:
        if filled and all(is_of(cell, kind) for cell in filled):
            return kind
    return "text"


def _is_date(cell: str) -> bool:
    if _DATE.fullmatch(cell) is None:
        return False
    try:
        date.fromisoformat(cell)
    except ValueError:
        return False
    return True
