"""A question that is no VP's: a few lines of text and a few things to choose from, over whatever is on the screen."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from rich.text import Text
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from yeaft.interfaces.cli.terminal_text import unmasked
from yeaft.interfaces.tui.hanging import hanging
from yeaft.interfaces.tui.lines_view import prose
from yeaft.interfaces.tui.modal import Modal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style
    from textual import events, getters
    from textual.app import App, ComposeResult

    from yeaft.prompts.ui import Ui

WIDTH, BORDERS = 78, 4
BODY_ROWS, LEAST_BODY_ROWS, FRAME_ROWS = 16, 1, 2
TALLEST = 0.96
"""So much of the screen's height it takes at most."""
QUIET_S = 0.4
"""Keys that come sooner after the last one were meant for the draft, or for what stood there before."""


class Option(Struct, frozen=True):
    """Something to choose: what it does, in words, and what choosing it returns."""

    value: str
    text: str


class Choice(Modal[str]):
    """Returns the `value` of what was chosen; `escape` is what Escape chooses. The first option stands ready."""

    if TYPE_CHECKING:
        app = getters.app(App[int])  # textual leaves open what its App returns

    DEFAULT_CSS = """
    Choice { align: center middle; }
    Choice > Vertical { width: 78; max-width: 96%; height: auto; max-height: 96%; padding: 0 1; background: $surface; }
    Choice VerticalScroll { height: auto; max-height: 16; }
    Choice Static { width: 100%; height: auto; }
    Choice .hint { color: $text-muted; }
    Choice > .choice--chosen {
        background: $block-cursor-background; color: $block-cursor-foreground; text-style: bold;
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"choice--chosen"}

    def __init__(self, ui: Ui, title: str, body: str, options: Sequence[Option], *, escape: str = "") -> None:
        super().__init__()
        self._ui = ui
        self._title = title
        self._body = body
        self._options = tuple(options)
        self._escape = escape
        self._at = 0
        self._is_ready = False
        self._last_key_s = 0.0
        self._list = Static(markup=False)
        self._hint = Static(markup=False, classes="hint")

    def compose(self) -> ComposeResult:
        """Return title, text, options and what can be pressed."""
        with Vertical(classes="framed"):
            yield Static(Text(unmasked(self._title), style="bold"), markup=False)
            if self._body:
                with VerticalScroll(can_focus=False):
                    yield prose(unmasked(self._body))
            yield self._list
            yield self._hint

    def on_mount(self) -> None:
        """Show what there is; take keys once none is under way."""
        self._last_key_s = time.monotonic()
        self._show()
        self.set_timer(QUIET_S, self._look)

    def on_resize(self) -> None:
        """Lay the options out for another width."""
        self.call_after_refresh(self._show)

    def on_key(self, event: events.Key) -> None:
        """Move, choose, or leave it."""
        event.stop()
        event.prevent_default()
        if not self._is_ready:
            self._last_key_s = time.monotonic()
            return
        number = int(event.key) if event.key.isdecimal() and len(event.key) == 1 else 0
        match event.key:
            case "up" | "k" | "shift+tab":
                self._move(-1)
            case "down" | "j" | "tab":
                self._move(1)
            case "pageup" | "pagedown":
                self._scroll(event.key)
            case "enter":
                self.dismiss(self._options[self._at].value)
            case "escape":
                self.dismiss(self._escape)
            case _ if 0 < number <= len(self._options):
                self.dismiss(self._options[number - 1].value)
            case _:
                pass

    def give_up(self) -> None:
        """Choose what Escape would choose."""
        self.dismiss(self._escape)

    def _look(self) -> None:
        """Become ready, unless somebody still types."""
        left_s = self._last_key_s + QUIET_S - time.monotonic()
        if left_s > 0:
            self.set_timer(left_s, self._look)
            return
        self._is_ready = True
        self._show()

    def _move(self, by: int) -> None:
        self._at = (self._at + by) % len(self._options)
        self._show()

    def _scroll(self, key: str) -> None:
        for scroll in self.query(VerticalScroll):
            (scroll.scroll_page_up if key == "pageup" else scroll.scroll_page_down)(animate=False)

    def _show(self) -> None:
        lines = [Text()]
        for number, option in enumerate(self._options, start=1):
            is_at = number - 1 == self._at
            begin, style = f"{'> ' if is_at else '  '}{number}  ", self._chosen if is_at else ""
            lines += hanging(begin, unmasked(option.text), self._columns, style, self.app.console)
        hint = self._ui.text("screen.choose") if self._is_ready else ""
        hints = hanging("", hint, self._columns, "", self.app.console) if hint else []
        room = int(self.app.size.height * TALLEST) - FRAME_ROWS - len(self._heading) - LEAST_BODY_ROWS
        if room < len(lines) + 1 + len(hints):
            lines, hints = lines[1:], []
        room += LEAST_BODY_ROWS - len(lines) - (1 + len(hints) if hints else 0)
        for scroll in self.query(VerticalScroll):
            scroll.styles.max_height = max(LEAST_BODY_ROWS, min(BODY_ROWS, room))
        self._list.update(Text("\n").join(lines))
        self._hint.display = bool(hints) or not self._is_ready
        self._hint.update(Text(f"\n{hint}"))

    @property
    def _heading(self) -> list[Text]:
        return hanging("", unmasked(self._title), self._columns, "", self.app.console)

    @property
    def _columns(self) -> int:
        return self._list.size.width or min(WIDTH, self.app.size.width) - BORDERS

    @property
    def _chosen(self) -> Style:
        return self.get_component_rich_style("choice--chosen", partial=True)
