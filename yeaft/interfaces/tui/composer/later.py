"""Something that is done once, a moment after it was first asked for, however often that was."""

from __future__ import annotations

from collections.abc import Callable

SetTimer = Callable[[float, Callable[[], None]], object]


class Later:
    """Does `deed` `after_s` seconds after the first `soon`; nothing happens while nobody asks."""

    def __init__(self, after_s: float, set_timer: SetTimer, deed: Callable[[], None]) -> None:
        self._after_s = after_s
        self._set_timer = set_timer
        self._deed = deed
        self._is_due = False

    def soon(self) -> None:
        """Have it done."""
        if not self._is_due:
            self._is_due = True
            self._set_timer(self._after_s, self._now)

    def _now(self) -> None:
        self._is_due = False
        self._deed()
