"""The questions that are open, in the order they came, and the one that is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from yeaft.events.call import AskAnswered, AskOpened, AskWithdrawn
from yeaft.events.codec import Recorded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from yeaft.events.codec import Transient

Gone = Literal["answered", "aborted", "headless", "timeout"]


class OpenAsks:
    """A fold over what is asked and answered."""

    def __init__(self, asks: Iterable[AskOpened] = ()) -> None:
        self._open = {ask.ask_id: ask for ask in asks}
        self._at = ""

    def __len__(self) -> int:
        return len(self._open)

    @property
    def current(self) -> AskOpened | None:
        """The one that is looked at: the oldest, unless the user went on to another."""
        return self._open.get(self._at) or next(iter(self._open.values()), None)

    @property
    def number(self) -> int:
        """Which one it is, counted from 1."""
        ids = list(self._open)
        return ids.index(self._at) + 1 if self._at in ids else 1

    def move(self, by: int) -> None:
        """Look at another one."""
        ids = list(self._open)
        if ids:
            self._at = ids[(self.number - 1 + by) % len(ids)]

    def hear(self, heard: Recorded | Transient) -> tuple[AskOpened, Gone | None] | None:
        """Take in one event; return the question that came or went and, if it went, how. None for anything else."""
        event = heard.event if isinstance(heard, Recorded) else heard
        match event:
            case AskOpened():
                self._open[event.ask_id] = event
                return event, None
            case AskAnswered(ask_id=ask_id) if ask_id in self._open:
                return self._open.pop(ask_id), "answered"
            case AskWithdrawn(ask_id=ask_id, reason=reason) if ask_id in self._open:
                return self._open.pop(ask_id), reason
            case _:
                return None
