"""The journal in one SQLite file: reads on the caller's loop, writes in a thread of its own with group commit.

Never open `session.db` with plain file calls in a process that has it open here: closing any descriptor of a file
drops the POSIX locks that SQLite holds on it.
"""

import asyncio
import contextlib
import os
import sqlite3
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import Literal, ParamSpec, Self, TypeVar

from msgspec import Struct

from yeaft.events import codec
from yeaft.events.codec import Recorded, UnknownEvent, is_core, is_newer
from yeaft.kernel.errors import JournalDamaged, StoreFailed
from yeaft.store.blobs import FileBlobs
from yeaft.store.database import failure, open_reader, stamp_of_journal
from yeaft.store.journal import SESSION_STREAM, Append, Outcome, Snapshot
from yeaft.store.meta import META_NAME, read_meta
from yeaft.store.rescue import Rescue
from yeaft.store.row import Taken, is_json, row_of
from yeaft.store.rows import Numbers, StoredRow, head_of, newest_seq, rows_after, start_of, stream_names
from yeaft.store.watch import Watchers
from yeaft.store.writer import Batch, Writer

T = TypeVar("T")
P = ParamSpec("P")
MOST_NOTED = 10_000
MOMENT_S = 0.01  # how long an append that nobody waits for may wait for others to share its commit
FOLLOW_POLL_S = 0.2  # how soon a process that only reads sees what the owner wrote


Loss = Literal["row_lost", "end_lost", "content_garbled", "blob_gone"]


class Damage(Struct, frozen=True, kw_only=True):
    """An event that cannot be read whole: its row is lost, its content is garbled, or its blob is gone.

    `end_lost` are events behind the last one that there is: a list of Sessions has known of them.
    """

    stream: str
    seq: int
    what: Loss


