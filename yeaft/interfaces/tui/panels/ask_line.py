"""Asks for one line of text, over whatever is on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.widgets import Input, Static

from yeaft.interfaces.tui.modal import Modal
from yeaft.interfaces.tui.one_line import MOST_CHARS
from yeaft.interfaces.tui.panels.bound import bound

if TYPE_CHECKING:
    from textual.app import ComposeResult


class AskLine(Modal[str | None]):
    """Returns what was typed, without space around it; None if it was left or is empty."""

    DEFAULT_CSS = """
    AskLine { align: center middle; }
    AskLine > Vertical { width: 76; max-width: 96%; height: 4; padding: 0 1; background: $surface; }
    AskLine Static { text-style: bold; height: 1; }
    AskLine Input { height: 1; padding: 0; }
    """
    BINDINGS = [bound("panel.close", "leave")]

    def __init__(self, question: str, value: str = "") -> None:
        super().__init__()
        self._question = question
        self._line = Input(value, compact=True, max_length=MOST_CHARS)
        self._line.cursor_blink = False

    def compose(self) -> ComposeResult:
        """Return the question and the line."""
        with Vertical(classes="framed"):
            yield Static(self._question, markup=False)
            yield self._line

    def action_leave(self) -> None:
        """Leave without an answer."""
        self.dismiss(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take what was typed."""
        event.stop()
        self.dismiss(" ".join(event.value.split()) or None)
