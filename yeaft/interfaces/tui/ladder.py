"""What Ctrl+C and Escape mean when they are pressed again: a small state over times, without a screen."""

from __future__ import annotations

AGAIN_S = 2.0
"""A key that asks for confirmation is meant when it comes again within this."""


class Ladder:
    """Remembers when a key last did nothing but say what it would do. Times are seconds of any one clock."""

    def __init__(self) -> None:
        self._said_at_s: float | None = None

    def again(self, now_s: float) -> bool:
        """Whether this press confirms the one before; if not, it is the one to be confirmed."""
        confirms = self._said_at_s is not None and now_s - self._said_at_s < AGAIN_S
        self._said_at_s = None if confirms else now_s
        return confirms

    def forget(self) -> None:
        """Begin anew: something else was done meanwhile."""
        self._said_at_s = None
