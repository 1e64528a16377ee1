"""Where a draft's characters stand on the screen: its rows at a width, and the way between offsets and cells."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache

from msgspec import Struct
from rich.cells import cell_len

from yeaft.interfaces.tui.composer.graphemes import columns, drawn, ends, is_token

Label = Callable[[str], str]
"""Says how a token is written on the screen."""
_REMEMBERED_LINES = 512


class Row(Struct, frozen=True):
    """One row of the screen: the part of the draft from `start` up to `end`."""

    start: int
    end: int


class Rows:
    """The rows of `text` at `width` columns, of which the last stays free for the caret."""

    def __init__(self, text: str, width: int, label: Label) -> None:
        self._text = text
        self._label = label
        self._width = max(2, width) - 1
        self.rows = tuple(self._all())
        self._starts = [row.start for row in self.rows]

    def place(self, at: int) -> tuple[int, int]:
        """Return the row and the column of an offset."""
        number = max(0, bisect_right(self._starts, at) - 1)
        row = self.rows[number]
        column = 0
        for start, end in self.graphemes(row):
            if end > at:
                break
            column += self.columns(self._text[start:end], column)
        return number, column

    def offset(self, number: int, column: int) -> int:
        """Return the offset that stands at or just before a column of a row."""
        row = self.rows[max(0, min(number, len(self.rows) - 1))]
        reached, last = 0, row.start
        for start, end in self.graphemes(row):
            reached += self.columns(self._text[start:end], reached)
            if reached > column:
                return start
            last = end
        follows = number + 1 < len(self.rows) and self.rows[number + 1].start == row.end
        return start_of_last(self, row) if follows and last == row.end else last

    def graphemes(self, row: Row) -> Iterator[tuple[int, int]]:
        """Yield where each grapheme of a row begins and ends."""
        begin = row.start
        for stop in ends(self._text[row.start : row.end]):
            yield begin, row.start + stop
            begin = row.start + stop

    def columns(self, grapheme: str, column: int) -> int:
        """Return how many columns a grapheme or token takes."""
        return cell_len(self._label(grapheme)) if is_token(grapheme[0]) else columns(grapheme, column)

    def drawn(self, grapheme: str, column: int) -> str:
        """Return what is put on the screen for a grapheme or token."""
        return self._label(grapheme) if is_token(grapheme[0]) else drawn(grapheme, column)

    def _all(self) -> Iterator[Row]:
        begin = 0
        for line in self._text.split("\n"):
            has_tokens = not line.isascii() and any(map(is_token, line))
            breaks = self._breaks(line) if has_tokens else _plain_breaks(line, self._width)
            for start, end in zip((0, *breaks), (*breaks, len(line)), strict=True):
                yield Row(begin + start, begin + end)
            begin += len(line) + 1

    def _breaks(self, line: str) -> tuple[int, ...]:
        return _wrapped(line, self._width, self.columns)


def start_of_last(rows: Rows, row: Row) -> int:
    """Return where the last grapheme of a row begins: behind it would be the next row already."""
    last = row.start
    for start, _ in rows.graphemes(row):
        last = start
    return last


@lru_cache(_REMEMBERED_LINES)
def _plain_breaks(line: str, width: int) -> tuple[int, ...]:
    return _wrapped(line, width, columns)


def _wrapped(line: str, width: int, columns_of: Callable[[str, int], int]) -> tuple[int, ...]:
    """Return where a line is broken: behind blanks where there are any, else between graphemes."""
    if line.isascii() and len(line) <= width and "\t" not in line and line.isprintable():
        return ()
    breaks: list[int] = []
    column = begin = blank = start = 0
    for end in ends(line):
        wide = columns_of(line[start:end], column)
        while column + wide > width and start > begin:
            begin = blank if blank > begin else start
            breaks.append(begin)
            column = _columns_of(line[begin:start], columns_of)
            wide = columns_of(line[start:end], column)
        column += wide
        if line[start:end] in (" ", "\t"):
            blank = end
        start = end
    return tuple(breaks)


def _columns_of(text: str, columns_of: Callable[[str, int], int]) -> int:
    column = start = 0
    for end in ends(text):
        column += columns_of(text[start:end], column)
        start = end
    return column
