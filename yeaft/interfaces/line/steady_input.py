"""The keys of a line that is edited, which stay what they are while text is put above it.

prompt_toolkit gives the terminal back its usual mode for as long as it takes to put text. In that moment Enter would be
a new line and Ctrl+D nothing, and what is typed would be echoed where nobody expects it.
"""

from __future__ import annotations

import termios
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, suppress

from prompt_toolkit.input.vt100 import Vt100Input


class SteadyInput(Vt100Input):
    """A terminal that keeps its mode; whoever hands it on to another program sets what that one expects."""

    def cooked_mode(self) -> AbstractContextManager[None]:
        """See `Input.cooked_mode`; only what is changed meanwhile is changed back."""
        return _kept(self.fileno())


@contextmanager
def _kept(descriptor: int) -> Generator[None]:
    try:
        before = termios.tcgetattr(descriptor)
    except termios.error:  # the terminal is gone
        yield
        return
    try:
        yield
    finally:
        with suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSANOW, before)
