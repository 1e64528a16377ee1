"""Puts data on standard output: JSON for programs, aligned columns for people."""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from yeaft.kernel.errors import YeaftError

STDOUT = 1
GAP = 2
LAST_COLUMN_CHARS = 20
"""A last column narrower than this is not cut, however small the terminal."""

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def put(text: str) -> None:
    """Write lines of text; a terminal is spared the control characters that stored text may hold."""
    put_raw((_CONTROLS.sub("", text) if os.isatty(STDOUT) else text) + "\n")


def put_raw(text: str) -> None:
    """Write `text` as it is. Raises `YeaftError` if the disk or device behind standard output does not take it."""
    try:
        print(text, end="")
    except BrokenPipeError:
        raise  # a reader that has seen enough is no failure
    except OSError as error:
        raise YeaftError(f"Standard output cannot be written: {error.strerror}.") from error


def put_json(value: Any) -> None:
    """Write a value of structs, tuples and plain types as indented JSON."""
    put_raw(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def put_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write rows under headings, aligned by what a terminal shows; on a terminal the last column is cut to fit."""
    limit = shutil.get_terminal_size().columns if os.isatty(STDOUT) else None
    for line in table(headings, rows, limit):
        put(line)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], limit: int | None = None) -> list[str]:
    """Return aligned lines; `limit` is the number of columns that a line may take, None means no limit."""
    lines = [headings, *(tuple(" ".join(cell.split()) for cell in row) for row in rows)]
    widths = [max(width(row[column]) for row in lines) for column in range(len(headings))]
    before_last = sum(widths[:-1]) + GAP * (len(widths) - 1)
    room = None if limit is None else max(limit - before_last, LAST_COLUMN_CHARS)
    return [
        "".join(padded(cell, columns + GAP) for cell, columns in zip(row[:-1], widths[:-1], strict=True))
        + (row[-1] if room is None else cut(row[-1], room))
        for row in lines
    ]


def width(text: str) -> int:
    """Return how many columns a terminal gives to `text`: two for wide characters, none for marks on others."""
    return sum(map(_columns, text))


def padded(text: str, columns: int) -> str:
    """Return `text` with spaces up to `columns` columns."""
    return text + " " * (columns - width(text))


def cut(text: str, columns: int) -> str:
    """Return as much of `text` as fits into `columns` columns, with a mark where something is missing."""
    if width(text) <= columns:
        return text
    room = columns - 1
    for end, character in enumerate(text):
        room -= _columns(character)
        if room < 0:
            return text[:end] + "…"
    return text


def local_time(time_ms: int) -> str:
    """Return a time for people: local, to the minute."""
    return f"{datetime.fromtimestamp(time_ms / 1000, UTC).astimezone():%Y-%m-%d %H:%M}" if time_ms else "-"


def iso_time(time_ms: int) -> str:
    """Return a time for programs: ISO 8601, UTC, milliseconds."""
    return datetime.fromtimestamp(time_ms / 1000, UTC).isoformat(timespec="milliseconds")


def _columns(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
