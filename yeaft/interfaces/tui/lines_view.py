"""A widget whose lines are laid out for whatever width it has: broken by columns, and never within a word or a hint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from yeaft.interfaces.tui.transcript.line import PLAIN, Line, Part
from yeaft.interfaces.tui.transcript.wrapping import wrapped

if TYPE_CHECKING:
    from rich.style import Style
    from textual.geometry import Size

Lay = Callable[[int], Sequence[Line]]
"""Gives the lines for so many columns."""


class LinesView(Widget):
    """Shows what `lay` gives; as high as that is, unless a style says otherwise."""

    DEFAULT_CSS = """
    LinesView { width: 1fr; height: auto; }
    """

    def __init__(self, lay: Lay, *, classes: str = "") -> None:
        super().__init__(classes=classes)
        self._lay = lay
        self._laid: tuple[int, Sequence[Line]] | None = None

    def show(self, lay: Lay) -> None:
        """Show something else."""
        self._lay = lay
        self._laid = None
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return how many lines there are in `width` columns."""
        del container, viewport
        return len(self._lines(width))

    def render_line(self, y: int) -> Strip:
        """Return one row."""
        width, ground = self.content_size.width, self.rich_style
        lines = self._lines(width)
        if y >= len(lines):
            return Strip.blank(width, ground)
        return Strip(Segment.apply_style(lines[y].segments(), ground)).adjust_cell_length(width, ground)

    def _lines(self, columns: int) -> Sequence[Line]:
        if self._laid is None or self._laid[0] != columns:
            self._laid = (columns, self._lay(columns))
        return self._laid[1]


def prose(text: str, style: Style = PLAIN, *, classes: str = "") -> LinesView:
    """Return the view of a text that is broken between words, and beside wide characters."""
    return LinesView(lay_prose(text, style), classes=classes)


def lay_prose(text: str, style: Style = PLAIN) -> Lay:
    """Return what lays such a text out."""
    return lambda columns: wrapped([Part(text, style)], columns)
