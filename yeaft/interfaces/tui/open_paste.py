"""A paste whose end never comes, as over a line that drops bytes: without help all keys would go into it for ever."""

from __future__ import annotations

BEGIN, END = "\x1b[200~", "\x1b[201~"
PATIENCE = 20
"""After so many times without anything to read, what was pasted has come to its end."""
CTRL_C = ("\x03", "\x1b[99;5u")
"""Ctrl+C as terminals write it; read alone it is a key, for no paste arrives so."""


class OpenPaste:
    """Follows a stream of input, and says when a paste in it has to be ended; `is_open` while one is under way."""

    def __init__(self) -> None:
        self.is_open = False
        self._tail = ""
        self._silent = 0

    def before(self, text: str) -> str:
        """Return what is to be put before `text`, which was just read: the end of a paste, or nothing."""
        self._silent = 0
        if self.is_open and text in CTRL_C:
            return self._closed()
        seen = self._tail + text
        begun, ended = seen.rfind(BEGIN), seen.rfind(END)
        if begun >= 0 or ended >= 0:
            self.is_open = begun > ended
        self._tail = seen[1 - len(BEGIN) :]
        return ""

    def overdue(self) -> str:
        """Return the end of a paste that is silent for too long; to be asked whenever nothing is there to read."""
        self._silent += 1
        return self._closed() if self.is_open and self._silent >= PATIENCE else ""

    def _closed(self) -> str:
        self.is_open, self._tail = False, ""
        return END
