"""The answers that a question offers, one above the other: to be picked by number, or marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rich.text import Text
from textual.widgets import Static

from yeaft.interfaces.tui.hanging import hanging
from yeaft.tools.policy.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import getters
    from textual.app import App

    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui

MOST_ROWS = 12
"""Of options that take more, those around the one the user stands at are shown."""
Picked = tuple[str, ...] | Literal["words", "decline"]


class OptionRows(Static):
    """The options of a question, then words of one's own, then no answer at all."""

    if TYPE_CHECKING:
        app = getters.app(App[int])  # textual leaves open what its App returns

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
        self._columns = 78

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

    def fit(self, columns: int) -> int:
        """Draw the rows for so many columns; return how many lines they take."""
        self._columns = columns
        return self._draw()

    def _draw(self) -> int:
        lines = self._in_view([self._option(at) for at in range(self.count)])
        self.update(Text("\n").join(lines))
        return len(lines)

    def _option(self, at: int) -> list[Text]:
        """Return one option, its further lines under the beginning of its words."""
        is_offered = at < len(self._options)
        mark = "[x] " if at in self._marked else "[ ] " if self._marked and is_offered else ""
        begin = f"{'>' if at == self._at else ' '} {at + 1}  {mark}"
        code = "asks.own_words" if at == len(self._options) else "asks.no_answer"
        words = visible(self._options[at]) if is_offered else self._ui.text(code)
        style = self._look.chosen if at == self._at else "" if is_offered else "dim"
        shown = hanging(begin, words, self._columns, style, self.app.console)
        return shown if len(shown) <= MOST_ROWS else [*shown[: MOST_ROWS - 1], Text(f"{' ' * len(begin)}…", style)]

    def _in_view(self, rows: Sequence[list[Text]]) -> list[Text]:
        """Return the lines of the option one stands at, of that after it, and of those around it as there is room."""
        first, end = self._at, self._at + 1
        room = MOST_ROWS - len(rows[self._at])
        for at in (self._at + 1, *range(self._at - 1, -1, -1), *range(self._at + 2, len(rows))):
            if at >= len(rows):
                continue
            if (room := room - len(rows[at])) < 0:
                break
            first, end = min(first, at), max(end, at + 1)
        return [line for lines in rows[first:end] for line in lines]
