"""Values that are worked out once and kept as long as each next turn asks for them; they only save time."""

from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """Values by key, each made from a source; another source (by identity: ours never change) makes a new value."""

    def __init__(self) -> None:
        self._last: dict[Hashable, tuple[object, T]] = {}
        self._now: dict[Hashable, tuple[object, T]] = {}

    def begin(self, *, afresh: bool = False) -> None:
        """Let go of all that was not asked for since the last `begin`; with `afresh` of everything."""
        self._last = {} if afresh else self._now
        self._now = {}

    def known(self, key: Hashable, source: object) -> T | None:
        """The value for `key` if it is known."""
        found = self._now.get(key)
        if found is None:
            found = self._last.get(key)
            if found is None or found[0] is not source:
                return None
            self._now[key] = found
        return found[1] if found[0] is source else None

    def keep(self, key: Hashable, source: object, value: T) -> T:
        """Keep a value that was just made."""
        self._now[key] = (source, value)
        return value
