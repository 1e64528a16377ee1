"""The answers that a question offers, one above the other: to be picked by number, or marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rich.text import Text
from textual.widgets import Static

from yeaft.tools.policy.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui

MOST_ROWS = 12
"""Of more options, those around the one the user stands at are shown."""
Picked = tuple[str, ...] | Literal["words", "decline"]


class OptionRows(Static):
    """The options of a question, then words of one's own, then no answer at all."""

    DEFAULT_CSS = """
    OptionRows { height: auto; max-height: 12; }
    """

    def __init__(self, look: Look, ui: Ui) -> None:
        super().__init__(markup=False)
        self._look = look
        self._ui = ui
        self._options: tuple[str, ...] = ()
        self._marked: set[int] = set()
        self._at = 0

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self._options) + 2

    def offer(self, options: Sequence[str]) -> None:
        """Show other options, none marked."""
        self._options, self._marked, self._at = tuple(options), set(), 0
        self._draw()

    def move(self, by: int) -> None:
        """Stand at another row."""
        self._at = (self._at + by) % self.count
        self._draw()

    def mark(self) -> None:
        """Mark the option one stands at, or take the mark away."""
        if self._at < len(self._options):
            self._marked ^= {self._at}
            self._draw()

    def picked(self, number: int | None = None) -> Picked:
        """Return what row `number` (from 1) means; without one, what is marked, or else the row one stands at."""
        if number is None and self._marked:
            return tuple(self._options[at] for at in sorted(self._marked))
        at = self._at if number is None else number - 1
        if at < len(self._options):
            return (self._options[at],)
        return "words" if at == len(self._options) else "decline"

    def _draw(self) -> None:
        text = Text(no_wrap=False)
        own = (self._ui.text("asks.own_words"), self._ui.text("asks.no_answer"))
        first = max(0, min(self._at - MOST_ROWS + 2, self.count - MOST_ROWS))
        for at, option in list(enumerate((*self._options, *own)))[first : first + MOST_ROWS]:
            is_at = at == self._at
            mark = "[x] " if at in self._marked else "[ ] " if self._marked and at < len(self._options) else ""
            shown = visible(option) if at < len(self._options) else option
            style = "bold" if is_at else "dim" if at >= len(self._options) else ""
            text.append(f"{'>' if is_at else ' '} {at + 1}  {mark}{shown}\n", style=style)
        text.rstrip()
        self.update(text)
