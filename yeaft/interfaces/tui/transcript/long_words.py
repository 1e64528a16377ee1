"""A long text at one width: a piece of it is laid out when somebody comes near, until then its height is a guess."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from yeaft.interfaces.tui.transcript.line import Line
from yeaft.interfaces.tui.transcript.markdown.blocks import markdown_lines
from yeaft.interfaces.tui.transcript.markdown.pieces import Piece

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
    """The pieces of one text. `lines` are its lines after the `lead`; those that are not laid out yet are empty.

    From the line `end` on stands what is no piece yet, put there by others.
    """

    def __init__(
        self, pieces: Sequence[Piece], columns: int, palette: Palette, lead: Sequence[Line] = (Line(),)
    ) -> None:
        self.lines: list[Line] = list(lead)
        self.pieces = list(pieces)
        self._columns = columns
        self._palette = palette
        self._lead = len(lead)
        self._starts = list[int]()
        self._waiting = list(range(len(pieces)))
        for number, piece in enumerate(pieces):
            self._starts.append(len(self.lines))
            has_gap = number > 0 and not piece.goes_on
            self.lines += [Line()] * (has_gap + piece.text.count("\n") + 1 + len(piece.text) // columns)
        self.end = len(self.lines)

    @property
    def is_whole(self) -> bool:
        """Whether all pieces are laid out."""
        return not self._waiting

    def add(self, piece: Piece) -> None:
        """Lay out one more piece at the end. What is no piece yet must be gone from there."""
        drawn = markdown_lines(piece.text, self._columns, self._palette)
        self.pieces.append(piece)
        self._starts.append(self.end)
        if drawn and self.end > self._lead and not piece.goes_on:
            self.lines.append(Line())
        self.lines += drawn
        self.end = len(self.lines)

    def lay(self, first: int, last: int) -> Moved | None:
        """Lay out the last piece that has a line from `first` to before `last` and waits for it; None if none does."""
        before = bisect_left(self._starts, last)
        at = bisect_left(self._waiting, before) - 1
        if at < 0:
            return None
        number = self._waiting[at]
        return self._draw(number) if self._end(number) > first else None

    def spot(self, line: int) -> tuple[int, float] | None:
        """Return the piece that a line belongs to, and how far within it the line stands, from 0 to 1.

        What is no piece yet counts as the one that it will be.
        """
        number = len(self.pieces) if line >= self.end else bisect_right(self._starts, line) - 1
        if number < 0:
            return None
        height = self._end(number) - self._start(number)
        return number, (line - self._start(number)) / max(height, 1)

    def line_at(self, spot: tuple[int, float]) -> int:
        """Return the line of a spot at this width; its piece is laid out for it."""
        number, share = min(spot[0], len(self.pieces)), spot[1]
        if self._waits(number):
            self._draw(number)
        return self._start(number) + round(share * (self._end(number) - self._start(number)))

    def having(self, word: str) -> list[tuple[int, int]]:
        """Return from which line to before which one each piece stands whose source holds a word in small letters.

        What is no piece yet comes last, whatever it holds.
        """
        found = [number for number, piece in enumerate(self.pieces) if word in piece.text.lower()]
        return [(self._start(number), self._end(number)) for number in (*found, len(self.pieces))]

    def waiting_at(self, line: int) -> list[Line] | None:
        """Return what will stand where nothing is laid out, at the first line of it and empty at others; else None."""
        number = bisect_right(self._starts, line) - 1
        if number < 0 or line >= self.end or not self._waits(number):
            return None
        return self._lines_of(number) if line == self._starts[number] else []

    def _waits(self, number: int) -> bool:
        at = bisect_left(self._waiting, number)
        return at < len(self._waiting) and self._waiting[at] == number

    def _start(self, number: int) -> int:
        return self._starts[number] if number < len(self._starts) else self.end

    def _end(self, number: int) -> int:
        return self._start(number + 1) if number < len(self._starts) else len(self.lines)

    def _draw(self, number: int) -> Moved:
        start, end, drawn = self._starts[number], self._end(number), self._lines_of(number)
        self.lines[start:end] = drawn
        by = len(drawn) - (end - start)
        self.end += by
        if by:
            self._starts[number + 1 :] = [one + by for one in self._starts[number + 1 :]]
        del self._waiting[bisect_left(self._waiting, number)]
        return Moved(start, end, by)

    def _lines_of(self, number: int) -> list[Line]:
        piece = self.pieces[number]
        drawn = markdown_lines(piece.text, self._columns, self._palette)
        return [Line(), *drawn] if drawn and number and not piece.goes_on else drawn
