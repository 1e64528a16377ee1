"""The thread that writes a SQLite journal: whatever has gathered goes into one transaction."""

import contextlib
import logging
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue

from msgspec import Struct
from msgspec.structs import astuple

from yeaft.kernel.errors import Conflict, JournalDamaged, StoreFailed
from yeaft.store.admission import Head, admit, follows
from yeaft.store.blobs import FileBlobs
from yeaft.store.database import INSERT, PLACES_OF_MORE, Writing, failure
from yeaft.store.journal import SESSION_STREAM, Outcome, Snapshot
from yeaft.store.row import Row, Taken, moved_to_blob
from yeaft.store.rows import payloads
from yeaft.store.standings import Standings

LARGEST_INLINE_BYTES = 32 * 1024
BLOB_MIME = "application/json"
MOST_AT_ONCE = 16
"""So many events are written by one statement; SQLite keeps the text of each length of it."""
logger = logging.getLogger(__name__)
INSERT_SNAPSHOT = "INSERT OR REPLACE INTO snapshot VALUES(?,?,?,?,?)"


class Batch(Struct, frozen=True, kw_only=True):
    """The appends of a moment in call order, snapshots that go with them, and who waits for the outcomes.

    `known_failures` is how many failed transactions those who appended knew of. `settle` is called in the writer's
    thread with the outcomes, None for what is told later, and with how many failures there have been by then.
    """

    appends: tuple[Taken, ...]
    snapshots: tuple[tuple[str, Snapshot], ...]
    known_failures: int
    settle: Callable[[Sequence[Outcome | None], int], None]


