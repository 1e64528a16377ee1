"""Reading events out of the tables, also when some pages of the file are damaged."""

import sqlite3
from collections.abc import Iterator, Sequence

import msgspec

from yeaft.store.admission import Head
from yeaft.store.database import STREAM_SPAN
from yeaft.store.row import Payload

LARGEST_AT = (1 << 63) - 1  # SQLite's integers
ROWS = "SELECT at, id, type, v, ts, src, cause, corr, epoch, data, sha256 FROM event WHERE at>? AND at<? ORDER BY at"
FILE_SIZE = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
SMALLEST_ROW_BYTES = 64
NEWEST_QUERIES = (  # the second needs no page of the table itself
    "SELECT max(at) FROM event NOT INDEXED WHERE at>? AND at<?",
    "SELECT max(at) FROM event INDEXED BY event_id WHERE at>? AND at<?",
)
NAME_QUERIES = (
    "SELECT stream FROM event WHERE at>? AND at<? ORDER BY at LIMIT 1",
    "SELECT stream FROM event WHERE at>? AND at<? ORDER BY at DESC LIMIT 1",
)
StoredRow = tuple[int, str, str, int, int, str, str, str, int, bytes, str]


class Numbers:
    """The number of each stream, 0 for one that does not exist; remembers what it has seen."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._seen = 0

    def find(self, connection: sqlite3.Connection, stream: str) -> int:
        """The number of a stream; other processes may have added it in the meantime."""
        number = self._numbers.get(stream, 0)
        if not number:
            self._look_for_more(connection)
        return self._numbers.get(stream, 0)

    def known(self, stream: str) -> int:
        """The number of a stream as far as it was seen; nothing is asked of the file."""
        return self._numbers.get(stream, 0)

    def note(self, number: int, stream: str) -> None:
        """Remember a stream that was found, or was given the next number."""
        self._numbers[stream] = number
        if number == self._seen + 1:
            self._seen = number

    def forget(self) -> None:
        """Look again: what was seen may have been rolled back."""
        self._numbers.clear()
        self._seen = 0

    def _look_for_more(self, connection: sqlite3.Connection) -> None:
        """Take in the streams that have come since; those before the first unreadable name keep their numbers."""
        for number, name in stream_names(connection, self._seen):
            self.note(number, name)


def stream_names(connection: sqlite3.Connection, after: int = 0) -> list[tuple[int, str]]:
    """Numbers and names of all streams with a number above `after` whose name can be read."""
    count = min(_newest(connection, 0, LARGEST_AT) // STREAM_SPAN, _capacity(connection))
    names = ((number, _name(connection, number)) for number in range(after + 1, count + 1))
    return [(number, name) for number, name in names if name is not None]


def next_number(connection: sqlite3.Connection) -> int:
    """The number of the next new stream."""
    newest: int | None = connection.execute("SELECT max(at) FROM event").fetchone()[0]
    return (newest or 0) // STREAM_SPAN + 1


def start_of(number: int) -> int:
    """The `at` before the first event of a stream."""
    return number * STREAM_SPAN


def head_of(connection: sqlite3.Connection, number: int) -> Head:
    """Where the stream with that number stands."""
    row: tuple[int, int] | None = connection.execute(
        "SELECT at, epoch FROM event WHERE at>? AND at<? ORDER BY at DESC LIMIT 1", _extent(number)
    ).fetchone()
    return Head() if row is None else Head(seq=row[0] - start_of(number), epoch=row[1])


def newest_seq(connection: sqlite3.Connection, number: int) -> int:
    """The `seq` of the newest event, even if that event itself can no longer be read."""
    return max(0, _newest(connection, *_extent(number)) - start_of(number))


def payloads(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, Payload]:
    """What is stored under those of `ids` that are taken."""
    found = connection.execute(
        "SELECT id, stream, type, v, data, sha256 FROM event WHERE id IN (SELECT value FROM json_each(?))",
        (msgspec.json.encode(ids).decode(),),
    )
    return {
        key: Payload(stream=stream, type=kind, version=version, data=data, sha256=sha256)
        for key, stream, kind, version, data, sha256 in found
    }


def rows_after(connection: sqlite3.Connection, number: int, after: int) -> Iterator[StoredRow | int]:
    """The rows of a stream with `seq` > `after`; for each one that the file can no longer give, only its `at`."""
    start, end = _extent(number)
    at = start + after
    for row in _scan(connection, at, end):
        if row[0] != at + 1 or not _is_filled(row):  # there are no gaps: this was read from a damaged page
            break
        yield row
        at += 1
    # A scan stops at the first bad page; what lies behind it is found by its key.
    for wanted in range(at + 1, _newest(connection, start, end) + 1):
        yield _row(connection, wanted) or wanted


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the content of the file is bad, rather than the way to it."""
    name: str = getattr(error, "sqlite_errorname", "SQLITE_CORRUPT")  # text that is not UTF-8 has no code
    return name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB"))


def _extent(number: int) -> tuple[int, int]:
    return start_of(number), start_of(number + 1)


def _name(connection: sqlite3.Connection, number: int) -> str | None:
    for query in NAME_QUERIES:
        try:
            row: tuple[str] | None = connection.execute(query, _extent(number)).fetchone()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            continue
        if row:
            return row[0]
    return None


def _newest(connection: sqlite3.Connection, start: int, end: int) -> int:
    for query in NEWEST_QUERIES:
        try:
            newest: int = connection.execute(query, (start, end)).fetchone()[0] or start
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
        else:
            if newest - start <= _capacity(connection) or end == LARGEST_AT:
                return newest
    return start


def _capacity(connection: sqlite3.Connection) -> int:
    """More events than the file can hold; a key beyond that was read from a damaged page."""
    size_bytes: int = connection.execute(FILE_SIZE).fetchone()[0]
    return size_bytes // SMALLEST_ROW_BYTES


def _scan(connection: sqlite3.Connection, start: int, end: int) -> Iterator[StoredRow]:
    try:
        yield from connection.execute(ROWS, (start, end))
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise


def _row(connection: sqlite3.Connection, at: int) -> StoredRow | None:
    try:
        row: StoredRow | None = connection.execute(ROWS, (at - 1, at + 1)).fetchone()
    except sqlite3.DatabaseError as error:
        if not is_damage(error):  # one that waits for a lock would be waited for again at each event
            raise
        return None
    return row if row and row[0] == at and _is_filled(row) else None


def _is_filled(row: Sequence[object]) -> bool:
    """Whether no column is NULL, as none can be in a page that is whole."""
    return None not in row
