"""The SQLite file of a journal: its tables, how it is made, and how it is opened for reading and for writing.

An event's row id `at` is `number of its stream * STREAM_SPAN + seq`: one key orders the events of every stream, and an
append touches two pages (the event and the index of ids). Streams are numbered from 1 as their first events come.
"""

import contextlib
import os
import sqlite3
from pathlib import Path

from yeaft import __version__
from yeaft.kernel.errors import JournalDamaged, StoreFailed
from yeaft.store.filesystem import (
    FileIdentity,
    identity_of,
    is_network,
    make_private,
    stamp_of,
    sync_content,
    sync_path,
)

SCHEMA_VERSION = 1
PAGE_BYTES = 1024
STREAM_SPAN = 1 << 40
BUSY_TIMEOUT_S = 30.0
TABLES = f"""
PRAGMA page_size={PAGE_BYTES};
PRAGMA journal_mode=OFF;
PRAGMA synchronous=OFF;
BEGIN;
CREATE TABLE event(
    at INTEGER PRIMARY KEY, stream TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, v INTEGER NOT NULL,
    ts INTEGER NOT NULL, src TEXT NOT NULL, cause TEXT NOT NULL, corr TEXT NOT NULL, epoch INTEGER NOT NULL,
    data BLOB NOT NULL, sha256 TEXT NOT NULL
);
CREATE UNIQUE INDEX event_id ON event(id);
CREATE TABLE snapshot(
    stream TEXT NOT NULL, projector TEXT NOT NULL, version INTEGER NOT NULL, seq INTEGER NOT NULL,
    state BLOB NOT NULL, PRIMARY KEY(stream, projector)
) WITHOUT ROWID;
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES('app_version', '{__version__}');
PRAGMA user_version={SCHEMA_VERSION};
COMMIT;
"""
FORMAT_VERSIONS_AT = 18  # https://sqlite.org/fileformat.html 1.3.3; setting them so saves a switch with three syncs
INSERT = "INSERT INTO event VALUES(?,?,?,?,?,?,?,?,?,?,?,?)"
PLACES_OF_MORE = ",(?,?,?,?,?,?,?,?,?,?,?,?)"
"""What `INSERT` ends with once for each event after the first that it is to write."""
WRITE_AHEAD_LOG = b"\x02\x02"
COMPANIONS = ("-wal", "-shm", "-journal")
MENDED = ".mended"
"""The end of the name of a whole journal that is about to take the place of a damaged one."""
DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
REMEDIES = (
    ("SQLITE_FULL", "Free some disk space and try again; what was committed before is safe."),
    ("SQLITE_IOERR", "Check the disk and its free space; what was committed before is safe."),
    ("SQLITE_BUSY", "Another process has been holding it for long; close that one and try again."),
    ("SQLITE_READONLY", "Check the permissions of the file and of its directory."),
    ("SQLITE_CANTOPEN", "Check the permissions of the file and of its directory."),
    ("SQLITE_", "The file is damaged: `yeaft session check {session}` says what is missing; what is left can be read."),
)


