"""What the terminal answers to questions, taken out of what is typed: Textual would take such an answer for keys."""

from __future__ import annotations

from collections.abc import Callable

from yeaft.kernel.pattern import Pattern

ASK_BACKGROUND = "\x1b]11;?\x1b\\"
"""Asks which colour the background has (OSC 11); whoever does not know the question says nothing."""
LONGEST_CHARS = 256
PATIENCE = 20
"""After so many times without anything to read no answer is expected any more."""
_REPLY = Pattern(r"\x1b\](1[0-2]|4);([^\x07\x1b]*)(?:\x07|\x1b\\)")
_COLOUR = Pattern(r"rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})(?:/[0-9a-fA-F]{1,4})?")
_BEGUN = Pattern(r"\x1b\](?:[0-9](?:[0-9]?;?[^\x07\x1b]*\x1b?)?)?\Z")
_DARK_BELOW = 0.5


class Replies:
    """Takes answers out of a stream of input. `on_background` hears whether the background is dark.

    As long as an answer may be on its way, even a lone Escape at the end of what was read may be its beginning.
    """

    def __init__(self, on_background: Callable[[bool], None]) -> None:
        self._on_background = on_background
        self._held = ""
        self._patience = PATIENCE

    def without(self, text: str) -> str:
        """Return what was typed, with nothing of an answer in it; one that is not complete yet is held back."""
        text, self._held = self._held + text, ""
        if self._patience and text.endswith("\x1b"):
            text, self._held = text[:-1], "\x1b"
        if "\x1b]" not in text:
            return text
        text = _REPLY.sub(lambda found: self._take(found[1], found[2]), text)
        begun = _BEGUN.search(text)
        if begun is not None and len(text) - begun.start() <= LONGEST_CHARS:
            self._held = text[begun.start() :] + self._held
            return text[: begun.start()]
        return text

    def released(self) -> str:
        """Return what was held back, when nothing more has come of it: then it was typed."""
        text, self._held = self._held, ""
        self._patience = max(0, self._patience - 1)
        return text

    def _take(self, code: str, value: str) -> str:
        is_dark = is_dark_colour(value) if code == "11" else None
        if is_dark is not None:
            self._on_background(is_dark)
        return ""


def is_dark_colour(value: str) -> bool | None:
    """Return whether a colour in the form `rgb:R/G/B` (one to four hexadecimal digits each) is dark."""
    found = _COLOUR.fullmatch(value)
    if found is None:
        return None
    red, green, blue = (int(digits, 16) / (16 ** len(digits) - 1) for digits in (found[1], found[2], found[3]))
    return bool(0.299 * red + 0.587 * green + 0.114 * blue < _DARK_BELOW)
