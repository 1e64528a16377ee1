"""How the transcript is looked at: all that the lines of a block hang on besides the block."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from yeaft.interfaces.tui.look import Look
from yeaft.interfaces.tui.transcript.line import Part
from yeaft.interfaces.tui.transcript.palette import Palette
from yeaft.prompts.ui import Ui


class View(Struct, frozen=True, kw_only=True):
    """Columns, styles and what is unfolded everywhere.

    `pictures` gives the rows of a picture by its SHA-256 and the columns it has; none if it is not there (yet).
    """

    columns: int
    look: Look
    palette: Palette
    ui: Ui
    pictures: Callable[[str, int], Sequence[tuple[Part, ...]]]
    thinking: bool = False
    outputs: bool = False
    times: bool = False

    def sign(self, fine: str, plain: str) -> str:
        """Return a sign that the terminal has."""
        return plain if self.palette.is_plain else fine
