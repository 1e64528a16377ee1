"""Pastes that the terminal has marked, taken out of what is typed: no character in one is ever a key.

Textual's parser takes an escape within a paste for the beginning of a key, and what follows it for keys.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from yeaft.interfaces.tui.open_paste import BEGIN, END

LEAST_CHARS = 3
"""So much of a mark that is cut off can be nothing else; less of it may be a key, which must not wait."""


class Pasted(Struct, frozen=True):
    """What was pasted, without characters of no meaning at all."""

    text: str


class MarkedPastes:
    """Takes a stream of input apart."""

    def __init__(self) -> None:
        self._held = ""
        self._pasted: list[str] | None = None
        self._tail = ""

    def pieces(self, text: str) -> Iterator[str | Pasted]:
        """Yield what was typed and what was pasted, in order; empty text means that no more comes for now."""
        if self._pasted is None and not text:
            text, self._held = self._held, ""
            if text:
                yield text
            return
        text, self._held = self._held + text, ""
        while text:
            if self._pasted is None:
                typed, begin, text = text.partition(BEGIN)
                if begin:
                    self._pasted = []
                else:
                    typed = self._without_cut_off(typed)
                if typed:
                    yield typed
                continue
            rest = self._ended_by(text)
            if rest is None:
                return
            pasted, self._pasted, self._tail = "".join(self._pasted), None, ""
            yield Pasted(pasted.replace("\x00", ""))
            text = rest

    def _without_cut_off(self, typed: str) -> str:
        """Return what was typed without the beginning of a mark at its end; that is held back."""
        for count in range(len(BEGIN) - 1, LEAST_CHARS - 1, -1):
            if typed.endswith(BEGIN[:count]):
                self._held = BEGIN[:count]
                return typed[:-count]
        return typed

    def _ended_by(self, text: str) -> str | None:
        """Take in what was pasted; return what follows its end, None if that has not come yet."""
        assert self._pasted is not None
        seen = self._tail + text
        at = seen.find(END)
        if at < 0:
            self._pasted.append(text)
            self._tail = seen[1 - len(END) :]
            return None
        whole = "".join(self._pasted) + text
        end = len(whole) - len(seen) + at
        self._pasted = [whole[:end]]
        return whole[end + len(END) :]
