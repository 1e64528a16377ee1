"""The rows of the draft on the screen, with the terminal's own cursor at the caret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from yeaft.interfaces.cli.terminal_text import cut
from yeaft.interfaces.tui.composer.graphemes import is_token
from yeaft.interfaces.tui.composer.rows import Rows

if TYPE_CHECKING:
    from textual import events, getters
    from textual.app import App

    from yeaft.interfaces.tui.composer.editing import Editing
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui

MOST_ROWS = 10
PROMPT = "> "
GUTTER = len(PROMPT)


class Field(Widget):
    """Draws `editing`; tells where it was clicked. It grows to ten rows and scrolls then."""

    if TYPE_CHECKING:
        app = getters.app(App[int])  # textual leaves open what its App returns

    DEFAULT_CSS = """
    Field { height: auto; max-height: 10; min-height: 1; }
    """

    class Clicked(Message):
        """The user points at an offset; `selects` says that the button was held on the way there."""

        def __init__(self, at: int, *, selects: bool) -> None:
            super().__init__()
            self.at = at
            self.selects = selects

    def __init__(self, look: Look, ui: Ui, editing: Editing) -> None:
        super().__init__()
        self._look = look
        self._ui = ui
        self._top = 0
        self._is_pressed = False
        self._made: tuple[str, int, Rows] | None = None
        self._shown_rows = 1
        self.placeholders: tuple[str, ...] = ("",)
        self.editing = editing

    @property
    def rows(self) -> Rows:
        """The rows at the present width."""
        return self._rows(self.content_size.width or 80)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return how many rows are shown."""
        del container, viewport
        return min(MOST_ROWS, len(self._rows(width).rows))

    def show(self) -> None:
        """Draw what has changed, and move the cursor."""
        rows = len(self.rows.rows)
        grew, self._shown_rows = rows != self._shown_rows, rows
        self._follow()
        self.refresh(layout=grew)

    def place_cursor(self) -> bool:
        """Put the terminal's cursor at the caret; return whether it was elsewhere."""
        row, column = self.rows.place(self.editing.caret)
        at = self.content_region.offset + Offset(min(GUTTER + column, self.content_size.width - 1), row - self._top)
        was, self.app.cursor_position = self.app.cursor_position, at
        return was != at

    def render_line(self, y: int) -> Strip:
        """Return one row."""
        base = self.rich_style
        number = self._top + y
        rows = self.rows
        width = self.content_size.width
        segments = [Segment(PROMPT if number == 0 else " " * GUTTER, base + Style(bold=True))]
        if not self.editing.text:
            room = max(1, width - GUTTER)
            fitting = next((one for one in self.placeholders if cell_len(one) <= room), self.placeholders[-1])
            shown = cut(fitting, room)
            segments.append(Segment(shown, base + self._look.unwritten))
        elif number < len(rows.rows):
            segments += self._segments(rows, number, base)
        return Strip(segments).adjust_cell_length(width, base)

    def on_resize(self) -> None:
        """Follow the caret in what is a new set of rows."""
        self.show()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Set the caret."""
        self._is_pressed = True
        self.capture_mouse()
        self._tell(event, selects=event.shift)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Select up to here."""
        if self._is_pressed:
            self._tell(event, selects=True)

    def on_mouse_up(self) -> None:
        """Let go."""
        self._is_pressed = False
        self.release_mouse()

    def _tell(self, event: events.MouseEvent, *, selects: bool) -> None:
        event.stop()
        at = self.rows.offset(self._top + event.y, max(0, event.x - GUTTER))
        self.post_message(self.Clicked(at, selects=selects))

    def _segments(self, rows: Rows, number: int, base: Style) -> list[Segment]:
        text = self.editing.text
        begin, end = self.editing.selected
        segments: list[Segment] = []
        column = 0
        for start, stop in rows.graphemes(rows.rows[number]):
            grapheme = text[start:stop]
            style = base + Style(dim=True, italic=True) if is_token(grapheme[0]) else base
            if begin <= start < end:
                style += Style(reverse=True)
            drawn = rows.drawn(grapheme, column)
            column += rows.columns(grapheme, column)
            if segments and segments[-1].style == style:
                segments[-1] = Segment(segments[-1].text + drawn, style)
            else:
                segments.append(Segment(drawn, style))
        return segments

    def _rows(self, width: int) -> Rows:
        text = self.editing.text
        if self._made is None or self._made[:2] != (text, width):
            self._made = (text, width, Rows(text, width - GUTTER, self._label))
        return self._made[2]

    def _label(self, token: str) -> str:
        pasted = self.editing.pasted
        lines = pasted.texts[token].count("\n") + 1
        code = "composer.pasted_lines" if lines > 1 else "composer.pasted_chars"
        label = self._ui.text(code, number=pasted.number(token), lines=lines, chars=len(pasted.texts[token]))
        return label[: max(1, (self.content_size.width or 80) - GUTTER - 1)]

    def _follow(self) -> None:
        """Scroll so that the caret is in view."""
        rows = self.rows
        row, _ = rows.place(self.editing.caret)
        shown = min(MOST_ROWS, len(rows.rows))
        self._top = max(0, min(self._top, row, len(rows.rows) - shown))
        if row >= self._top + shown:
            self._top = row - shown + 1
        if self.is_mounted and self.app.focused is self.parent:
            self.place_cursor()
