"""A long paste from a terminal that does not mark pastes: given its marks, so that it need not be taken key by key."""

from __future__ import annotations

from yeaft.interfaces.tui.open_paste import BEGIN, END
from yeaft.kernel.pattern import Pattern

LEAST_CHARS = 256
"""So much in one read comes from no hand; what is shorter is left to the draft, which tells by its pace."""
_STEERS = Pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class UnmarkedPaste:
    """Holds long plain text back until no more of it comes."""

    def __init__(self) -> None:
        self._held: list[str] = []

    def without(self, text: str, *, is_marked: bool) -> str:
        """Return what was read, without what is held back of it; nothing is of what `is_marked` as a paste already."""
        if not is_marked and _STEERS.search(text) is None and (self._held or len(text) >= LEAST_CHARS):
            self._held.append(text)
            return ""
        return self.released() + text

    def released(self) -> str:
        """Return what was held back, marked; an Enter at its end is a key if there is no other."""
        text, self._held = "".join(self._held), []
        if not text:
            return ""
        line = text[:-1]
        is_line = text[-1] in "\r\n" and "\r" not in line and "\n" not in line
        return f"{BEGIN}{line}{END}\r" if is_line else f"{BEGIN}{text}{END}"
