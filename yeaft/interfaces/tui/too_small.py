"""What is shown where a terminal has no room for anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from yeaft.interfaces.tui.lines_view import LinesView
from yeaft.interfaces.tui.modal import Modal
from yeaft.interfaces.tui.transcript.line import Line, Part
from yeaft.interfaces.tui.transcript.wrapping import wrapped
from yeaft.kernel.pattern import Pattern

if TYPE_CHECKING:
    from textual import getters
    from textual.app import App, ComposeResult
    from textual.geometry import Size
    from textual.timer import Timer

    from yeaft.prompts.ui import Ui

LEAST_COLUMNS, LEAST_ROWS = 20, 6
TOLD_S = 3.0
"""For so long something else is told than what it takes."""
_PIECES = Pattern(r"(?:[0-9]+ )?[^ 、。，；：]*(?:[、。，；：]| |$)")
"""What stays together: words, numbers with their units, and clauses of a script without blanks."""


def is_too_small(size: Size) -> bool:
    """Whether a conversation cannot be shown on so many cells."""
    return size.width < LEAST_COLUMNS or size.height < LEAST_ROWS


class TooSmall(Modal[None]):
    """Says what it takes; it goes as soon as there is more room. What else is to be told is told in its place."""

    if TYPE_CHECKING:
        app = getters.app(App[int])  # textual leaves open what its App returns

    DEFAULT_CSS = """
    TooSmall { overflow: hidden; background: $background; }
    TooSmall Toast { display: none; }
    """

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self._notice = LinesView(self._usual)
        self._told: Timer | None = None

    def compose(self) -> ComposeResult:
        """Return the sentence."""
        yield self._notice

    def tell(self, text: str) -> None:
        """Show a text for a moment."""
        if self._told is not None:
            self._told.stop()
        self._notice.show(lambda columns: clauses(text, columns))
        self._told = self.set_timer(TOLD_S, lambda: self._notice.show(self._usual))

    def on_screen_resume(self) -> None:
        """Go, once what was put over this has gone, if there is more room by now."""
        if not is_too_small(self.app.size):
            self.dismiss()

    def _usual(self, columns: int) -> list[Line]:
        return clauses(self._ui.text("screen.too_small", columns=LEAST_COLUMNS, rows=LEAST_ROWS), columns)


def clauses(text: str, columns: int) -> list[Line]:
    """Return the rows of a text that is broken at blanks and after full-width punctuation, else where it must be."""
    rows = [""]
    for found in _PIECES.finditer(text):
        if rows[-1] and cell_len((rows[-1] + found[0]).rstrip()) > columns:
            rows.append("")
        rows[-1] += found[0]
    return [line for row in rows if row for line in wrapped([Part(row.rstrip())], columns)]