class Writer:
    """Owns the read-write connection, which is opened for the first batch. Appends to a stream are settled in order.

    Those with `sync`, and what comes behind them in their streams, are settled when they are on the disk; the others do
    not wait for that.

    A file that `is_damaged`, or turns out to be when it is written, is mended first, once; then `mended` says so, and
    other connections of this process must be opened anew. `on_end` is called in the writer's thread when all is
    committed and closed. `on_network`: see `Writing`.
    """

    def __init__(
        self,
        path: Path,
        blobs: FileBlobs,
        on_end: Callable[[], None],
        *,
        on_network: bool | None,
        is_damaged: bool = False,
    ) -> None:
        self.mended = False
        self._is_damaged = is_damaged
        self._damage: JournalDamaged | None = None
        self._path = path
        self._blobs = blobs
        self._on_end = on_end
        self._on_network = on_network
        self._batches: SimpleQueue[Batch | None] = SimpleQueue()
        self._gathered: list[Batch] = []
        self._failures: list[StoreFailed] = []
        self._ended = threading.Event()
        self._database: Writing | None = None
        self._standings = Standings()
        # A daemon, so that a process that forgets to close ends all the same; what was not committed was not promised.
        threading.Thread(target=self._run, name=f"journal:{path.parent.name}", daemon=True).start()

    def submit(self, batch: Batch) -> None:
        """Queue a batch; it is committed together with all others that wait by then."""
        self._batches.put(batch)
        if self._ended.is_set():
            self._refuse_rest()

    def stop(self) -> None:
        """Let the writer end after what was submitted so far."""
        self._batches.put(None)

    def _run(self) -> None:
        try:
            while self._gather():
                self._commit()
            self._commit()
        finally:  # after a bug too: nobody is left waiting for an outcome
            self._ended.set()
            self._refuse_rest()
            if self._database:
                self._database.close()
            self._on_end()

    def _gather(self) -> bool:
        """Wait for a batch and take all there are; False when the writer is to stop after them."""
        batch = self._batches.get()
        while batch is not None:
            self._gathered.append(batch)
            try:
                batch = self._batches.get_nowait()
            except Empty:
                return True
        return False

    def _commit(self) -> None:
        hopeful = [batch for batch in self._gathered if batch.known_failures == len(self._failures)]
        for batch in self._gathered[: -len(hopeful) or None]:  # it builds on what was not written
            batch.settle(self._failures[-1:] * len(batch.appends), len(self._failures))
        outcomes = self._outcomes(hopeful)
        in_sync: set[str] = set()
        at_once = [_told_at_once(*one, in_sync) for one in zip(hopeful, outcomes, strict=True)]
        for batch, told in zip(hopeful, at_once, strict=True):
            if any(outcome is not None for outcome in told):
                batch.settle(told, len(self._failures))
        if in_sync:
            failed = self._sync()
            for batch, told, results in zip(hopeful, at_once, outcomes, strict=True):
                late = [failed or two if one is None else None for one, two in zip(told, results, strict=True)]
                batch.settle(late, len(self._failures))
        self._gathered.clear()

    def _sync(self) -> StoreFailed | None:
        """Wait until what was committed is on the disk; return why it may not be there."""
        if self._database is None:
            return None
        try:
            self._database.sync()
        except OSError as error:
            self._failures.append(failure(self._path, "written", error))
            return self._failures[-1]
        except StoreFailed as error:
            self._failures.append(error)
            return error
        return None

    def _refuse_rest(self) -> None:
        lost = StoreFailed(f"The writer of {self._path} has stopped; open the Session again to go on.")
        while True:
            for batch in self._gathered:
                batch.settle([lost] * len(batch.appends), len(self._failures))
            self._gathered.clear()
            try:
                waiting = self._batches.get_nowait()
            except Empty:
                return
            if waiting:
                self._gathered.append(waiting)

    def _outcomes(self, batches: Sequence[Batch]) -> Sequence[Sequence[Outcome]]:
        if not batches:
            return ()
        try:
            if self._is_damaged:
                self._mend()
            try:
                return self._transaction(batches)
            except JournalDamaged as error:
                if self.mended:
                    raise
                self._damage = error
            self._mend()
            return self._transaction(batches)
        except StoreFailed as error:
            self._failures.append(error)
            return [[error] * len(batch.appends) for batch in batches]

    def _mend(self) -> None:
        """Nothing that was committed is in danger: the damaged file is kept, and the new one comes in one step."""
        if self._database:
            self._database.close()
            self._database = None
        from yeaft.store.salvage import mend  # only where something is damaged

        mending = mend(self._path)
        logger.warning("%s was damaged and has been mended; as it was, it is kept as %s", self._path, mending.kept)
        self._is_damaged, self.mended = False, True

    def _transaction(self, batches: Sequence[Batch]) -> list[list[Outcome]]:
        database = self._database = self._database or Writing(self._path, on_network=self._on_network)
        sync = any(taken.sync for batch in batches for taken in batch.appends)
        try:
            spilled = [[self._spilled(taken) for taken in batch.appends] for batch in batches]
            if sync:
                self._blobs.sync()
            database.begin(sync=sync)
            self._standings.look(database.connection)
            outcomes = [[self._append(database.connection, taken) for taken in appends] for appends in spilled]
            for batch in batches:
                _write_snapshots(database.connection, batch.snapshots)
            database.commit()
        except (OSError, sqlite3.Error) as error:
            self._undo(database)
            database.look()  # which may be why
            raise failure(self._path, "written", error) from error
        except StoreFailed:
            self._undo(database)
            raise
        return outcomes

    def _undo(self, database: Writing) -> None:
        self._standings.forget()
        database.rollback()

    def _spilled(self, taken: Taken) -> Taken:
        """Content that is too large for a row goes to a blob, before there is a row that names it."""
        if all(len(row.data) <= LARGEST_INLINE_BYTES for row in taken.rows):
            return taken
        rows = tuple(
            moved_to_blob(row, self._blobs.put(row.data, BLOB_MIME).sha256)
            if len(row.data) > LARGEST_INLINE_BYTES
            else row
            for row in taken.rows
        )
        return Taken(
            stream=taken.stream, expected_seq=taken.expected_seq, epoch=taken.epoch, rows=rows, sync=taken.sync
        )

    def _append(self, connection: sqlite3.Connection, taken: Taken) -> Outcome:
        head = self._standings.head(connection, taken.stream)
        owner = self._standings.head(connection, SESSION_STREAM)
        try:
            if len(taken.rows) <= MOST_AT_ONCE and follows(taken, head, owner):
                with contextlib.suppress(sqlite3.IntegrityError):  # hardly ever is any of them stored already
                    return self._insert(connection, taken.rows, taken, head).seq
            rows = admit(taken, head, payloads(connection, [row.id for row in taken.rows]), owner)
        except Conflict as refusal:
            # Behind what was told as written stands only a file that has lost it, and nobody else has appended.
            return self._damage if self._damage and head.seq < taken.expected_seq else refusal
        except StoreFailed as refusal:
            return refusal
        for start in range(0, len(rows), MOST_AT_ONCE):
            head = self._insert(connection, rows[start : start + MOST_AT_ONCE], taken, head)
        return head.seq

    def _insert(self, connection: sqlite3.Connection, rows: Sequence[Row], taken: Taken, head: Head) -> Head:
        """Write rows in one statement, all or none of them, and return where the stream stands then."""
        if not rows:
            return head
        values: list[str | int | bytes] = []
        for at, row in enumerate(rows, self._standings.end(connection, taken.stream) + 1):
            values += _values(row, at, taken)
        connection.execute(INSERT + PLACES_OF_MORE * (len(rows) - 1), values)
        head = Head(seq=head.seq + len(rows), epoch=taken.epoch)
        self._standings.move(taken.stream, head)
        return head


def _told_at_once(batch: Batch, outcomes: Sequence[Outcome], in_sync: set[str]) -> list[Outcome | None]:
    """Of the outcomes those that need not wait for the disk; `in_sync` are the streams where something does."""
    told: list[Outcome | None] = []
    for taken, outcome in zip(batch.appends, outcomes, strict=True):
        if taken.sync:
            in_sync.add(taken.stream)
        told.append(None if taken.stream in in_sync else outcome)
    return told


def _values(row: Row, at: int, taken: Taken) -> tuple[str | int | bytes, ...]:
    *envelope, data, sha256 = astuple(row)
    return (at, taken.stream, *envelope, taken.epoch, data, sha256)


def _write_snapshots(connection: sqlite3.Connection, snapshots: Sequence[tuple[str, Snapshot]]) -> None:
    for stream, snapshot in snapshots:
        values = (stream, snapshot.projector, snapshot.version, snapshot.seq, snapshot.state)
        connection.execute(INSERT_SNAPSHOT, values)
