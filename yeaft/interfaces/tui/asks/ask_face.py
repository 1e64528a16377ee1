"""What a question looks like: who asks, what it is about, what can be chosen, which keys there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Vertical
from textual.geometry import Size
from textual.widgets import Static

from yeaft.interfaces.tui.asks.answer_line import AnswerLine
from yeaft.interfaces.tui.asks.diff_view import DiffView
from yeaft.interfaces.tui.asks.hints import columns_of, foot, head, in_one_line
from yeaft.interfaces.tui.asks.option_rows import OptionRows

if TYPE_CHECKING:
    from textual import getters
    from textual.app import App, ComposeResult

    from yeaft.config.keys import ChosenKeys
    from yeaft.interfaces.tui.asks.asking import Asking
    from yeaft.interfaces.tui.asks.hints import Standing
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui

SHARE = 0.6
"""Of the screen's rows, at most so much is the question's."""
LEAST_BODY_ROWS = 3
BORDER_ROWS = 1
ROWS_OF_OTHERS = 4
"""So many rows of the screen are left to who works, the draft and the status line."""


class AskFace(Vertical):
    """Draws one `Asking`. `words` is the line that the user writes in, if there is one."""

    if TYPE_CHECKING:
        app = getters.app(App[int])  # textual leaves open what its App returns

    DEFAULT_CSS = """
    AskFace { height: auto; padding: 0 1; border-top: solid $primary; }
    AskFace.-plain { border-top: ascii $primary; }
    AskFace Static { height: auto; }
    AskFace DiffView { height: 1fr; }
    AskFace .hint { color: $text-muted; }
    """

    def __init__(self, look: Look, ui: Ui) -> None:
        super().__init__(classes="-plain" if look.is_plain else None)
        self._head = Static(markup=False)
        self._foot = Static(markup=False, classes="hint")
        self.view = DiffView(look, ui)
        self.options = OptionRows(look, ui)
        self.words: AnswerLine | None = None

    def compose(self) -> ComposeResult:
        """Return the parts from top to bottom."""
        yield self._head
        yield self.view
        yield self.options
        yield self._foot

    def begin(self, asking: Asking) -> None:
        """Show another question."""
        self.view.cursor = -1
        self.view.show(None, asking.details)
        self.options.offer(asking.ask.options)

    def anew(self, asking: Asking) -> None:
        """Show what the question is about, from the top."""
        self.view.cursor = -1
        self.view.show(asking.taking, asking.details)

    def write(self) -> None:
        """Let the user write a line."""
        if self.words is None:
            self.words = AnswerLine()
            self.mount(self.words, before=self._foot)
            self.words.focus()

    def stop_writing(self) -> bool:
        """Take the line away; return whether there was one."""
        words, self.words = self.words, None
        if words is not None:
            words.remove()
        return words is not None

    def draw(self, name: Text, asking: Asking, keys: ChosenKeys, stands: Standing) -> None:
        """Draw all but what it is about, and give that the room that is left."""
        is_left = stands.is_left
        self.view.display = not is_left and self.view.rows > 0
        self.options.display = not is_left and asking.ask.kind != "approval" and self.words is None
        self._foot.display = not is_left
        columns = max(1, (self.size.width or 80) - 2)
        if is_left:
            self._head.update(in_one_line(name, asking, keys, columns))
            self.styles.height = BORDER_ROWS + 1
            return
        screen_rows = self.screen.size.height
        least = min(LEAST_BODY_ROWS, max(screen_rows // 8, 1))
        top = head(name, asking, columns_of(least, columns))
        above = BORDER_ROWS + self._rows(top, columns) + (self.words is not None)
        above += self.options.fit(self.size.width or columns) if self.options.display else 0
        room = Size(columns, screen_rows - ROWS_OF_OTHERS - above - least)
        bottom = Text(foot(asking, keys, stands, room, is_split=self.view.wants_split))
        self._head.update(top)
        self._foot.update(bottom)
        around = above + self._rows(bottom, columns)
        most = max(round(screen_rows * SHARE), around + least)
        self.styles.height = min(most, around + (self.view.rows if self.view.display else 0))

    def _rows(self, text: Text, columns: int) -> int:
        return len(text.wrap(self.app.console, columns))