class Writing:
    """The one read-write connection of a journal; belongs to the thread that made it.

    The directory and the file are made if they are missing. `on_network` says whether the file system shares no memory
    between processes; None finds out. Then there is no write-ahead log, and a commit with `sync` waits for the disk by
    itself; else only `sync` does, so that others need not wait with it. Raises `StoreFailed`.
    """

    def __init__(self, path: Path, *, on_network: bool | None = None) -> None:
        self._path = path
        self._level = ""
        try:
            make_private(path.parent)
            put_in_place(path)
            log = not (is_network(path.parent) if on_network is None else on_network)
            is_new = not path.exists()
            _check_regular(path)
            if is_new:
                _create(path, log=log)
            self._identity = identity_of(path)  # before it is opened: another one that comes in between is noticed
            self._log_path = path.with_name(path.name + "-wal")
            self._log: int | None = None
            self._gap: OSError | None = None
            # SQLite syncs the directory of the file, nobody that of a log which it does not sync, or the way to both.
            self._unsynced = [path.parent] * (not self._log_path.exists()) + [path.parent.parent] * is_new
            self._connection = _connect(path, "rw")
            mode = self._connection.execute("PRAGMA journal_mode=" + ("WAL" if log else "DELETE")).fetchone()[0]
            self._has_log = mode == "wal"
            self._log_identity: FileIdentity | None = None
        except (OSError, sqlite3.Error) as error:
            raise failure(path, "opened for writing", error) from error

    @property
    def connection(self) -> sqlite3.Connection:
        """For the statements between `begin` and `commit`."""
        return self._connection

    def begin(self, *, sync: bool) -> None:
        """Start a transaction that no other process can interrupt; after one with `sync` comes `sync`."""
        # Below EXTRA the journal that would undo the commit can come back with a power cut: its end is not on disk.
        level = "EXTRA" if sync and not self._has_log else "NORMAL"
        if level != self._level:
            self._connection.execute("PRAGMA synchronous=" + level)
            self._level = level
        self._connection.execute("BEGIN IMMEDIATE")
        if self._has_log and self._log_identity is None:  # by now there is one, and it stays as long as this does
            self._log_identity = identity_of(self._log_path)

    def commit(self) -> None:
        """End the transaction, if the file still is where others look for it. Raises `StoreFailed` like `look`."""
        self.look()
        self._connection.execute("COMMIT")

    def rollback(self) -> None:
        """Undo the transaction, if SQLite has not done so already."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def look(self) -> None:
        """Raise `StoreFailed` if the file, or its log, was taken away or replaced since it was opened.

        SQLite does not notice: it would go on in a file that nobody can ever open again.
        """
        check_in_place(self._path, self._identity)
        if self._log_identity is None:
            return
        try:
            check_in_place(self._log_path, self._log_identity)
        except StoreFailed:
            if identity_of(self._log_path) is None:  # what was in it is not lost: it still can go where it belongs
                with contextlib.suppress(sqlite3.Error):
                    self.rollback()
                    self._connection.execute("PRAGMA wal_checkpoint")
            raise

    def sync(self) -> None:
        """Wait until all that was committed is on the disk. Raises `OSError`, and `StoreFailed` like `look`.

        Once the log could not be brought there, it never is said to be: the system tells that once and forgets it, and
        whatever stands behind a gap in the log is lost with it.
        """
        try:
            if self._has_log:
                self._sync_log()
            while self._unsynced:
                sync_path(self._unsynced[0])
                del self._unsynced[0]
        finally:  # whether it works or not
            self.look()

    def _sync_log(self) -> None:
        if self._gap is not None:
            raise self._gap
        if self._log is None:  # no lock is on the log, which closing it would drop
            self._log = os.open(self._log_path, os.O_RDONLY)
        try:
            sync_content(self._log)
        except OSError as error:
            self._gap = error
            raise

    def close(self) -> None:
        """Close the connection. The log is left as it is while another connection is open."""
        if self._log is not None:
            os.close(self._log)
        self._connection.close()


def put_in_place(path: Path) -> None:
    """Let the journal that mends a damaged one take its place, if there is one. Raises `OSError`.

    The write-ahead log of the damaged one goes first, because SQLite would take it for the new one's. Whoever is
    killed in between leaves a journal that is whole under its other name.
    """
    mended = path.with_name(path.name + MENDED)
    if not mended.exists():
        return
    for end in COMPANIONS:
        path.with_name(path.name + end).unlink(missing_ok=True)
    mended.replace(path)
    sync_path(path.parent)


def open_reader(path: Path, *, in_passing: bool = False) -> sqlite3.Connection | None:
    """A read-only connection, or None if there is no file yet. Raises `StoreFailed`; changes no content.

    One that is opened `in_passing` and has no log to read does not make one either, as SQLite would, and takes no
    locks: whoever uses it looks afterwards whether the files have changed in the meantime (`stamp_of_journal`).
    """
    mended = path.with_name(path.name + MENDED)
    if mended.exists():
        path = mended
    if not path.exists():
        return None
    _check_regular(path)
    # A writer without a write-ahead log that was killed leaves this file, and only a writer may undo what it began.
    interrupted = path.with_name(path.name + "-journal").exists()
    has_log = path.with_name(path.name + "-wal").exists()
    mode = "rw" if interrupted else "ro&immutable=1" if in_passing and not has_log else "ro"
    try:
        return _connect(path, mode)
    except sqlite3.Error as error:
        raise failure(path, "read", error) from error


def check_in_place(path: Path, identity: FileIdentity | None) -> None:
    """Raise `StoreFailed` if the file that had this `identity` when it was opened is not the one at `path` any more."""
    found = identity_of(path)
    if found is None:
        raise deleted(path)
    if found != identity:
        raise StoreFailed(
            f"{path} was replaced by another file while it was in use, so what happens here is not kept any more. Open "
            "the Session again to go on with what the file holds now."
        )


def deleted(path: Path) -> StoreFailed:
    """The error for a file of a Session that went away while it was open."""
    return StoreFailed(
        f"{path} was deleted or moved while it was in use, so what happens here is not kept any more. Put it back, or "
        "restore it from a copy, and open the Session again."
    )


def stamp_of_journal(path: Path) -> str:
    """What changes whenever something is written to a journal."""
    return stamp_of(path.with_name(path.name + end) for end in ("", "-wal", "-journal", MENDED))


def failure(path: Path, action: str, error: OSError | sqlite3.Error) -> StoreFailed:
    """The error for a file that cannot be `action` (a participle), with what the user can do about it."""
    name: str = getattr(error, "sqlite_errorname", "")  # an error of Python's own wrapper has none
    remedy = next((text for start, text in REMEDIES if name.startswith(start)), "Check the directory and its disk.")
    kind = JournalDamaged if name.startswith(DAMAGE) else StoreFailed
    return kind(f"The journal {path} could not be {action}: {error}. {remedy.format(session=path.parent.name)}")


def _check_regular(path: Path) -> None:
    """SQLite would wait for ever at a pipe, whether that stands for the file itself or for its log."""
    for part in (path, *(path.with_name(path.name + end) for end in COMPANIONS)):
        if part.exists() and not part.is_file():
            raise StoreFailed(f"{part} is no regular file, so it is not opened. Move it away.")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    with contextlib.ExitStack() as on_failure:
        on_failure.callback(connection.close)
        _check_version(connection, path)
        on_failure.pop_all()
    return connection


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version == SCHEMA_VERSION:
        return
    if version == 0:
        raise JournalDamaged(
            f"{path} holds no journal: it was cut or overwritten. Restore it from a copy, or delete it."
        )
    raise StoreFailed(
        f"{path} was written by a newer yeaft (format {version}, this one, {__version__}, knows {SCHEMA_VERSION}); "
        "update yeaft to open it."
    )


def _create(path: Path, *, log: bool) -> None:
    """Put an empty journal in place whole, so that there never is half of one, whoever is killed or comes second."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        temporary.unlink(missing_ok=True)
        _write_empty(temporary, log=log)
        sync_path(temporary)
        try:
            os.link(temporary, path)
        except FileExistsError:
            return
        except OSError:  # a file system without hard links
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _write_empty(path: Path, *, log: bool) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES)
    if log:
        with path.open("r+b") as file:
            file.seek(FORMAT_VERSIONS_AT)
            file.write(WRITE_AHEAD_LOG)
