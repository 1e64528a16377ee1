"""A long text to scroll through, drawn line by line: only what is on the screen costs anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from yeaft.interfaces.tui.panels.shown_text import lines_of, wrapped_lines

if TYPE_CHECKING:
    from rich.text import Text
    from textual import events, getters
    from textual.app import App

FOUND = Style(reverse=True)


class TextView(ScrollView, can_focus=True):
    """Shows lines of text, wrapped to its width. `plain` is the text without any look."""

    if TYPE_CHECKING:
        app = getters.app(App[int])  # textual leaves open what its App returns

    DEFAULT_CSS = """
    TextView { height: 1fr; background: $background; overflow-x: hidden; overflow-y: auto; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[Text] = []
        self._rows: list[tuple[int, Text]] = []
        self._columns = 0
        self._word = ""
        self._found = -1

    @property
    def plain(self) -> str:
        """All of it, without any look."""
        return "".join(f"{line.plain}\n" for line in self._lines)

    def show(self, text: str, *, has_escapes: bool = False, at_end: bool = False) -> None:
        """Show another text, from its beginning or its end."""
        self._lines = lines_of(text, has_escapes=has_escapes)
        self._found = -1
        self._wrap()
        if at_end:
            self.scroll_end(animate=False)
        else:
            self.scroll_home(animate=False)

    def find(self, word: str, *, backwards: bool = False) -> bool:
        """Go to the next place that has `word`, in any case of letters, and say whether there is one."""
        self._word = word.casefold()
        order = range(len(self._lines))
        step = -1 if backwards else 1
        start = self._found if self._found >= 0 else (0 if backwards else -1)
        for offset in range(1, len(order) + 1):
            number = (start + step * offset) % len(order)
            if self._word and self._word in self._lines[number].plain.casefold():
                self._found = number
                self._go_to(number)
                self.refresh()
                return True
        self.refresh()
        return False

    def on_resize(self, event: events.Resize) -> None:
        """Wrap anew for another width."""
        del event
        if self.scrollable_content_region.width != self._columns:
            self._wrap()

    def render_line(self, y: int) -> Strip:
        """Return one row of the screen."""
        width = self.scrollable_content_region.width
        place = self.scroll_offset.y + y
        if place >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        text = self._rows[place][1]
        if self._word:
            text = text.copy()
            folded, start = text.plain.casefold(), 0
            while (start := folded.find(self._word, start)) >= 0:
                text.stylize(FOUND, start, start + len(self._word))
                start += len(self._word)
        segments = [one for one in text.render(self.app.console) if one.text != "\n"]
        return Strip(Segment.apply_style(segments, self.rich_style)).adjust_cell_length(width, self.rich_style)

    def _wrap(self) -> None:
        self._columns = self.scrollable_content_region.width
        self._rows = list(wrapped_lines(self._lines, self._columns)) if self._columns else []
        self.virtual_size = Size(self._columns, len(self._rows))
        self.refresh()

    def _go_to(self, number: int) -> None:
        row = next((index for index, (line, _) in enumerate(self._rows) if line == number), 0)
        self.scroll_to(y=max(0, row - 1), animate=False, force=True)
