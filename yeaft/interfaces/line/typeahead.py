"""Keeps what is typed while no line is being edited: a terminal by itself would make other keys of it.

Between two prompts a terminal turns Enter into Ctrl+J, which means a new line, and Ctrl+D into nothing. Here it does
not: Enter stays Enter, and nothing is echoed before the line that it belongs to stands there.
"""

from __future__ import annotations

import os
import select
import termios
from collections.abc import Generator
from contextlib import contextmanager, suppress

INPUT_FLAGS, LOCAL_FLAGS = 0, 3
"""Where these stand in what `termios.tcgetattr` returns."""
READ_BYTES = 4096


class Typeahead:
    """Has the terminal at `descriptor` from `begin` to `end`; lines that were entered before are `early`."""

    def __init__(self, descriptor: int) -> None:
        self.early: list[str] = []
        self._descriptor = descriptor
        self._usual: list[int | list[bytes | int]] | None = None

    def begin(self) -> None:
        """Take the terminal as it is, and the lines that were entered already."""
        with suppress(termios.error):
            self._usual = termios.tcgetattr(self._descriptor)
            self._set(input_off=termios.ICRNL, local_off=termios.ECHO)
            self.early += _entered(self._descriptor)  # what comes from now on has its Enter
            self._hold()

    def end(self) -> None:
        """Leave the terminal as it was."""
        if self._usual is not None:
            with suppress(termios.error):
                termios.tcsetattr(self._descriptor, termios.TCSANOW, self._usual)

    @contextmanager
    def lent(self) -> Generator[None]:
        """Leave the terminal to somebody else for as long."""
        self.end()
        try:
            yield
        finally:
            with suppress(termios.error):
                self._hold()

    def _hold(self) -> None:
        self._set(input_off=termios.ICRNL, local_off=termios.ECHO | termios.ICANON)

    def _set(self, *, input_off: int, local_off: int) -> None:
        if self._usual is None:
            return
        attributes = list(self._usual)
        for place, off in ((INPUT_FLAGS, input_off), (LOCAL_FLAGS, local_off)):
            flags = attributes[place]
            assert isinstance(flags, int)
            attributes[place] = flags & ~off
        termios.tcsetattr(self._descriptor, termios.TCSANOW, attributes)


def _entered(descriptor: int) -> list[str]:
    """Return the whole lines that can be read at once, without their ends."""
    raw = b""
    while select.select([descriptor], [], [], 0)[0]:
        try:
            read = os.read(descriptor, READ_BYTES)
        except OSError:
            break
        if not read:
            break
        raw += read
    return [line.rstrip("\n") for line in raw.decode("utf-8", "replace").splitlines(keepends=True)]
