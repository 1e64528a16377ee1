"""What a journal promises; every back end passes the same contract tests."""

from collections.abc import AsyncGenerator, Awaitable, Sequence
from typing import Protocol

from msgspec import Struct

from yeaft.events.codec import Recorded
from yeaft.events.fact import BlobRef

SESSION_STREAM = "session"
STEP_STREAMS = "step/"
"""What the names of the streams begin with in which steps of graphs are done."""


class Snapshot(Struct, frozen=True, kw_only=True):
    """A projection's state at `seq`; thrown away when `version` is not the projector's."""

    projector: str
    version: int
    seq: int
    state: bytes


class Journal(Protocol):
    """Append-only streams of events with gapless `seq` from 1 and one writer at a time.

    All methods are called from one event loop. Errors are `StoreFailed` and its children.
    """

    def append(
        self, stream: str, expected_seq: int, epoch: int, events: Sequence[Recorded], *, sync: bool = False
    ) -> Awaitable[int]:
        """Take `events` for writing at once, in call order; the awaitable gives the new head once they are committed.

        All or nothing. `expected_seq` is the head the caller knows (0 = empty stream). `sync` waits for the disk.
        Appends of one loop tick share a commit. Events that are already stored with the same id and payload are not
        written again; raises `IdReuse` for the same id with another payload, `Conflict` when the head is not
        `expected_seq`, `Fenced` when `epoch` is lower than the stream's or than that of the stream `session`.
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
