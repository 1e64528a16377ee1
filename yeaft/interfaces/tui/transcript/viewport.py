"""Which lines of the column are in view: the end as long as it is followed, else what the user has scrolled to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.interfaces.tui.transcript.column import Grown, Place

if TYPE_CHECKING:
    from yeaft.interfaces.tui.transcript.column import Column


class Viewport:
    """`rows` lines of a column, held fast by the place at their top."""

    def __init__(self, column: Column, rows: int = 0) -> None:
        self.rows = rows
        self.is_following = True
        self.anchor: Place | None = None
        self.top = 0
        self._column = column

    def settle(self) -> int:
        """Lay out what is in view and return the line at its top, now that the heights of it are known."""
        if not self._column.blocks:
            self.anchor, self.top, self.is_following = None, 0, True
        elif self.is_following:
            self._fill_up(len(self._column.blocks))
            while self._column.lay_between(self._end(), self._column.total) is not None:
                pass  # the end is held, so nothing has to be kept in its place
            self._hold(self._end())
        else:
            self._hold_anchor()
        return self.top

    def by(self, lines: int) -> None:
        """Go so many lines down, or up if negative; nothing that is seen jumps, however wrong guesses were."""
        column = self._column
        if self.anchor is None or (index := column.index_of(self.anchor.key)) is None:
            return
        if lines < 0:
            self._lay_above(-lines)
        line = self.anchor.line + lines
        while line < 0 and index:
            index -= 1
            line += len(column.lines(index))
        while line >= (height := len(column.lines(index))) and index + 1 < len(column.blocks):
            line -= height
            index += 1
        self.go_to(Place(column.blocks[index].key, min(max(line, 0), height - 1)))

    def to(self, line: int) -> None:
        """Go to a line of the column, as far as its place is known."""
        if not self._column.blocks:
            return
        index, within = self._column.at(line)
        height = len(self._column.lines(index))
        is_last = line >= self._end()
        self.go_to(Place(self._column.blocks[index].key, min(within, height - 1)))
        if is_last:
            self.follow()

    def go_to(self, place: Place) -> None:
        """Hold fast to a place; at the end what comes is followed."""
        self.anchor = place
        self.is_following = False
        self._hold_anchor()
        self.is_following = self.top >= self._end()

    def reveal(self, place: Place, *, margin: int = 2) -> None:
        """Bring a place into view, unless it is."""
        line = self._column.line_of(place)
        if line is not None and self.top <= line < self.top + self.rows:
            return
        self.go_to(place)
        above = (self._column.line_of(place) or 0) - self.top
        if (missing := min(margin, self.rows // 2) - above) > 0:
            self.by(-missing)

    def follow(self) -> None:
        """Go to the end, and stay there."""
        self.is_following = True
        self.settle()

    @property
    def below(self) -> int:
        """How many lines there are below what is in view."""
        return max(self._column.total - self.top - self.rows, 0)

    def bottom_key(self) -> str | None:
        """The key of the block at the bottom of the view."""
        place = self._column.place(min(self.top + self.rows, self._column.total) - 1)
        return place.key if place else None

    def _end(self) -> int:
        return max(self._column.total - self.rows, 0)

    def _hold(self, line: int) -> None:
        self.top = line
        self.anchor = self._column.place(line)

    def _hold_anchor(self) -> None:
        column = self._column
        index = column.index_of(self.anchor.key) if self.anchor else None
        if self.anchor is None or index is None:
            self._hold(min(self.top, self._end()))
            index, within = column.at(self.top)
            self.anchor = Place(column.blocks[index].key, within)
        filled = -min(self.anchor.line, len(column.lines(index)) - 1)
        number = index
        while number < len(column.blocks) and filled < self.rows:
            filled += len(column.lines(number))
            number += 1
        if filled < self.rows:
            self._fill_up(index, self.rows - filled + self.anchor.line)
        line = self._held()
        while (grown := column.lay_between(self.top, self.top + self.rows)) is not None:
            self.keep(grown)
            line = self._held()
        if self.top != line:
            self.anchor = column.place(self.top)

    def keep(self, grown: Grown) -> None:
        """Stay where one is, whatever has been laid out above."""
        if self.anchor is not None:
            self.anchor = grown.moved(self.anchor)

    def _held(self) -> int:
        """Let the anchor be at the top, as far as there are lines enough below it, and return its line."""
        line = (self._column.line_of(self.anchor) if self.anchor else None) or 0
        self.top = min(line, self._end())
        return line

    def _lay_above(self, rows: int) -> None:
        """Lay out so many lines above the anchor."""
        while self.anchor is not None and (line := self._column.line_of(self.anchor)) is not None:
            grown = self._column.lay_between(line - rows, line)
            if grown is None:
                return
            self.keep(grown)

    def _fill_up(self, index: int, rows: int = 0) -> None:
        """Lay out blocks before `index` until they fill so many rows, or the view."""
        left = rows or self.rows
        while index and left > 0:
            index -= 1
            left -= len(self._column.lines(index))
