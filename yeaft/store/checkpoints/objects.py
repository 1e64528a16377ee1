"""Content found by its SHA-256, many pieces in one SQLite file, kept once each, compressed, up to a limit."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import zlib
from collections.abc import Generator
from pathlib import Path

from yeaft.kernel.errors import StoreFailed
from yeaft.store.filesystem import is_network, make_private

FILE_NAME = "objects.db"
PRIVATE_FILE = 0o600
BUSY_TIMEOUT_S = 30.0
APPLICATION = 0x79656163
VERSION = 1
CACHE_KIB = 2048
PAGE_BYTES = 1024  # a small change writes a few of them
LARGEST_LOG_BYTES = 4 * 1024 * 1024
TABLES = """
CREATE TABLE IF NOT EXISTS object(digest BLOB PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS cache(key TEXT PRIMARY KEY, data BLOB NOT NULL);
"""
LEAST_BYTES_TO_PACK = 64


class Objects:
    """The objects of one Session in `folder`, which is made with the first of them. One thread at a time may use it.

    Every method raises `StoreFailed` when the disk or the file does not do what it must.
    """

    def __init__(self, folder: Path, limit_bytes: int) -> None:
        self._path = folder / FILE_NAME
        self._limit_bytes = limit_bytes
        self._connection: sqlite3.Connection | None = None
        self._is_synced = False
        self._left_bytes: int | None = None  # while things are put together

    def put(self, content: bytes) -> bytes:
        """Keep `content`, whatever the limit, and return its digest."""
        digest = hashlib.sha256(content).digest()
        with self._open(writing=True) as connection:
            connection.execute("INSERT OR IGNORE INTO object VALUES(?,?)", (digest, _packed(content)))
        return digest

    def put_as(self, digest: bytes, content: bytes) -> bool:
        """Keep `content`, whose digest is known; False if the limit is reached and it is not there yet."""
        with self._open(writing=True) as connection:
            if connection.execute("SELECT 1 FROM object WHERE digest=?", (digest,)).fetchone():
                return True
            packed = _packed(content)
            left = self._left_bytes if self._left_bytes is not None else self._limit_bytes - _size_bytes(connection)
            if len(packed) > left:
                return False
            if self._left_bytes is not None:
                self._left_bytes -= len(packed)
            connection.execute("INSERT INTO object VALUES(?,?)", (digest, packed))
            return True

    def get(self, digest: bytes) -> bytes | None:
        """The content, or None if there is none or it no longer matches its digest."""
        if self._connection is None and not self._path.exists():
            return None
        with self._open() as connection:
            row: tuple[bytes] | None = connection.execute(
                "SELECT data FROM object WHERE digest=?", (digest,)
            ).fetchone()
        content = _unpacked(row[0]) if row else None
        return content if content is not None and hashlib.sha256(content).digest() == digest else None

    def holds(self, digest: bytes) -> bool:
        """Whether there is something under this digest."""
        if self._connection is None and not self._path.exists():
            return False
        with self._open() as connection:
            return connection.execute("SELECT 1 FROM object WHERE digest=?", (digest,)).fetchone() is not None

    def put_cache(self, key: str, data: bytes) -> None:
        """Keep something whose loss would do no harm."""
        with self._open(writing=True) as connection:
            connection.execute("INSERT OR REPLACE INTO cache VALUES(?,?)", (key, _packed(data)))

    def get_cache(self, key: str) -> bytes | None:
        """What was kept under `key`, if it is there and whole."""
        if self._connection is None and not self._path.exists():
            return None
        with self._open() as connection:
            row: tuple[bytes] | None = connection.execute("SELECT data FROM cache WHERE key=?", (key,)).fetchone()
        return _unpacked(row[0]) if row else None

    @contextlib.contextmanager
    def together(self, *, sync: bool = False) -> Generator[None]:
        """Let all that is put within belong together: all of it is kept or nothing; `sync` waits for the disk."""
        with self._open(writing=True) as connection:
            if sync != self._is_synced:
                connection.execute("PRAGMA synchronous=" + ("FULL" if sync else "NORMAL"))
                self._is_synced = sync
            connection.execute("BEGIN IMMEDIATE")
            self._left_bytes = self._limit_bytes - _size_bytes(connection)
            try:
                yield
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            finally:
                self._left_bytes = None
            connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file; the next use opens it again. The write-ahead log stays beside it, which saves two syncs."""
        if self._connection is None:
            return
        with contextlib.closing(sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True)) as reader:
            reader.execute("PRAGMA user_version")  # now it is open, and the writer not the last to close
            self._connection.close()
            self._connection = None

    @contextlib.contextmanager
    def _open(self, *, writing: bool = False) -> Generator[sqlite3.Connection]:
        try:
            if self._connection is None:
                self._connection = _connect(self._path, writing=writing)
            yield self._connection
        except (OSError, sqlite3.Error) as error:
            raise StoreFailed(
                f"The checkpoints in {self._path} cannot be used: {error}. Check its disk and permissions; moved away, "
                "it is made anew, and states from before cannot be brought back."
            ) from error


def copy_objects(source: Path, target: Path) -> None:
    """Copy the objects in the folder `source` to the folder `target`, also while they are added to. Raises as sqlite3.

    Nothing happens if there are none.
    """
    if not (source / FILE_NAME).is_file():
        return
    make_private(target)
    uri = f"{(source / FILE_NAME).absolute().as_uri()}?mode=ro"
    with (
        contextlib.closing(sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_S)) as reader,
        contextlib.closing(sqlite3.connect(target / FILE_NAME)) as copy,
    ):
        reader.backup(copy)


def _connect(path: Path, *, writing: bool) -> sqlite3.Connection:
    if writing:
        make_private(path.parent)
        path.touch(mode=PRIVATE_FILE)
    if not path.is_file():  # SQLite would wait for ever at a pipe
        raise OSError(f"{path} is no regular file")
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    with contextlib.ExitStack() as on_failure:
        on_failure.callback(connection.close)
        application, version = connection.execute(
            "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version"
        ).fetchone()
        if (application, version) not in ((0, 0), (APPLICATION, VERSION)):
            raise OSError(f"{path} was not written by this yeaft")
        connection.execute(f"PRAGMA page_size={PAGE_BYTES}")
        connection.execute("PRAGMA synchronous=OFF")  # making it waits for the disk several times else
        if application == 0:
            connection.execute(f"PRAGMA application_id={APPLICATION}")
            connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute("PRAGMA journal_mode=" + ("DELETE" if is_network(path.parent) else "WAL"))
        connection.execute(f"PRAGMA cache_size=-{CACHE_KIB}")
        connection.execute(f"PRAGMA journal_size_limit={LARGEST_LOG_BYTES}")
        connection.executescript(TABLES)
        connection.execute("PRAGMA synchronous=NORMAL")
        on_failure.pop_all()
    return connection


def _size_bytes(connection: sqlite3.Connection) -> int:
    size: int = connection.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()[
        0
    ]
    return size


def _packed(content: bytes) -> bytes:
    """The content behind one byte that says how it is kept."""
    if len(content) >= LEAST_BYTES_TO_PACK:
        packed = zlib.compress(content, level=1)
        if len(packed) < len(content):
            return b"z" + packed
    return b"=" + content


def _unpacked(stored: bytes) -> bytes | None:
    if stored[:1] != b"z":
        return stored[1:]
    try:
        return zlib.decompress(stored[1:])
    except zlib.error:
        return None
