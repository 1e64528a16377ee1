"""A view that grows all the time, and tells its scroll bar so without laying out the whole screen for it."""

from __future__ import annotations

from math import ceil

from textual.geometry import Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar

STEPS = 8
"""Into so many parts a cell of the bar is divided."""


class LongView(ScrollView):
    """A scroll view whose size is told with `extend`.

    Textual would lay out all widgets for each new line, and draw the bar in a frame of its own, changed or not.
    """

    virtual_size: Reactive[Size] = Reactive(Size(0, 0), repaint=False)

    def extend(self, size: Size, top: int) -> None:
        """Let there be `size` to scroll through, with the line `top` in the first row.

        All is laid out only where the bar comes or goes, or at first; a bar that comes is told where it stands, since
        Textual tells only one that is there.
        """
        before, self.virtual_size = self.virtual_size, size
        has_bar, wants_bar = self.show_vertical_scrollbar, size.height > self.size.height
        if size.width != before.width or has_bar != wants_bar:
            if wants_bar:
                self.vertical_scrollbar.set_reactive(ScrollBar.position, float(top))
            self.refresh(layout=True)
        elif has_bar:
            bar = self.vertical_scrollbar
            drawn = _thumb(bar)
            bar.set_reactive(ScrollBar.window_virtual_size, size.height)
            bar.set_reactive(ScrollBar.position, float(top))
            if _thumb(bar) != drawn:
                bar.refresh()


def _thumb(bar: ScrollBar) -> tuple[int, int]:
    """Return where the thumb of a bar begins and ends, in parts of a cell, as Textual draws it."""
    rows, lines, seen = bar.size.height, bar.window_virtual_size, bar.window_size
    if not rows or not 0 < seen < lines:
        return 0, 0
    length = max(1, seen * rows / lines)
    start = int((rows - length) * bar.position / (lines - seen) * STEPS)
    return start, start + ceil(length * STEPS)