class SqliteJournal:
    """The `Journal` in the file `path`, with large events in `blobs`.

    Opening is lazy and read-only; directory, file and writer come into being with the first append. `damage` lists
    what reading had to leave out or could not understand, so that the caller can warn. Reading never changes the file;
    the first append to one with lost events mends it (see `salvage.mend`).
    `on_network`: see `Writing`.
    """

    def __init__(self, path: Path, blobs: FileBlobs, *, on_network: bool | None = None) -> None:
        self._path = path
        self._on_network = on_network
        self._blobs = blobs
        self._connection: sqlite3.Connection | None = None
        self._writer: Writer | None = None
        self._writer_ended = asyncio.Event()
        self._numbers = Numbers()
        self._taken: list[Taken] = []
        self._waiting: list[Append] = []
        self._due: asyncio.Handle | None = None
        self._known_failures = 0
        self._is_hastened = False
        self._snapshots: dict[tuple[str, str], Snapshot] = {}
        self._new_snapshots: dict[tuple[str, str], Snapshot] = {}
        self._damage: dict[tuple[str, int], Damage] = {}
        self._watchers = Watchers()
        self._rescue: Rescue | None = None
        self._saw_mended = False
        self._closed = False

    @classmethod
    def for_reading(cls, path: Path, blobs: FileBlobs) -> Self:
        """A journal that cannot append and holds nothing open between reads; it needs neither a loop nor `close`."""
        journal = cls(path, blobs)
        journal._closed = True
        return journal

    @property
    def damage(self) -> tuple[Damage, ...]:
        """What the reads so far had to leave out or could not understand, by stream and place."""
        return tuple(self._damage[key] for key in sorted(self._damage))

    @property
    def needs_mending(self) -> bool:
        """Whether the reads so far met bad pages, between which SQLite must not write.

        Content that is garbled, or whose blob is gone, does no such harm.
        """
        is_unsound = self._rescue is not None and self._rescue.is_unsound
        return is_unsound or any(damage.what == "row_lost" for damage in self._damage.values())

    def append(
        self, stream: str, expected_seq: int, epoch: int, events: Sequence[Recorded], *, sync: bool = False
    ) -> Append:
        """See `Journal.append`."""
        if self._closed:
            raise StoreFailed(f"The journal {self._path} is closed; open the Session again to go on.")
        done = Append(self._hasten)
        rows = tuple(map(row_of, events))
        self._taken.append(Taken(stream=stream, expected_seq=expected_seq, epoch=epoch, rows=rows, sync=sync))
        self._waiting.append(done)
        if self._writer is None:
            self._hasten()  # it opens the file meanwhile, which takes longer than all that could gather
        elif self._due is None:
            self._due = asyncio.get_running_loop().call_later(MOMENT_S, self._flush)
        return done

    def head(self, stream: str) -> int:
        """See `Journal.head`."""
        return self._ask(lambda connection: newest_seq(connection, self._numbers.find(connection, stream)), 0)

    def epoch(self, stream: str) -> int:
        """See `Journal.epoch`."""
        return self._ask(lambda connection: head_of(connection, self._numbers.find(connection, stream)).epoch, 0)

    def read(self, stream: str, after: int = 0) -> list[Recorded]:
        """See `Journal.read`; what is damaged comes as `UnknownEvent`, and is listed in `damage`."""
        nothing: list[Recorded] = []
        events = self._ask(lambda connection: self._events(connection, stream, after), nothing)
        if self._rescue or self._writer:
            return events
        head = events[-1].seq if events else after
        known = self._known_head() if stream == SESSION_STREAM and not after else 0
        if head >= known and not self.needs_mending:
            return events
        is_unsound = self.needs_mending
        with contextlib.suppress(StoreFailed):  # else this is all there is
            rescue = self._take(Rescue.of(self._path, StoreFailed(f"{self._path} has lost events."), is_unsound=True))
            events = self._ask(lambda connection: self._events(connection, stream, after), nothing)
            if not is_unsound and rescue.lost == () and events and events[-1].seq == head:
                self._forget_old_file()  # the pages are sound: what they do not have is nowhere
        for seq in range((events[-1].seq if events else after) + 1, min(known, head + MOST_NOTED) + 1):
            self._note(stream, seq, "end_lost")
        return events

    def subscribe(self, stream: str, after: int = 0) -> AsyncGenerator[Recorded, None]:
        """See `Journal.subscribe`; also follows another process. Ends when the journal is closed."""
        return self._watchers.follow(lambda seen: self.read(stream, seen), after, self._poll_s)

    def streams(self) -> list[str]:
        """See `Journal.streams`."""
        return self._ask(lambda connection: [name for _, name in stream_names(connection)], [])

    def put_snapshot(self, stream: str, snapshot: Snapshot) -> None:
        """See `Journal.put_snapshot`; it is written with the next append, so that looking alone writes nothing."""
        self._snapshots[stream, snapshot.projector] = snapshot
        self._new_snapshots[stream, snapshot.projector] = snapshot

    def get_snapshot(self, stream: str, projector: str) -> Snapshot | None:
        """See `Journal.get_snapshot`."""
        kept = self._snapshots.get((stream, projector))
        return kept or self._ask(lambda connection: _snapshot(connection, stream, projector), None)

    async def close(self) -> None:
        """See `Journal.close`. Reading is still possible; the write-ahead log stays beside the file as it is."""
        self._closed = True
        self._flush()
        if self._writer:
            with contextlib.suppress(StoreFailed):  # while a reader is open, the writer is not the last to close
                self._connection = self._connection or open_reader(self._path)
            self._writer.stop()
            await self._writer_ended.wait()
        if self._connection:
            self._connection.close()
            self._connection = None
        self._watchers.close()

    def _hasten(self) -> None:
        """Write what was taken so far, with all else that comes in this tick of the loop."""
        if self._taken and not self._is_hastened:
            self._is_hastened = True
            if self._due is not None:
                self._due.cancel()
            self._due = asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        if self._due is not None:
            self._due.cancel()
        self._due, self._is_hastened = None, False
        if not self._taken and not (self._writer and self._new_snapshots):
            return
        if self._writer is None:
            on_end = _on_loop(self._writer_ended.set)
            if self.needs_mending and self._connection:
                self._connection.close()  # it would not see the new file
                self._connection = None
            self._writer = Writer(
                self._path, self._blobs, on_end, on_network=self._on_network, is_damaged=self.needs_mending
            )
        waiting, self._waiting = self._waiting, []
        appends, self._taken = tuple(self._taken), []
        snapshots = tuple((stream, snapshot) for (stream, _), snapshot in self._new_snapshots.items())
        self._new_snapshots.clear()

        def settle(outcomes: Sequence[Outcome | None], failures: int) -> None:
            if failures != self._known_failures:
                self._flush()  # what gathers was appended before this was known, and goes the same way
                self._known_failures = failures
            for stream, snapshot in snapshots:
                if self._snapshots.get((stream, snapshot.projector)) is snapshot:
                    del self._snapshots[stream, snapshot.projector]
            for done, outcome in zip(waiting, outcomes, strict=True):
                if outcome is not None:
                    done.settle(outcome)
            self._watchers.wake()

        batch = Batch(
            appends=appends, snapshots=snapshots, known_failures=self._known_failures, settle=_on_loop(settle)
        )
        self._writer.submit(batch)

    def _poll_s(self) -> float | None:
        return None if self._writer else FOLLOW_POLL_S

    def _known_head(self) -> int:
        """The newest event that the list of Sessions has known, or 0.

        SQLite may see fewer: it ends a write-ahead log silently where a checksum is wrong.
        """
        meta = read_meta(self._path.with_name(META_NAME))
        return meta.head_seq if meta else 0

    def _ask(self, question: Callable[[sqlite3.Connection], T], default: T) -> T:
        """Put a question to the reading connection; `default` if there is no file."""
        has_mended = self._writer is not None and self._writer.mended
        if has_mended != self._saw_mended or (self._rescue and not self._rescue.is_current()):
            self._saw_mended = has_mended
            self._forget_old_file()
        if self._rescue:
            return question(self._rescue.connection)
        try:
            return self._ask_file(question, default)
        except StoreFailed as error:
            is_damaged = isinstance(error, JournalDamaged)
            if not is_damaged and os.access(self._path.parent, os.W_OK):
                raise
            # damaged, or where SQLite cannot make the files that it reads a log with
            rescue = self._take(Rescue.of(self._path, error, is_unsound=is_damaged))
        return question(rescue.connection)

    def _ask_file(self, question: Callable[[sqlite3.Connection], T], default: T) -> T:
        try:
            if self._closed:
                stamp = stamp_of_journal(self._path)
                answer = self._ask_in_passing(question, default, in_passing=True)
                is_same = stamp_of_journal(self._path) == stamp
                return answer if is_same else self._ask_in_passing(question, default, in_passing=False)
            self._connection = self._connection or open_reader(self._path)
            return default if self._connection is None else question(self._connection)
        except sqlite3.Error as error:
            raise failure(self._path, "read", error) from error

    def _ask_in_passing(self, question: Callable[[sqlite3.Connection], T], default: T, *, in_passing: bool) -> T:
        connection = open_reader(self._path, in_passing=in_passing)
        if connection is None:
            return default
        with contextlib.closing(connection):
            return question(connection)

    def _take(self, rescue: Rescue) -> Rescue:
        """Read from what is left from now on."""
        self._rescue = rescue
        self._damage = {key: damage for key, damage in self._damage.items() if damage.what != "row_lost"}
        for stream, seq in rescue.lost:
            self._note(stream, seq, "row_lost")
        self._numbers.forget()
        return rescue

    def _forget_old_file(self) -> None:
        if self._connection:
            self._connection.close()
        if self._rescue:
            self._rescue.close()
        self._connection = self._rescue = None
        self._damage = {key: damage for key, damage in self._damage.items() if damage.what != "row_lost"}
        self._numbers.forget()

    def _events(self, connection: sqlite3.Connection, stream: str, after: int) -> list[Recorded]:
        number = self._numbers.find(connection, stream)
        if not number:
            return []
        start = start_of(number)
        events: list[Recorded] = []
        for row in rows_after(connection, number, after):
            if isinstance(row, int):
                from yeaft.store.salvage import lost_event  # only where something is damaged

                self._note(stream, row - start, "row_lost")
                events.append(lost_event(stream, row - start, events[-1] if events else None, self._path.parent))
            else:
                events.append(self._recorded(row, stream, row[0] - start))
        return events

    def _recorded(self, row: StoredRow, stream: str, seq: int) -> Recorded:
        _, key, kind, version, ts, src, cause, corr, epoch, data, sha256 = row
        if sha256:
            content = self._blobs.get(sha256)
            if content is None:
                self._note(stream, seq, "blob_gone")
            data = content or b""
        event = codec.decode(kind, version, data)
        is_garbled = isinstance(event, UnknownEvent) and not is_newer(event) and (is_core(kind) or not is_json(data))
        if is_garbled and data:
            self._note(stream, seq, "content_garbled")
        return Recorded(
            id=key, stream=stream, seq=seq, ts=ts, src=src, cause=cause, corr=corr, epoch=epoch, event=event
        )

    def _note(self, stream: str, seq: int, what: Loss) -> None:
        self._damage[stream, seq] = Damage(stream=stream, seq=seq, what=what)


def _on_loop(act: Callable[P, None]) -> Callable[P, None]:
    """`act` as a function for another thread: it is carried out in the loop that runs now, if that still runs then."""
    loop = asyncio.get_running_loop()

    def later(*args: P.args, **kwargs: P.kwargs) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(lambda: act(*args, **kwargs))

    return later


def _snapshot(connection: sqlite3.Connection, stream: str, projector: str) -> Snapshot | None:
    query = "SELECT version, seq, state FROM snapshot WHERE stream=? AND projector=?"
    row: tuple[int, int, bytes] | None = connection.execute(query, (stream, projector)).fetchone()
    return row and Snapshot(projector=projector, version=row[0], seq=row[1], state=row[2])
