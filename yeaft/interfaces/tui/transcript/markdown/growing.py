"""Lays out Markdown while it grows: only what is not settled yet is parsed and drawn again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.interfaces.tui.transcript.line import Line
from yeaft.interfaces.tui.transcript.markdown.blocks import markdown_lines
from yeaft.interfaces.tui.transcript.markdown.pieces import Piece, Pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yeaft.interfaces.tui.transcript.palette import Palette


class Growing:
    """One text at one width. `lines` are all its lines, after the `lead`; those before `settled` stay as they are."""

    def __init__(self, columns: int, palette: Palette, lead: Sequence[Line] = ()) -> None:
        self.columns = columns
        self.lines: list[Line] = list(lead)
        self.settled = self._lead = len(lead)
        self._palette = palette
        self._pieces = Pieces()
        self._text = ""

    def grow(self, text: str) -> bool:
        """Take in the text as it is now; say whether it goes on from what it was (else nothing has changed)."""
        if not text.startswith(self._text):
            return False
        del self.lines[self.settled :]
        for piece in self._pieces.feed(text[len(self._text) :]):
            self._draw(piece)
        self.settled = len(self.lines)
        self._text = text
        if (rest := self._pieces.rest) is not None:
            self._draw(rest)
        return True

    def _draw(self, piece: Piece) -> None:
        drawn = markdown_lines(piece.text, self.columns, self._palette)
        if drawn and len(self.lines) > self._lead and not piece.goes_on:
            self.lines.append(Line())
        self.lines += drawn


def grown(text: str, columns: int, palette: Palette) -> Growing:
    """Return the layout of a text at once."""
    growing = Growing(columns, palette)
    growing.grow(text)
    return growing
