"""A long text at one width: a piece of it is laid out when somebody comes near, until then its height is a guess."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from yeaft.interfaces.tui.transcript.line import Line
from yeaft.interfaces.tui.transcript.markdown.blocks import markdown_lines
from yeaft.interfaces.tui.transcript.markdown.pieces import Piece, Pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yeaft.interfaces.tui.transcript.palette import Palette

LONG_CHARS = 32 * 1024
"""Shorter texts are laid out at once."""


class Moved(NamedTuple):
    """The lines from `start` to `end` of a block were laid out; what follows them stands `by` lines further down."""

    start: int
    end: int
    by: int


class LongWords:
    """The pieces of one text. `lines` are its lines after an empty one; those that are not laid out yet are empty."""

    def __init__(self, pieces: Sequence[Piece], columns: int, palette: Palette) -> None:
        self.lines: list[Line] = [Line()]
        self._pieces = pieces
        self._columns = columns
        self._palette = palette
        self._starts = list[int]()
        self._waiting = list(range(len(pieces)))
        for number, piece in enumerate(pieces):
            self._starts.append(len(self.lines))
            has_gap = number > 0 and not piece.goes_on
            self.lines += [Line()] * (has_gap + piece.text.count("\n") + 1 + len(piece.text) // columns)

    def lay(self, first: int, last: int) -> Moved | None:
        """Lay out the last piece that has a line from `first` to before `last` and waits for it; None if none does."""
        before = bisect_left(self._starts, last)
        at = bisect_left(self._waiting, before) - 1
        if at < 0:
            return None
        number = self._waiting[at]
        return self._draw(number) if self._end(number) > first else None

    def spot(self, line: int) -> tuple[int, float] | None:
        """Return the piece that a line belongs to, and how far within it the line stands, from 0 to 1."""
        number = bisect_right(self._starts, line) - 1
        if number < 0:
            return None
        height = self._end(number) - self._starts[number]
        return number, max(line - self._starts[number], 0) / max(height, 1)

    def line_at(self, spot: tuple[int, float]) -> int:
        """Return the line of a spot at this width; its piece is laid out for it."""
        number, share = min(spot[0], len(self._pieces) - 1), spot[1]
        if self._waits(number):
            self._draw(number)
        return self._starts[number] + round(share * (self._end(number) - self._starts[number]))

    def having(self, word: str) -> list[tuple[int, int]]:
        """Return from which line to before which one each piece stands whose source holds a word in small letters."""
        found = [number for number, piece in enumerate(self._pieces) if word in piece.text.lower()]
        return [(self._starts[number], self._end(number)) for number in found]

    def waiting_at(self, line: int) -> list[Line] | None:
        """Return what will stand where nothing is laid out, at the first line of it and empty at others; else None."""
        number = bisect_right(self._starts, line) - 1
        if number < 0 or not self._waits(number):
            return None
        return self._lines_of(number) if line == self._starts[number] else []

    def _waits(self, number: int) -> bool:
        at = bisect_left(self._waiting, number)
        return at < len(self._waiting) and self._waiting[at] == number

    def _end(self, number: int) -> int:
        return self._starts[number + 1] if number + 1 < len(self._starts) else len(self.lines)

    def _draw(self, number: int) -> Moved:
        start, end, drawn = self._starts[number], self._end(number), self._lines_of(number)
        self.lines[start:end] = drawn
        by = len(drawn) - (end - start)
        if by:
            self._starts[number + 1 :] = [one + by for one in self._starts[number + 1 :]]
        del self._waiting[bisect_left(self._waiting, number)]
        return Moved(start, end, by)

    def _lines_of(self, number: int) -> list[Line]:
        piece = self._pieces[number]
        drawn = markdown_lines(piece.text, self._columns, self._palette)
        return [Line(), *drawn] if drawn and number and not piece.goes_on else drawn


def pieces_of(text: str) -> tuple[Piece, ...]:
    """Return the pieces of a whole text."""
    pieces = Pieces()
    settled = pieces.feed(text)
    return tuple(settled) if pieces.rest is None else (*settled, pieces.rest)
