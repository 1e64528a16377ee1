"""What is shown where a terminal has no room for anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import Screen
from textual.widgets import Static

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.geometry import Size

    from yeaft.prompts.ui import Ui

LEAST_COLUMNS, LEAST_ROWS = 20, 6


def is_too_small(size: Size) -> bool:
    """Whether a conversation cannot be shown on so many cells."""
    return size.width < LEAST_COLUMNS or size.height < LEAST_ROWS


class TooSmall(Screen[None]):
    """Says what it takes; it goes as soon as there is more room."""

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self._ui = ui

    def compose(self) -> ComposeResult:
        """Return the sentence."""
        yield Static(self._ui.text("screen.too_small", columns=LEAST_COLUMNS, rows=LEAST_ROWS), markup=False)
