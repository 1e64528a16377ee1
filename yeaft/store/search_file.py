"""The file of the search cache: its tables, and how it is opened, made, and made anew."""

import contextlib
import sqlite3
from pathlib import Path

from yeaft.store.filesystem import is_network

SEARCH_NAME = "search.db"
SCHEMA_VERSION = 2
PRIVATE_FILE = 0o600
BUSY_TIMEOUT_S = 1.0  # others write the same; whoever cannot wait reads the journals
UNUSABLE = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR")
FRESH_TERMS_BYTES = 16 * 1024 * 1024
TABLES = f"""
CREATE TABLE source(
    number INTEGER PRIMARY KEY, session TEXT NOT NULL, part TEXT NOT NULL, stamp TEXT NOT NULL, UNIQUE(session, part)
);
CREATE TABLE said(
    number INTEGER PRIMARY KEY, source INTEGER NOT NULL, message_id TEXT NOT NULL, seq INTEGER NOT NULL,
    ts INTEGER NOT NULL, speaker TEXT NOT NULL, within TEXT NOT NULL, turn_id TEXT NOT NULL, mode TEXT NOT NULL,
    void INTEGER NOT NULL
);
CREATE INDEX said_source ON said(source);
CREATE INDEX said_ts ON said(ts);
CREATE TABLE words(number INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE VIRTUAL TABLE grams USING fts5(text, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1');
CREATE VIRTUAL TABLE terms USING fts5vocab(grams, instance);
CREATE VIRTUAL TABLE pairs USING fts5(text, content='', columnsize=0, detail=none, tokenize='ascii');
INSERT INTO grams(grams, rank) VALUES('hashsize', {FRESH_TERMS_BYTES});
PRAGMA user_version={SCHEMA_VERSION}
"""


def discard(home: Path) -> None:
    """Delete the cache, so that the next search makes it anew."""
    for end in ("", "-wal", "-shm", "-journal"):
        with contextlib.suppress(OSError):
            (home / f"{SEARCH_NAME}{end}").unlink()


def is_unusable(error: sqlite3.Error) -> bool:
    """Whether the file is damaged or has tables of another kind, so that only a new one helps."""
    return getattr(error, "sqlite_errorname", "").startswith(UNUSABLE)


def for_reading(path: Path) -> sqlite3.Connection:
    """A connection to a cache that is there. Raises `sqlite3.Error` if it is none."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_TIMEOUT_S)
    try:
        if _version(connection) == SCHEMA_VERSION:
            return connection
    except sqlite3.Error:
        connection.close()
        raise
    connection.close()
    raise sqlite3.NotSupportedError


def for_writing(path: Path) -> sqlite3.Connection:
    """A connection to the cache, which is made, or made anew, as needed. Raises `OSError` and `sqlite3.Error`."""
    with contextlib.suppress(OSError):  # SQLite will say so, too
        path.touch(mode=PRIVATE_FILE)
    connection = _made(path)
    if connection is None:
        discard(path.parent)
        path.touch(mode=PRIVATE_FILE)
        connection = _made(path)
    if connection is None:
        raise sqlite3.NotSupportedError
    return connection


def _made(path: Path) -> sqlite3.Connection | None:
    """A connection to the cache, with its tables; None if what is there is no such cache."""
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode=" + ("DELETE" if is_network(path.parent) else "WAL"))
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA secure_delete=ON")  # what was deleted is gone
        if _version(connection) == 0:
            connection.execute("BEGIN IMMEDIATE")
            for statement in TABLES.split(";") if _version(connection) == 0 else ():
                connection.execute(statement)
            connection.execute("COMMIT")
        if _version(connection) == SCHEMA_VERSION:
            return connection
    except sqlite3.Error as error:
        connection.close()
        if not is_unusable(error):
            raise
        return None
    connection.close()
    return None


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
