"""Lays out Markdown while it grows: only what is not settled yet is parsed and drawn again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.interfaces.tui.transcript.line import Line
from yeaft.interfaces.tui.transcript.markdown.blocks import markdown_lines
from yeaft.interfaces.tui.transcript.markdown.pieces import Piece, Pieces
from yeaft.interfaces.tui.transcript.markdown.prose import STEP_CHARS, Prose

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
        self._prose: Prose | None = None

    def grow(self, text: str) -> bool:
        """Take in the text as it is now; say whether it goes on from what it was (else nothing has changed)."""
        if not text.startswith(self._text):
            return False
        del self.lines[self.settled :]
        for piece in self._pieces.feed(text[len(self._text) :]):
            self._add(piece, markdown_lines(piece.text, self.columns, self._palette))
            self._prose = None
        self.settled = len(self.lines)
        self._text = text
        if (rest := self._pieces.rest) is not None:
            self._add(rest, self._as_prose(rest) or markdown_lines(rest.text, self.columns, self._palette))
        return True

    def _as_prose(self, rest: Piece) -> list[Line] | None:
        """Return the lines of a long paragraph; those of short ones, and of all else, are as soon made anew."""
        if len(rest.text) <= STEP_CHARS:
            return None
        self._prose = self._prose or Prose(self.columns, self._palette)
        return self._prose.lines(rest.text)

    def _add(self, piece: Piece, drawn: Sequence[Line]) -> None:
        if drawn and len(self.lines) > self._lead and not piece.goes_on:
            self.lines.append(Line())
        self.lines += drawn


def grown(text: str, columns: int, palette: Palette) -> Growing:
    """Return the layout of a text at once."""
    growing = Growing(columns, palette)
    growing.grow(text)
    return growing
