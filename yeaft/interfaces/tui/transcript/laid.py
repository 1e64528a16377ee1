"""The lines of one block at one width, kept as long as they hold; words that grow are laid out only where they grew.

Of long words that do not grow only those pieces are laid out that somebody comes near.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.interfaces.tui.blocks import AnyBlock, Words
from yeaft.interfaces.tui.transcript.block_lines import block_lines
from yeaft.interfaces.tui.transcript.line import Line
from yeaft.interfaces.tui.transcript.long_words import LONG_CHARS, LongWords, Moved, pieces_of
from yeaft.interfaces.tui.transcript.markdown.growing import Growing

if TYPE_CHECKING:
    from yeaft.interfaces.tui.transcript.markdown.pieces import Piece
    from yeaft.interfaces.tui.transcript.view import View


class Laid:
    """A block that is laid out. `changed` is the first line that the last `update` has changed."""

    def __init__(self, block: AnyBlock, view: View, *, is_open: bool) -> None:
        self.lines: list[Line] = []
        self.changed = 0
        self._block = block
        self._view = view
        self._is_open = is_open
        self._growing: Growing | None = None
        self._pieces: tuple[Piece, ...] = ()
        self._long: LongWords | None = None
        self._draw()

    def lay(self, first: int, last: int) -> Moved | None:
        """Lay out the last piece of long words from one line to before another; None if there is nothing to be done."""
        return self._long.lay(first, last) if self._long is not None else None

    def waiting_at(self, line: int) -> list[Line] | None:
        """Return what will stand where nothing is laid out yet; see `LongWords`."""
        return self._long.waiting_at(line) if self._long is not None else None

    def having(self, word: str) -> list[tuple[int, int]]:
        """Return from which line to before which one a word in small letters is to be looked for."""
        return self._long.having(word) if self._long is not None else [(0, len(self.lines))]

    def spot(self, line: int) -> tuple[int, float] | None:
        """Return what stays the same for a line at another width; None where that is the line."""
        return self._long.spot(line) if self._long is not None else None

    def line_at(self, spot: tuple[int, float]) -> int | None:
        """Return the line of a spot, if this is still a text of pieces."""
        return self._long.line_at(spot) if self._long is not None else None

    def update(self, block: AnyBlock, view: View, *, is_open: bool) -> None:
        """Lay out anew what has changed, if anything has."""
        if view is not self._view or is_open != self._is_open:
            if block is not self._block:
                self._pieces = ()
            self._view, self._block, self._growing = view, block, None
            self._is_open = is_open
            self._draw()
            self.changed = 0
            return
        if block is self._block or block == self._block:
            return
        self._block, self._pieces = block, ()
        self._draw()

    def _draw(self) -> None:
        if not isinstance(self._block, Words):
            before, self.lines = self.lines, block_lines(self._block, self._view, is_open=self._is_open)
            self.changed = _first_difference(before, self.lines)
            return
        growing, text = self._growing, self._block.text
        if growing is None and not self._block.is_live and len(text) > LONG_CHARS:
            self._pieces = self._pieces or pieces_of(text)
            self._long, self.changed = LongWords(self._pieces, self._view.columns, self._view.palette), 0
            self.lines = self._long.lines
            return
        self._long = None
        settled = growing.settled if growing else 0
        unsettled = self.lines[settled:]
        if growing is None or not growing.grow(text):
            self.changed = 0
            growing = self._growing = Growing(self._view.columns, self._view.palette, (Line(),))
            growing.grow(text)
        else:
            self.changed = settled + _first_difference(unsettled, growing.lines[settled:])
        self.lines = growing.lines
        if not self._block.is_live:
            self._growing = None


def _first_difference(before: list[Line], after: list[Line]) -> int:
    for number, (old, new) in enumerate(zip(before, after, strict=False)):
        if old != new:
            return number
    return min(len(before), len(after))
