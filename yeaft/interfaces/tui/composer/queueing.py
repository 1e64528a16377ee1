"""Messages that wait until nothing runs any more: a list that the user can change. Pure."""

from __future__ import annotations

from msgspec import Struct


class Queued(Struct, frozen=True, kw_only=True):
    """A message that waits: its text written out, paths of files, and whom the user chose for it."""

    text: str
    files: tuple[str, ...] = ()
    to: tuple[str, ...] = ()


class Queue:
    """What waits, first in line first. `chosen` is what keys act on: the last one unless the user went elsewhere.

    `is_paused` keeps it waiting until the user sends something: after a restart, a stop or a refusal.
    """

    def __init__(self, items: tuple[Queued, ...] = ()) -> None:
        self.items = items
        self.is_paused = bool(items)

    def add(self, item: Queued) -> None:
        """Put a message at the end."""
        self.items = (*self.items, item)
        self.is_paused = False

    def return_first(self, item: Queued) -> None:
        """Put a message that could not be said back to the front, and wait for the user."""
        self.items = (item, *self.items)
        self.is_paused = True

    def next(self) -> Queued | None:
        """Take the first one, if it may go."""
        if self.is_paused or not self.items:
            return None
        first, *rest = self.items
        self.items = tuple(rest)
        return first

    def take_last(self) -> Queued | None:
        """Take the last one back."""
        if not self.items:
            return None
        *rest, last = self.items
        self.items = tuple(rest)
        return last

    def move_last(self, steps: int) -> None:
        """Move the last one up (negative), or the first one down to the end: the user can bring any order about."""
        if not self.items[1:]:
            return
        if steps < 0:
            *rest, before, last = self.items
            self.items = (*rest, last, before)
        else:
            first, *others = self.items
            self.items = (*others, first)
