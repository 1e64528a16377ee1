"""The lines of one block at one width, kept as long as they hold; words that grow are laid out only where they grew.

Of long words only those pieces are laid out that somebody comes near, and those that come in while they grow.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from yeaft.interfaces.tui.blocks import AnyBlock, Words
from yeaft.interfaces.tui.transcript.block_lines import block_lines
from yeaft.interfaces.tui.transcript.line import Line
from yeaft.interfaces.tui.transcript.long_words import LONG_CHARS, LongWords, Moved
from yeaft.interfaces.tui.transcript.markdown.growing import Cut, Growing, cut

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
        return [(0, len(self.lines))] if self._long is None or self._long.is_whole else self._long.having(word)

    def spot(self, line: int) -> tuple[int, float] | None:
        """Return what stays the same for a line at another width; None where that is the line."""
        if self._long is not None:
            return self._long.spot(line)
        starts = self._starts()
        number = bisect_right(starts, line) - 1
        return number, (line - starts[number]) / (starts[number + 1] - starts[number])

    def line_at(self, spot: tuple[int, float]) -> int:
        """Return the line of a spot as all is laid out now."""
        if self._long is not None:
            return self._long.line_at(spot)
        starts, (number, share) = self._starts(), spot
        if number + 1 >= len(starts):
            return len(self.lines) - 1
        return starts[number] + round(share * (starts[number + 1] - starts[number]))

    def _starts(self) -> list[int]:
        """Return where each line of the source begins, and where the last one ends."""
        ends = [number for number, line in enumerate(self.lines, start=1) if line.joint == "\n"]
        return [0, *ends, len(self.lines) + 1]

    def update(self, block: AnyBlock, view: View, *, is_open: bool) -> None:
        """Lay out anew what has changed, if anything has."""
        if view is not self._view or is_open != self._is_open:
            if block is not self._block:
                self._pieces = ()
            done = self._growing.cut if self._growing is not None else None
            self._view, self._block, self._is_open, self._growing = view, block, is_open, None
            self._draw(done)
            self.changed = 0
            return
        if block is self._block or block == self._block:
            return
        self._block, self._pieces = block, ()
        self._draw()

    def _draw(self, done: Cut | None = None) -> None:
        """Lay out the block; `done` is how its text was cut while it grew in another view."""
        block = self._block
        if not isinstance(block, Words):
            before, self.lines = self.lines, block_lines(block, self._view, is_open=self._is_open)
            self.changed = _first_difference(before, self.lines)
        elif self._growing is None and done is None and not block.is_live and len(block.text) > LONG_CHARS:
            self._pieces = self._pieces or cut(block.text).all_pieces
            self._long, self.changed = LongWords(self._pieces, self._view.columns, self._view.palette), 0
            self.lines = self._long.lines
        else:
            self._grow(block, done)

    def _grow(self, block: Words, done: Cut | None) -> None:
        growing, text = self._growing, block.text
        settled = growing.settled if growing else 0
        unsettled = self.lines[settled:]
        if growing is not None and growing.grow(text):
            self.changed = settled + _first_difference(unsettled, growing.lines[settled:])
        else:
            growing, self.changed = self._grown(text, done), 0
        self._growing, self._long, self.lines = growing if block.is_live else None, growing.words, growing.lines
        if not block.is_live and len(text) > LONG_CHARS:
            self._pieces = growing.cut.all_pieces

    def _grown(self, text: str, done: Cut | None) -> Growing:
        """Return the layout of a text; a long one goes on from what is done already, as far as it does."""
        is_done = done is not None and text.startswith(done.text)
        start = (done if is_done else cut(text)) if len(text) > LONG_CHARS else None
        growing = Growing(self._view.columns, self._view.palette, (Line(),), start)
        growing.grow(text)
        return growing


def _first_difference(before: list[Line], after: list[Line]) -> int:
    for number, (old, new) in enumerate(zip(before, after, strict=False)):
        if old != new:
            return number
    return min(len(before), len(after))
