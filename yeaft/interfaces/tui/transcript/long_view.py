"""A view that grows all the time, and tells its scroll bar so without laying out the whole screen for it."""

from __future__ import annotations

from textual.geometry import Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView


class LongView(ScrollView):
    """A scroll view whose size is told with `extend`.

    Textual would lay out all widgets for each new line, and draw the bar in a frame of its own.
    """

    virtual_size: Reactive[Size] = Reactive(Size(0, 0), repaint=False)

    def extend(self, size: Size) -> None:
        """Let there be `size` to scroll through; all is laid out only where the bar comes or goes, or at first."""
        before, self.virtual_size = self.virtual_size, size
        has_bar = self.show_vertical_scrollbar
        if size.width != before.width or has_bar != (size.height > self.size.height):
            self.refresh(layout=True)
        elif has_bar:
            self.vertical_scrollbar.window_virtual_size = size.height
