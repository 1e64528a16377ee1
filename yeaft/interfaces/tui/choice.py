"""A question that is no VP's: a few lines of text and a few things to choose from, over whatever is on the screen."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from msgspec import Struct
from rich.text import Text
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from yeaft.interfaces.cli.terminal_text import unmasked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult

    from yeaft.prompts.ui import Ui

QUIET_S = 0.4
"""Keys that come sooner after the last one were meant for the draft, or for what stood there before."""


class Option(Struct, frozen=True):
    """Something to choose: what it does, in words, and what choosing it returns."""

    value: str
    text: str


class Choice(ModalScreen[str]):
    """Returns the `value` of what was chosen; `escape` is what Escape chooses. The first option stands ready."""

    DEFAULT_CSS = """
    Choice { align: center middle; }
    Choice > Vertical { width: 78; max-width: 96%; height: auto; max-height: 96%; padding: 0 1; background: $surface; }
    Choice VerticalScroll { height: auto; max-height: 16; }
    Choice Static { width: 100%; height: auto; }
    """

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
                    yield Static(Text(unmasked(self._body)), markup=False)
            yield self._list
            yield self._hint

    def on_mount(self) -> None:
        """Show what there is; take keys once none is under way."""
        self._last_key_s = time.monotonic()
        self._show()
        self.set_timer(QUIET_S, self._look)

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
        text = Text()
        for number, option in enumerate(self._options, start=1):
            is_at = number - 1 == self._at
            mark = "> " if is_at else "  "
            text.append(f"\n{mark}{number}  {unmasked(option.text)}", style="bold" if is_at else "")
        self._list.update(text)
        hint = self._ui.text("screen.choose", count=len(self._options)) if self._is_ready else ""
        self._hint.update(Text(f"\n{hint}", style="dim"))
