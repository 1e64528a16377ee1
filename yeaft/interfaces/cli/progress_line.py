"""One line on standard error that says how far something long has come, at a terminal, and is gone when it is done."""

import contextlib
import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

STDERR = 2
WORTH_TELLING_S = 1.0
"""How long a user waits before hearing what for."""
FEWEST_COLUMNS = 20


class ProgressLine:
    """Shows the newest of the lines it is given, once they have been coming for a while. Elsewhere it shows nothing."""

    def __init__(self, descriptor: int = STDERR, now_s: Callable[[], float] = time.monotonic) -> None:
        self._descriptor = descriptor
        self._now_s = now_s
        self._began_s = now_s()
        self._is_shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the line away."""
        if self._is_shown:
            self._write("")
            self._is_shown = False

    def show(self, line: str) -> None:
        """Show `line`, plain text, in place of the one before."""
        if self._now_s() - self._began_s >= WORTH_TELLING_S and os.isatty(self._descriptor):
            self._is_shown = True
            self._write(line)

    def _write(self, line: str) -> None:
        with contextlib.suppress(OSError):  # nobody waits for it
            columns = max(os.get_terminal_size(self._descriptor).columns, FEWEST_COLUMNS)
            half = (columns - 1) // 2  # ideographs take two columns
            shown = line if len(line) <= half or (line.isascii() and len(line) < columns) else line[:half]
            os.write(self._descriptor, f"\r{' ' * (columns - 1)}\r{shown}".encode())
