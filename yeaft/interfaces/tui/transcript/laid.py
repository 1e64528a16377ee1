"""The lines of one block at one width, kept as long as they hold; words that grow are laid out only where they grew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.interfaces.tui.blocks import AnyBlock, Words
from yeaft.interfaces.tui.transcript.block_lines import block_lines
from yeaft.interfaces.tui.transcript.line import Line
from yeaft.interfaces.tui.transcript.markdown.growing import Growing

if TYPE_CHECKING:
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
        self._draw()

    def update(self, block: AnyBlock, view: View, *, is_open: bool) -> None:
        """Lay out anew what has changed, if anything has."""
        if view is not self._view or is_open != self._is_open:
            self._view, self._block, self._growing = view, block, None
            self._is_open = is_open
            self._draw()
            self.changed = 0
            return
        if block is self._block or block == self._block:
            return
        self._block = block
        self._draw()

    def _draw(self) -> None:
        if not isinstance(self._block, Words):
            before, self.lines = self.lines, block_lines(self._block, self._view, is_open=self._is_open)
            self.changed = _first_difference(before, self.lines)
            return
        growing, text = self._growing, self._block.text
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
