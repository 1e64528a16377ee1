"""What is shown where a terminal has no room for anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import Screen
from textual.widgets import Static

if TYPE_CHECKING:
    from textual import getters
    from textual.app import App, ComposeResult
    from textual.geometry import Size

    from yeaft.prompts.ui import Ui

LEAST_COLUMNS, LEAST_ROWS = 20, 6


def is_too_small(size: Size) -> bool:
    """Whether a conversation cannot be shown on so many cells."""
    return size.width < LEAST_COLUMNS or size.height < LEAST_ROWS


class TooSmall(Screen[None]):
    """Says what it takes; it goes as soon as there is more room."""

    if TYPE_CHECKING:
        app = getters.app(App[int])  # textual leaves open what its App returns

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui

    def compose(self) -> ComposeResult:
        """Return the sentence."""
        yield Static(self._ui.text("screen.too_small", columns=LEAST_COLUMNS, rows=LEAST_ROWS), markup=False)

    def on_screen_resume(self) -> None:
        """Go, once what was put over this has gone, if there is more room by now."""
        if self.app.screen is self and not is_too_small(self.app.size):
            self.app.pop_screen()
