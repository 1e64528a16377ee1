"""A journal and blobs that live and die with the process: for tests, dry runs and `--ephemeral` use."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Sequence

from yeaft.events.codec import Recorded
from yeaft.events.fact import BlobRef
from yeaft.kernel.errors import StoreFailed
from yeaft.store.admission import Head, admit
from yeaft.store.journal import SESSION_STREAM, Append, Snapshot
from yeaft.store.row import Payload, Taken, payload_of, recorded_at, row_of
from yeaft.store.watch import Watchers


class MemoryJournal:
    """The `Journal` in lists; an append is committed at the end of the loop tick that took it."""

    def __init__(self) -> None:
        self._streams: dict[str, list[Recorded]] = {}
        self._epochs: dict[str, int] = {}
        self._payloads: dict[str, Payload] = {}
        self._snapshots: dict[tuple[str, str], Snapshot] = {}
        self._taken: list[tuple[Taken, Append]] = []
        self._watchers = Watchers()
        self._closed = False

    def append(
        self, stream: str, expected_seq: int, epoch: int, events: Sequence[Recorded], *, sync: bool = False
    ) -> Append:
        """See `Journal.append`; `sync` changes nothing here."""
        if self._closed:
            raise StoreFailed("The journal is closed; open the Session again to go on.")
        loop = asyncio.get_running_loop()
        done = Append(_nothing)
        rows = tuple(map(row_of, events))
        taken = Taken(stream=stream, expected_seq=expected_seq, epoch=epoch, rows=rows, sync=sync)
        self._taken.append((taken, done))
        if len(self._taken) == 1:
            loop.call_soon(self._commit)
        return done

    def head(self, stream: str) -> int:
        """See `Journal.head`."""
        return len(self._streams.get(stream, ()))

    def epoch(self, stream: str) -> int:
        """See `Journal.epoch`."""
        return self._epochs.get(stream, 0)

    def read(self, stream: str, after: int = 0) -> list[Recorded]:
        """See `Journal.read`."""
        return self._streams.get(stream, [])[after:]

    def subscribe(self, stream: str, after: int = 0) -> AsyncGenerator[Recorded, None]:
        """See `Journal.subscribe`; ends when the journal is closed."""
        return self._watchers.follow(lambda seen: self.read(stream, seen), after, lambda: None)

    def streams(self) -> list[str]:
        """See `Journal.streams`."""
        return list(self._streams)

    def put_snapshot(self, stream: str, snapshot: Snapshot) -> None:
        """See `Journal.put_snapshot`."""
        self._snapshots[stream, snapshot.projector] = snapshot

    def get_snapshot(self, stream: str, projector: str) -> Snapshot | None:
        """See `Journal.get_snapshot`."""
        return self._snapshots.get((stream, projector))

    async def close(self) -> None:
        """See `Journal.close`."""
        self._closed = True
        self._commit()
        self._watchers.close()

    def _commit(self) -> None:
        batch, self._taken = self._taken, []
        for taken, done in batch:
            try:
                seq = self._write(taken)
            except StoreFailed as error:
                done.settle(error)
            else:
                done.settle(seq)
        self._watchers.wake()

    def _write(self, taken: Taken) -> int:
        head = Head(seq=self.head(taken.stream), epoch=self.epoch(taken.stream))
        known = {row.id: self._payloads[row.id] for row in taken.rows if row.id in self._payloads}
        owner = Head(seq=self.head(SESSION_STREAM), epoch=self.epoch(SESSION_STREAM))
        rows = admit(taken, head, known, owner)
        if not rows:
            return head.seq
        stream = self._streams.setdefault(taken.stream, [])
        for row in rows:
            self._payloads[row.id] = payload_of(row, taken.stream)
            stream.append(recorded_at(row, taken.stream, len(stream) + 1, taken.epoch))
        self._epochs[taken.stream] = taken.epoch
        return len(stream)


def _nothing() -> None:
    """Hasten nothing: all is committed with the end of the tick."""


class MemoryBlobs:
    """The `Blobs` in a dict."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}

    def put(self, content: bytes, mime: str) -> BlobRef:
        """See `Blobs.put`."""
        sha256 = hashlib.sha256(content).hexdigest()
        self._contents.setdefault(sha256, content)
        return BlobRef(sha256=sha256, size_bytes=len(content), mime=mime)

    def get(self, sha256: str) -> bytes | None:
        """See `Blobs.get`."""
        return self._contents.get(sha256)
