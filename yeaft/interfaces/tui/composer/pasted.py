"""The pastes of a draft that are too long to be shown: one character of the draft stands for each."""

from __future__ import annotations

from collections.abc import Mapping

from yeaft.interfaces.tui.composer.graphemes import FIRST_TOKEN, LAST_TOKEN, is_token

LONG_CHARS = 1_000
LONG_LINES = 15
MOST_SHOWN_CHARS = 100_000
"""A text that is longer is never written out in the draft: it would slow down every key."""


def is_long(text: str) -> bool:
    """Whether a paste is shown as a placeholder rather than as text."""
    return len(text) > LONG_CHARS or text.count("\n") >= LONG_LINES


class Pasted:
    """What the tokens of one draft stand for. Numbers are given once, so a token that was deleted can come back."""

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        self.texts: dict[str, str] = dict(texts or {})

    def token(self, text: str) -> str:
        """Return a new token for a paste; the text itself when there are no more tokens."""
        place = ord(FIRST_TOKEN) + len(self.texts)
        if place > ord(LAST_TOKEN):
            return text
        self.texts[chr(place)] = text
        return chr(place)

    def number(self, token: str) -> int:
        """Return the number that the user knows a paste by."""
        return ord(token) - ord(FIRST_TOKEN) + 1

    def whole(self, text: str) -> str:
        """Return a text with all that its tokens stand for."""
        if text.isascii():
            return text
        return "".join(self.texts.get(one, "\ufffd") if is_token(one) else one for one in text)

    def twins(self, text: str, beside: str) -> str:
        """Return `text` with new tokens for those that stand in `beside` already: no token is there twice."""
        if text.isascii():
            return text
        held = {one for one in beside if is_token(one)}
        return "".join(self.token(self.texts[one]) if one in held else one for one in text)
