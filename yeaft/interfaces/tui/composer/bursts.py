"""Tells a paste that comes as single keys, from a terminal without bracketed paste, from what a person types."""

from __future__ import annotations

from msgspec import Struct

GAP_S = 0.010
"""Keys that follow each other faster than this come from no hand."""
QUIET_S = 0.015
"""After this long without a key a burst is over."""
TYPED_AT_ONCE = 2
"""So many fast characters may still be typed; the next one makes them a burst."""


class Over(Struct, frozen=True):
    """A burst that is over: what came, and whether its last key was a lone Enter that is meant as one."""

    text: str
    is_sent: bool = False


class Bursts:
    """Takes keys with their times in seconds. `held` is what has come in the burst that is under way."""

    def __init__(self) -> None:
        self.held = ""
        self._run = ""
        self._last_s = float("-inf")

    def takes(self, character: str, at_s: float) -> int | None:
        """Hold a character or line break that belongs to a burst; None if it is typed, and the caller's to deal with.

        Else returns how many characters that were typed just before belong to the burst as well: to be removed.
        """
        is_fast = at_s - self._last_s < GAP_S
        self._last_s = at_s
        if self.held:
            self.held += character
            return 0
        self._run = self._run + character if is_fast else character
        is_burst = len(self._run) > TYPED_AT_ONCE or (character == "\n" and len(self._run) > 1)
        if not is_burst:
            if character == "\n":
                self._run = ""
            return None
        self.held, self._run = self._run, ""
        return len(self.held) - 1

    def over(self) -> Over | None:
        """End the burst and return it. An Enter at its end is a key if there was no other: that is how scripts type."""
        text, self.held, self._run = self.held, "", ""
        if not text:
            return None
        if text.endswith("\n") and "\n" not in text[:-1]:
            return Over(text[:-1], is_sent=True)
        return Over(text)
