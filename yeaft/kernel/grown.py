"""What a row adds up to, worked out anew only for what was added at its end; it saves time and changes nothing."""

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Grown(Generic[T]):
    """A value to which each place of a row adds something, kept for rows that begin as the last one did.

    Rows are of values that never change: equal beginnings add up to the same. They are compared by identity first,
    which costs next to nothing.
    """

    def __init__(self) -> None:
        self._value: T | None = None
        self._key: object = None
        self._row: tuple[object, ...] = ()

    def of(
        self, row: tuple[object, ...], begin: Callable[[], T], add: Callable[[T, int], object], key: object = None
    ) -> T:
        """What `row` adds up to: `begin` makes what nothing does, `add` adds the value at a place to it.

        Another `key` begins anew. The value belongs to this object: whoever wants to add more to it copies it.
        """
        value, done = self._value, len(self._row)
        if value is None or key != self._key or row[:done] != self._row:
            value, done = begin(), 0
        self._value = None  # until it is whole
        for place in range(done, len(row)):
            add(value, place)
        self._value, self._key, self._row = value, key, row
        return value
