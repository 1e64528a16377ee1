"""Time as a value that is handed in, so that a test or a replay can hand in its own."""

import time
from collections.abc import Callable

NowMs = Callable[[], int]
"""Milliseconds since the Unix epoch, UTC."""


def wall_clock_ms() -> int:
    """Return the machine's own time; the default `NowMs`."""
    return time.time_ns() // 1_000_000
