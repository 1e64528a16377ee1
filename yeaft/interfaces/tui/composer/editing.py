"""The draft as it is edited: text, caret, selection, undo and what was killed. Pure; it knows no screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from msgspec import Struct

from yeaft.interfaces.tui.composer.graphemes import boundary, is_token, line_at, next_end, previous_start
from yeaft.interfaces.tui.composer.pasted import MOST_SHOWN_CHARS, Pasted, is_long
from yeaft.kernel.text import without_surrogates

MOST_UNDOS = 500
MOST_KILLS = 60
Kind = Literal["typed", "deleted", "killed", "yanked", "moved", "other"]
Motion = Literal["left", "right", "word_left", "word_right", "line_start", "line_end", "start", "end"]


class Snapshot(Struct, frozen=True):
    """A state to come back to."""

    text: str
    caret: int


def plain(text: str) -> str:
    """Return text from outside as a draft can hold it: all line ends alike, half characters are U+FFFD."""
    return without_surrogates(text.replace("\r\n", "\n").replace("\r", "\n"))


class Editing:
    """A draft and everything that can be done to it. `caret` stands between graphemes, `anchor` begins a selection."""

    def __init__(self, text: str = "", pasted: Mapping[str, str] | None = None) -> None:
        self.pasted = Pasted(pasted)
        self.text = text if pasted else plain(text)
        self.caret = len(self.text)
        self.anchor: int | None = None
        self._undos: list[Snapshot] = []
        self._redos: list[Snapshot] = []
        self._kills: list[str] = []
        self._yanked = (0, 0, 0)
        self._last: Kind = "other"

    @property
    def whole(self) -> str:
        """The text with every paste written out."""
        return self.pasted.whole(self.text)

    @property
    def selected(self) -> tuple[int, int]:
        """The selection's ends; equal if there is none."""
        other = self.caret if self.anchor is None else self.anchor
        return min(self.caret, other), max(self.caret, other)

    def insert(self, text: str) -> None:
        """Put text at the caret, over what is selected, as it is typed."""
        text = plain(text)
        if not text:
            return
        goes_on = self._last == "typed" and self.selected[0] == self.selected[1] and not text.isspace()
        self._replace(*self.selected, text, kind="typed", goes_on=goes_on)

    def paste(self, text: str) -> None:
        """Put a paste at the caret; a long one as one token, and the same one again right behind it written out."""
        text = plain(text)
        begin, end = self.selected
        before = self.text[begin - 1 : begin]
        is_again = begin == end and before and is_token(before) and self.pasted.texts[before] == text
        if is_again and len(text) <= MOST_SHOWN_CHARS:
            self._replace(begin - 1, begin, text)
        elif text:
            self._replace(begin, end, self.pasted.token(text) if is_long(text) else text)

    def expand(self) -> bool:
        """Write out the paste beside the caret; False if there is none, or it is too long for that."""
        for at in (self.caret - 1, self.caret):
            token = self.text[at : at + 1] if at >= 0 else ""
            if token and is_token(token) and len(self.pasted.texts[token]) <= MOST_SHOWN_CHARS:
                self._replace(at, at + 1, self.pasted.texts[token])
                return True
        return False

    def replace_all(self, text: str) -> None:
        """Have another draft instead, written out; the old one can be had back by undoing."""
        text = plain(text)
        self._replace(0, len(self.text), text if len(text) <= MOST_SHOWN_CHARS else self.pasted.token(text))

    def replace(self, begin: int, end: int, text: str) -> None:
        """Put text in place of a part of the draft."""
        self._replace(begin, end, plain(text))

    def move(self, motion: Motion, *, selects: bool = False) -> None:
        """Move the caret; without `selects` a selection is given up, and left and right go to its ends."""
        begin, end = self.selected
        if not selects and begin != end and motion in ("left", "right"):
            self.place(begin if motion == "left" else end)
            return
        self.place(self._target(motion), selects=selects)

    def place(self, at: int, *, selects: bool = False) -> None:
        """Set the caret to an offset, or to the beginning of the grapheme there."""
        if not selects:
            self.anchor = None
        elif self.anchor is None:
            self.anchor = self.caret
        self.caret = boundary(self.text, at)
        self._last = "moved"

    def select_all(self) -> None:
        """Select the whole draft."""
        self.anchor, self.caret, self._last = 0, len(self.text), "moved"

    def delete(self, motion: Motion) -> None:
        """Delete the selection, or up to where a motion leads."""
        begin, end = self._span(motion)
        if begin != end:
            self._replace(begin, end, "", kind="deleted", goes_on=self._last == "deleted")

    def kill(self, motion: Motion) -> None:
        """Delete likewise and keep it to be yanked; kills in a row are kept as one."""
        begin, end = self._span(motion)
        if begin == end and motion == "line_end":
            end = next_end(self.text, end)
        if begin == end:
            return
        killed, in_front = self.text[begin:end], begin < self.caret
        if self._last == "killed" and self._kills:
            last = self._kills.pop()
            killed = killed + last if in_front else last + killed
        self._kills = [*self._kills, killed][-MOST_KILLS:]
        self._replace(begin, end, "", kind="killed")

    def yank(self) -> None:
        """Put back what was killed last."""
        if self._kills:
            self._yank(*self.selected, len(self._kills) - 1)

    def yank_pop(self) -> None:
        """Right after a yank, put what was killed before in its place."""
        if self._last == "yanked":
            begin, end, number = self._yanked
            self._yank(begin, end, (number - 1) % len(self._kills))

    def undo(self) -> None:
        """Take the last change back."""
        self._swap(self._undos, self._redos)

    def redo(self) -> None:
        """Make the last change that was taken back again."""
        self._swap(self._redos, self._undos)

    def take_back(self, count: int) -> None:
        """Remove the last characters that were typed before the caret, as if they had never been."""
        if count and self._undos and self._last == "typed":
            begin = self.caret - count
            self.text, self.caret = self.text[:begin] + self.text[self.caret :], begin
            if self._undos[-1].text == self.text:
                self._undos.pop()

    def _span(self, motion: Motion) -> tuple[int, int]:
        begin, end = self.selected
        if begin == end:
            target = self._target(motion)
            begin, end = min(begin, target), max(begin, target)
        return begin, end

    def _target(self, motion: Motion) -> int:
        text, at = self.text, self.caret
        match motion:
            case "left":
                return previous_start(text, at)
            case "right":
                return next_end(text, at)
            case "word_left":
                return _word_start(text, at)
            case "word_right":
                return _word_end(text, at)
            case "line_start":
                return line_at(text, at)[0]
            case "line_end":
                return line_at(text, at)[1]
            case "start":
                return 0
            case "end":
                return len(text)

    def _yank(self, begin: int, end: int, number: int) -> None:
        around = self.text[:begin] + self.text[end:]
        text = self.pasted.twins(self._kills[number], around)
        self._replace(begin, end, text, kind="yanked")
        self._yanked = (begin, begin + len(text), number)

    def _replace(self, begin: int, end: int, text: str, *, kind: Kind = "other", goes_on: bool = False) -> None:
        if not goes_on or not self._undos:
            self._undos = [*self._undos[-MOST_UNDOS + 1 :], Snapshot(self.text, self.caret)]
        self._redos = []
        self.text = self.text[:begin] + text + self.text[end:]
        at = begin + len(text)
        start = boundary(self.text, at)
        self.caret = at if start == at else next_end(self.text, start)  # what was apart can have become one grapheme
        self.anchor, self._last = None, kind

    def _swap(self, source: list[Snapshot], target: list[Snapshot]) -> None:
        if source:
            target.append(Snapshot(self.text, self.caret))
            found = source.pop()
            self.text, self.caret, self.anchor, self._last = found.text, found.caret, None, "other"


def _word_start(text: str, at: int) -> int:
    at = _back_over(text, at, lambda one: not _in_word(one) and not is_token(one))
    if at and is_token(text[at - 1]):
        return at - 1
    return _back_over(text, at, _in_word)


def _word_end(text: str, at: int) -> int:
    at = _over(text, at, lambda one: not _in_word(one) and not is_token(one))
    if at < len(text) and is_token(text[at]):
        return at + 1
    return _over(text, at, _in_word)


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _back_over(text: str, at: int, meant: Callable[[str], bool]) -> int:
    while at and meant(text[start := previous_start(text, at)]):
        at = start
    return at


def _over(text: str, at: int, meant: Callable[[str], bool]) -> int:
    while at < len(text) and meant(text[at]):
        at = next_end(text, at)
    return at
