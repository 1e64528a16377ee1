"""Lays out Markdown while it grows: only what is not settled yet is parsed and drawn again.

At another width, what a long text has settled is laid out only where somebody comes near.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from yeaft.interfaces.tui.transcript.line import Line
from yeaft.interfaces.tui.transcript.long_words import LongWords
from yeaft.interfaces.tui.transcript.markdown.blocks import markdown_lines
from yeaft.interfaces.tui.transcript.markdown.pieces import Piece, Pieces
from yeaft.interfaces.tui.transcript.markdown.prose import STEP_CHARS, Prose

if TYPE_CHECKING:
    from yeaft.interfaces.tui.transcript.palette import Palette


class Cut(NamedTuple):
    """A text that may grow, cut as far as it is settled; the same at every width."""

    text: str
    pieces: Pieces
    settled: Sequence[Piece]

    @property
    def all_pieces(self) -> tuple[Piece, ...]:
        """The whole text in pieces, the last of which may still change."""
        rest = self.pieces.rest
        return tuple(self.settled) if rest is None else (*self.settled, rest)


def cut(text: str) -> Cut:
    """Cut a text as far as it is settled."""
    pieces = Pieces()
    return Cut(text, pieces, pieces.feed(text))


class Growing:
    """One text at one width. `lines` are its lines after the `lead`; those of the settled `words` stay as they are.

    It goes on from what is `done` already, if that is given, and takes it over: those pieces wait to be laid out.
    """

    def __init__(self, columns: int, palette: Palette, lead: Sequence[Line] = (), done: Cut | None = None) -> None:
        self.columns = columns
        self._lead = len(lead)
        self._palette = palette
        self._text, self._pieces, settled = done or cut("")
        self.words = LongWords(settled, columns, palette, lead)
        self.lines = self.words.lines
        self._prose: Prose | None = None

    @property
    def cut(self) -> Cut:
        """The text as far as it is cut."""
        return Cut(self._text, self._pieces, self.words.pieces)

    @property
    def settled(self) -> int:
        """How many lines stay as they are."""
        return self.words.end

    def grow(self, text: str) -> bool:
        """Take in the text as it is now; say whether it goes on from what it was (else nothing has changed)."""
        if not text.startswith(self._text):
            return False
        del self.lines[self.settled :]
        for piece in self._pieces.feed(text[len(self._text) :]):
            self.words.add(piece)
            self._prose = None
        self._text = text
        if (rest := self._pieces.rest) is not None:
            drawn = self._as_prose(rest) or markdown_lines(rest.text, self.columns, self._palette)
            if drawn and self.settled > self._lead and not rest.goes_on:
                self.lines.append(Line())
            self.lines += drawn
        return True

    def _as_prose(self, rest: Piece) -> list[Line] | None:
        """Return the lines of a long paragraph; those of short ones, and of all else, are as soon made anew."""
        if len(rest.text) <= STEP_CHARS:
            return None
        self._prose = self._prose or Prose(self.columns, self._palette)
        return self._prose.lines(rest.text)


def grown(text: str, columns: int, palette: Palette) -> Growing:
    """Return the layout of a text at once."""
    growing = Growing(columns, palette)
    growing.grow(text)
    return growing
