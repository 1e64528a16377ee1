"""Keeps keys that were meant for something else from answering a question."""

from __future__ import annotations

GUARD_S = 0.3
"""A question takes no key until so long after it has come up, and after the last key that came too soon."""
TYPING_S = 1.0
"""Who has pressed a key within this is taken to be typing."""


class Guard:
    """All times are in seconds of one clock that only goes forward."""

    def __init__(self) -> None:
        self._ready_s = 0.0
        self._key_s = -TYPING_S

    def appeared(self, now_s: float) -> None:
        """Something else is shown than a moment ago."""
        self._ready_s = now_s + GUARD_S

    def entered(self) -> None:
        """The user has gone to the question on purpose."""
        self._ready_s = 0.0

    def pressed(self, now_s: float) -> None:
        """A key was pressed, wherever it went."""
        self._key_s = now_s

    def is_ready(self, now_s: float) -> bool:
        """Whether a key is meant for what is shown."""
        return now_s >= self._ready_s

    def left_s(self, now_s: float) -> float:
        """How long it is until keys are taken; 0 if they are."""
        return max(0.0, self._ready_s - now_s)

    def typing_s(self, now_s: float) -> float:
        """For how long the user is still taken to be typing; 0 if not."""
        return max(0.0, self._key_s + TYPING_S - now_s)
