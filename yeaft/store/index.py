"""The list of all Sessions: a cache in `index.db` that may be deleted at any time and never makes a command fail."""

import contextlib
import os
import sqlite3
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from yeaft.kernel.errors import StoreFailed
from yeaft.store.blobs import FileBlobs
from yeaft.store.cost import read_cost
from yeaft.store.directory import JOURNAL_NAME, SessionPaths, list_session_ids, session_paths
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.meta import META_NAME, SessionMeta, fold_meta, goes_back, new_meta, read_meta
from yeaft.store.sqlite import SqliteJournal

INDEX_NAME = "index.db"
PRIVATE_FILE = 0o600
BUSY_TIMEOUT_S = 1.0  # a cache is not worth a longer wait
UNUSABLE = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR")  # damaged, or tables of another format
TABLE = "CREATE TABLE IF NOT EXISTS session(id TEXT PRIMARY KEY, stamp TEXT NOT NULL, meta BLOB NOT NULL) WITHOUT ROWID"


class Entry(Struct, frozen=True, kw_only=True):
    """A cached meta and the state of the Session's files it was made from."""

    stamp: str
    meta: SessionMeta


class Index:
    """Lists the Sessions under yeaft's home directory `home`; only listing reads or writes `index.db`."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._path = home / INDEX_NAME

    def rows(self, *, include_archived: bool = False, folder: str | None = None) -> list[SessionMeta]:
        """The Sessions (of one work folder, if given), last used first."""
        stored = self._stored()
        ids = list_session_ids(self._home)
        entries = {key: _current(session_paths(self._home, key), stored.get(key)) for key in ids}
        if entries != stored:
            self._store(stored, entries)
        metas = [entry.meta for entry in entries.values() if include_archived or not entry.meta.archived]
        fitting = [meta for meta in metas if folder is None or meta.folder == folder]
        return sorted(fitting, key=lambda meta: (meta.last_active_ms, meta.session_id), reverse=True)

    def _stored(self) -> dict[str, Entry]:
        if not self._path.is_file():
            return {}
        try:
            with self._open() as connection:
                found = connection.execute("SELECT id, stamp, meta FROM session").fetchall()
            return {
                key: Entry(stamp=stamp, meta=msgspec.json.decode(meta, type=SessionMeta)) for key, stamp, meta in found
            }
        except (sqlite3.Error, msgspec.DecodeError):
            return {}

    def _store(self, stored: Mapping[str, Entry], entries: Mapping[str, Entry]) -> None:
        if self._path.exists() and not self._path.is_file():
            return
        changed = {key: entry for key, entry in entries.items() if stored.get(key) != entry}
        try:
            self._write(changed, stored.keys() - entries.keys())
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorname", "") in UNUSABLE:
                with contextlib.suppress(OSError, sqlite3.Error):
                    self._path.unlink()
                    self._write(entries, ())

    def _write(self, entries: Mapping[str, Entry], gone: Iterable[str]) -> None:
        values = [(key, entry.stamp, msgspec.json.encode(entry.meta)) for key, entry in entries.items()]
        with contextlib.suppress(OSError):  # SQLite will say so, too
            self._path.touch(mode=PRIVATE_FILE)
        with self._open() as connection, connection:
            connection.execute(TABLE)
            connection.executemany("DELETE FROM session WHERE id=?", [(key,) for key in gone])
            connection.executemany("INSERT OR REPLACE INTO session VALUES(?,?,?)", values)

    @contextlib.contextmanager
    def _open(self) -> Generator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(self._path, timeout=BUSY_TIMEOUT_S)) as connection:
            connection.execute("PRAGMA synchronous=OFF")
            yield connection


def current_meta(paths: SessionPaths) -> SessionMeta:
    """The meta of a Session, whatever its last process left behind: caught up with the journal where it is older."""
    return _current(paths, None).meta


def _current(paths: SessionPaths, known: Entry | None) -> Entry:
    files = _stats(paths)
    stamp = " ".join(f"{changed_ns}:{size_bytes}" for changed_ns, size_bytes in files)
    if known and known.stamp == stamp and known.meta.is_complete:
        return known
    meta = read_meta(paths.meta)
    if meta is None or not meta.is_complete:
        fresh = _caught_up(paths, new_meta(paths.session_id))
        return Entry(stamp=stamp, meta=fresh if fresh.head_seq or meta is None else meta)
    (written_ns, _), *journal = files
    if any(changed_ns > written_ns for changed_ns, _ in journal):
        meta = _caught_up(paths, meta)
    return Entry(stamp=stamp, meta=replace(meta, session_id=paths.session_id))  # the directory may have been renamed


def _caught_up(paths: SessionPaths, meta: SessionMeta) -> SessionMeta:
    journal = SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs))
    try:
        records = journal.read(SESSION_STREAM, meta.head_seq)
        if meta.head_seq and goes_back(records):
            meta, records = new_meta(paths.session_id), journal.read(SESSION_STREAM)
        return replace(fold_meta(meta, records), cost=read_cost(journal))
    except StoreFailed:  # opening the Session will say what is wrong with it
        return meta


def _stats(paths: SessionPaths) -> list[tuple[int, int]]:
    """When the cached meta, the journal and its log were changed last, and their sizes; 0 for what is missing."""
    found: dict[str, tuple[int, int]] = {META_NAME: (0, 0), JOURNAL_NAME: (0, 0), f"{JOURNAL_NAME}-wal": (0, 0)}
    with contextlib.suppress(OSError), os.scandir(paths.root) as entries:
        for entry in entries:
            if entry.name in found:
                status = entry.stat()
                found[entry.name] = (status.st_mtime_ns, status.st_size)
    return list(found.values())
