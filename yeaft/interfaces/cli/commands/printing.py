"""Puts data on standard output: JSON for programs, aligned columns for people."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from yeaft.interfaces.cli.emphasis import bold
from yeaft.interfaces.cli.terminal_text import cut, padded, terminal_columns, unmasked, width, wrapped
from yeaft.kernel.errors import YeaftError
from yeaft.kernel.text import without_surrogates

STDOUT = 1
GAP = 2
ROOMY_COLUMNS, NARROW_COLUMNS = 20, 8
"""How narrow a column of a table is made while others are wider, and how narrow at all."""


def put(text: str) -> None:
    """Write lines of text; at a terminal nothing in stored text can deceive the eye."""
    put_raw((unmasked(text) if os.isatty(STDOUT) else text) + "\n")


def put_raw(text: str) -> None:
    """Write `text` as it is. Raises `YeaftError` if the disk or device behind standard output does not take it."""
    try:
        print(text, end="")
    except BrokenPipeError:
        raise  # a reader that has seen enough is no failure
    except OSError as error:
        raise YeaftError(f"Standard output cannot be written: {error.strerror}.") from error


def put_json(value: Any) -> None:
    """Write a value of structs, tuples and plain types as indented JSON; in paths what is no UTF-8 becomes U+FFFD."""
    try:
        content = msgspec.json.encode(value)
    except UnicodeEncodeError:
        import json

        plain = json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
        content = without_surrogates(plain).encode()
    put_raw(msgspec.json.format(content, indent=2).decode() + "\n")


def put_help(text: str) -> None:
    """Write prose; at a terminal it is wrapped to fit."""
    columns = terminal_columns(STDOUT)
    put(text if columns is None else wrapped(text, columns))


def put_table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, figures_from: int | None = None) -> None:
    """Write rows under headings, aligned by what a terminal shows; at a terminal long cells are cut to fit."""
    heading, *lines = table(headings, rows, terminal_columns(STDOUT), figures_from=figures_from)
    put_raw(bold(unmasked(heading)) + "\n")
    for line in lines:
        put(line)


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    limit: int | None = None,
    *,
    figures_from: int | None = None,
) -> list[str]:
    """Return aligned lines; `limit` is the number of columns that a line may take, None means no limit.

    The first column is what other commands take, so it is never cut, and no other one below `NARROW_COLUMNS`. What
    stands in the column `figures_from` (from 0) and behind it is flush right, as figures are read.
    """
    lines = [tuple(headings), *(tuple(" ".join(cell.split()) for cell in row) for row in rows)]
    widths = [max(width(row[column]) for row in lines) for column in range(len(headings))]
    if limit is not None:
        _narrow(widths, limit)
    figures = len(headings) if figures_from is None else figures_from
    return [(" " * GAP).join(_cells(row, widths, figures)).rstrip() for row in lines]


def flush_right(text: str, columns: int) -> str:
    """Return `text` with spaces before it, so that it ends at column `columns`."""
    return " " * (columns - width(text)) + text


def _cells(row: Sequence[str], widths: Sequence[int], figures: int) -> list[str]:
    """Return the cells of a row, as wide as their columns."""
    fitting = [cut(cell, columns) for cell, columns in zip(row, widths, strict=True)]
    return [
        flush_right(cell, columns) if place >= figures else padded(cell, columns)
        for place, (cell, columns) in enumerate(zip(fitting, widths, strict=True))
    ]


def _narrow(widths: list[int], limit: int) -> None:
    """Take from the columns, the last one first, until a line fits, or no column has anything left to give."""
    too_much = sum(widths) + GAP * (len(widths) - 1) - limit
    for least in (ROOMY_COLUMNS, NARROW_COLUMNS):
        for place in range(len(widths) - 1, 0, -1):
            taken = max(0, min(too_much, widths[place] - least))
            widths[place] -= taken
            too_much -= taken


def local_time(time_ms: int) -> str:
    """Return a time for people: local, to the minute."""
    return f"{datetime.fromtimestamp(time_ms / 1000, UTC).astimezone():%Y-%m-%d %H:%M}" if time_ms else "-"


def iso_time(time_ms: int) -> str:
    """Return a time for programs: ISO 8601, UTC, milliseconds."""
    return datetime.fromtimestamp(time_ms / 1000, UTC).isoformat(timespec="milliseconds")
