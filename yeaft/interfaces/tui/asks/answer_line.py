"""One line of the user's own words to a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.widgets import Input

from yeaft.interfaces.tui.one_line import MOST_ANSWER_CHARS

if TYPE_CHECKING:
    from textual import events


class AnswerLine(Input):
    """Takes a line; Enter sends it to whoever listens for `Input.Submitted`. Shift+Tab does nothing here."""

    DEFAULT_CSS = """
    AnswerLine, AnswerLine:focus { height: 1; border: none; padding: 0; background: $panel; }
    """
    BINDINGS = [Binding("shift+tab,tab", "stay", "", show=False)]

    def __init__(self) -> None:
        super().__init__(max_length=MOST_ANSWER_CHARS)
        self.cursor_blink = False

    def action_stay(self) -> None:
        """Do nothing: leaving this line must not look like answering."""

    def _on_paste(self, event: events.Paste) -> None:
        """Take all lines of what is pasted, in one."""
        event.stop()
        event.prevent_default()
        room = MOST_ANSWER_CHARS - len(self.value)
        self.insert_text_at_cursor(" ".join(event.text[: 4 * MOST_ANSWER_CHARS].split())[:room])
