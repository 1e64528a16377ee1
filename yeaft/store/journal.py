"""What a journal promises; every back end passes the same contract tests."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextvars import Context, copy_context
from typing import Any, Protocol, Self

from msgspec import Struct

from yeaft.events.codec import Recorded
from yeaft.events.fact import BlobRef
from yeaft.kernel.errors import StoreFailed

logger = logging.getLogger(__name__)
SESSION_STREAM = "session"
STEP_STREAMS = "step/"
"""What the names of the streams begin with in which steps of graphs are done."""


class Snapshot(Struct, frozen=True, kw_only=True):
    """A projection's state at `seq`; thrown away when `version` is not the projector's."""

    projector: str
    version: int
    seq: int
    state: bytes


Outcome = int | StoreFailed
"""What becomes of an append: the new head, or why it was not written."""


class Append:
    """Events on their way into a stream. Whoever awaits it lets them be written at once, and gets the new head.

    `hasten` does only the first. Dropping it, or a task that awaits it, does not undo the append.
    """

    def __init__(self, hasten: Callable[[], None]) -> None:
        self.hasten = hasten
        self._outcome: Outcome | None = None
        self._listeners: list[tuple[Callable[[Outcome], None], Context]] = []

    def __await__(self) -> Generator[Any, None, int]:
        if self._outcome is None:
            waiter = asyncio.get_running_loop().create_future()

            def wake(_: Outcome) -> None:
                if not waiter.done():  # the task that waited was cancelled
                    waiter.set_result(None)

            self.listen(wake)
            self.hasten()
            yield from waiter
        if isinstance(self._outcome, int):
            return self._outcome
        assert self._outcome is not None, "who waits is told when there is an outcome"
        raise self._outcome

    def listen(self, listener: Callable[[Outcome], None]) -> None:
        """Let `listener` hear the outcome, in the context of now, before anyone who awaits it goes on."""
        self._listeners.append((listener, copy_context()))

    def settle(self, outcome: Outcome) -> None:
        """Tell all what has become of it; only the journal does."""
        self._outcome = outcome
        listeners, self._listeners = self._listeners, []  # they may lead back here, and rings are found late
        for listener, context in listeners:
            try:
                context.run(listener, outcome)
            except Exception:  # whoever looks on must not keep others from hearing of it
                logger.exception("An append was heard of badly")

    @classmethod
    def of_nothing(cls, head: int) -> Self:
        """No events, which are there already."""
        done = cls(_nothing)
        done.settle(head)
        return done


def _nothing() -> None:
    """Hasten nothing."""


class Journal(Protocol):
    """Append-only streams of events with gapless `seq` from 1 and one writer at a time.

    All methods are called from one event loop. Errors are `StoreFailed` and its children.
    """

    def append(
        self, stream: str, expected_seq: int, epoch: int, events: Sequence[Recorded], *, sync: bool = False
    ) -> Append:
        """Take `events` for writing at once, in call order; the result gives the new head once they are committed.

        All or nothing. `expected_seq` is the head the caller knows (0 = empty stream). `sync` lets its commit wait for
        the disk. Appends share a commit until somebody waits for one of them, but only for a moment. What was appended
        before its caller could know that a commit had failed is not written either, in no stream. Events that are
        already stored with the same id and payload are not written again; raises `IdReuse` for the same id with another
        payload, `Conflict` when the head is not `expected_seq`, `Fenced` when `epoch` is lower than the stream's or
        than that of the stream `session`.
        """
        ...

    def head(self, stream: str) -> int:
        """The `seq` of the newest committed event; 0 if there is none."""
        ...

    def epoch(self, stream: str) -> int:
        """The highest epoch that has appended to the stream; 0 if there is none."""
        ...

    def read(self, stream: str, after: int = 0) -> list[Recorded]:
        """All committed events with `seq` > `after`, in order."""
        ...

    def subscribe(self, stream: str, after: int = 0) -> AsyncGenerator[Recorded, None]:
        """Committed events with `seq` > `after`, then new ones as they are committed; close it with `aclose`."""
        ...

    def streams(self) -> list[str]:
        """The names of all streams."""
        ...

    def put_snapshot(self, stream: str, snapshot: Snapshot) -> None:
        """Keep the newest snapshot of a projector; losing it is harmless."""
        ...

    def get_snapshot(self, stream: str, projector: str) -> Snapshot | None:
        """The newest snapshot of a projector, if any."""
        ...

    async def close(self) -> None:
        """Write what was taken, then close; later appends raise `StoreFailed`."""
        ...


class Blobs(Protocol):
    """Content by the SHA-256 of its bytes."""

    def put(self, content: bytes, mime: str) -> BlobRef:
        """Keep `content`; the same content is kept once."""
        ...

    def get(self, sha256: str) -> bytes | None:
        """The content, or None if it is gone or does not match its hash."""
        ...
