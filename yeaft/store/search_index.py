"""What was ever said, in `search.db`: a cache of all journals and logs that may be deleted at any time.

A text is found by three letters in a row, or two ideographs; whoever asks checks each candidate against the words. The
list of Sessions (`index.db`) is another file, because it is small, and read by commands that search nothing.
"""

import contextlib
import sqlite3
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, Self

import msgspec
from msgspec import Struct

from yeaft.store.search_file import SEARCH_NAME, for_reading, for_writing
from yeaft.store.search_words import Query, letters_in, pairs_in
from yeaft.store.spoken import Spoken

COMMON = 20_000
"""With more candidates than this a word is so common that looking at the newest texts finds it sooner."""
ADD_SAID = "INSERT INTO said VALUES(?,?,?,?,?,?,?,?,?,?)"
CANDIDATES = """
SELECT said.number, said.ts, said.source, said.message_id, said.seq, said.speaker, said.within, said.turn_id, said.mode
FROM said {use} WHERE said.void=0 AND said.ts BETWEEN ? AND ? AND +said.source IN (SELECT value FROM json_each(?))
AND EXISTS(SELECT 1 FROM json_each(?) WHERE said.speaker GLOB value)
AND CASE WHEN said.speaker GLOB 'task:*' THEN 'tasks' WHEN said.speaker GLOB 'artifact:*' THEN 'artifacts'
    WHEN said.within='' THEN 'messages' ELSE 'agents' END IN (SELECT value FROM json_each(?))
"""
ANY_CANDIDATES = CANDIDATES.format(use="NOT INDEXED")
NEWEST_CANDIDATES = CANDIDATES.format(use="INDEXED BY said_ts")
NEWEST_FIRST = " ORDER BY said.ts DESC"
BY_GRAMS = " AND said.number IN (SELECT rowid FROM grams WHERE grams MATCH ?)"
BY_PAIRS = " AND said.number IN (SELECT rowid FROM pairs WHERE pairs MATCH ?)"
BY_BEGINNINGS = " AND said.number IN (SELECT doc FROM terms WHERE term>=? AND term<?)"
COUNT_GRAMS = "SELECT count(*) FROM (SELECT 1 FROM grams WHERE grams MATCH ? LIMIT ?)"
COUNT_PAIRS = "SELECT count(*) FROM (SELECT 1 FROM pairs WHERE pairs MATCH ? LIMIT ?)"
COUNT_BEGINNINGS = "SELECT count(*) FROM (SELECT 1 FROM terms WHERE term>=? AND term<? LIMIT ?)"
LATEST_MS = 1 << 62
Part = Literal["messages", "agents", "tasks", "artifacts"]
PARTS: tuple[Part, ...] = ("messages", "agents", "tasks", "artifacts")
SourceKey = tuple[str, str]
"""A Session, and the task whose log it is; empty for the Session's journal."""
Said = tuple[SourceKey, str, Sequence[Spoken]]
"""A journal or log, the state of it that this is from, and all that was said in it."""


class Narrow(Struct, frozen=True, kw_only=True):
    """Which of what was said counts: times in UTC milliseconds, both included; speakers as GLOB patterns of sources."""

    since_ms: int = 0
    until_ms: int = LATEST_MS
    speakers: tuple[str, ...] = ("*",)
    parts: tuple[Part, ...] = PARTS

    def admits(self, one: Spoken) -> bool:
        """Whether this counts; what SQLite is asked by `CANDIDATES` is the same."""
        part = _part(one)
        is_heard = any(fnmatchcase(one.source, pattern) for pattern in self.speakers)
        return not one.is_void and self.since_ms <= one.ts <= self.until_ms and part in self.parts and is_heard


def _part(one: Spoken) -> Part:
    if one.source.startswith("task:"):
        return "tasks"
    if one.source.startswith("artifact:"):
        return "artifacts"
    return "agents" if one.within else "messages"


class SearchIndex:
    """One connection to the cache. `sqlite3.Error` from any method means: do without it."""

    def __init__(self, connection: sqlite3.Connection, *, can_write: bool) -> None:
        self._connection = connection
        self.can_write = can_write

    @classmethod
    def open(cls, home: Path, *, to_write: bool) -> Self | None:
        """Open the cache, or make it where it may be written; None if there is none that can be used."""
        path = home / SEARCH_NAME
        if path.exists() and not path.is_file():
            return None
        if to_write:
            with contextlib.suppress(OSError, sqlite3.Error):
                return cls(for_writing(path), can_write=True)
        with contextlib.suppress(OSError, sqlite3.Error):
            return cls(for_reading(path), can_write=False)
        return None

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def stamps(self) -> dict[SourceKey, str]:
        """Which state of each journal and log the cache was made from."""
        found = self._connection.execute("SELECT session, part, stamp FROM source")
        return {(session, part): stamp for session, part, stamp in found}

    def put(self, made: Iterable[Said]) -> None:
        """Make what is kept of some journals and logs what was said in them now, in one transaction."""
        with self._transaction() as connection:
            for key, stamp, spoken in made:
                _put(connection, _source(connection, key, stamp), spoken)

    def forget(self, keys: Iterable[SourceKey]) -> None:
        """Drop all that is kept of these journals and logs."""
        with self._transaction() as connection:
            for key in keys:
                found = connection.execute("SELECT number FROM source WHERE session=? AND part=?", key).fetchone()
                if found is None:
                    continue
                said = connection.execute("SELECT number FROM said WHERE source=?", found)
                _remove(connection, [number for (number,) in said.fetchall()])
                connection.execute("DELETE FROM source WHERE number=?", found)

    def find(self, query: Query, keys: Sequence[SourceKey], narrow: Narrow) -> Iterator[tuple[SourceKey, Spoken]]:
        """What has all words of the query, newest first; read it to its end, or close the index after it."""
        sources = self._sources(keys)
        lists = (list(sources), narrow.speakers, narrow.parts)
        values = (narrow.since_ms, narrow.until_ms, *(msgspec.json.encode(one).decode() for one in lists))
        condition, asked = self._condition(query)
        candidates = (ANY_CANDIDATES if condition else NEWEST_CANDIDATES) + condition + NEWEST_FIRST
        found = self._connection.execute(candidates, (*values, *asked))
        for number, ts, source, message_id, seq, speaker, within, turn_id, mode in found:
            text = self._text(number, query)
            if text is None:
                continue
            yield (
                sources[source],
                Spoken(
                    message_id=message_id,
                    seq=seq,
                    ts=ts,
                    source=speaker,
                    text=text,
                    within=within,
                    turn_id=turn_id,
                    mode=mode,
                ),
            )

    def _text(self, number: int, query: Query) -> str | None:
        found = self._connection.execute("SELECT text FROM words WHERE number=?", (number,)).fetchone()
        return found[0] if found and query.matches(found[0]) else None

    def _sources(self, keys: Sequence[SourceKey]) -> Mapping[int, SourceKey]:
        wanted = frozenset(keys)
        found = self._connection.execute("SELECT number, session, part FROM source")
        return {number: (session, part) for number, session, part in found if (session, part) in wanted}

    def _condition(self, query: Query) -> tuple[str, list[str]]:
        """The rest of the question that gives the candidates, with its values; empty to look at all of them."""
        grams, pairs, beginnings = query.grams, query.pairs, query.beginnings
        condition, values = "", list[str]()
        if grams and self._count(COUNT_GRAMS, grams, COMMON + 1) <= COMMON:
            condition, values = BY_GRAMS, [grams]
        if pairs and self._count(COUNT_PAIRS, pairs, COMMON + 1) <= COMMON:
            condition, values = condition + BY_PAIRS, [*values, pairs]
        if beginnings and not grams and not pairs and self._count(COUNT_BEGINNINGS, *beginnings, COMMON + 1) <= COMMON:
            condition, values = BY_BEGINNINGS, [*beginnings]
        return condition, values

    def _count(self, question: str, *values: str | int) -> int:
        return int(self._connection.execute(question, values).fetchone()[0])

    @contextlib.contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield self._connection
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")


def _source(connection: sqlite3.Connection, key: SourceKey, stamp: str) -> int:
    """The number of a journal or log, with its new stamp."""
    put = "INSERT INTO source(session, part, stamp) VALUES(?,?,?) ON CONFLICT(session, part) DO UPDATE SET stamp=?"
    connection.execute(put, (*key, stamp, stamp))
    found = connection.execute("SELECT number FROM source WHERE session=? AND part=?", key)
    return int(found.fetchone()[0])


def _put(connection: sqlite3.Connection, source: int, spoken: Iterable[Spoken]) -> None:
    wanted = {one.message_id: one for one in spoken}
    known = "SELECT message_id, number, void FROM said WHERE source=?"
    stored = {message_id: (place, void) for message_id, place, void in connection.execute(known, (source,))}
    _remove(connection, [place for message_id, (place, _) in stored.items() if message_id not in wanted])
    changed = [
        (one.is_void, stored[one.message_id][0])
        for one in wanted.values()
        if one.message_id in stored and bool(stored[one.message_id][1]) != one.is_void
    ]
    connection.executemany("UPDATE said SET void=? WHERE number=?", changed)
    _add(connection, source, [one for one in wanted.values() if one.message_id not in stored])


def _remove(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    for number in numbers:
        (text,) = connection.execute("SELECT text FROM words WHERE number=?", (number,)).fetchone()
        drop = "INSERT INTO {table}({table}, rowid, text) VALUES('delete', ?, ?)"
        connection.execute(drop.format(table="grams"), (number, letters_in(text)))
        if pairs := pairs_in(text):
            connection.execute(drop.format(table="pairs"), (number, pairs))
        connection.execute("DELETE FROM words WHERE number=?", (number,))
        connection.execute("DELETE FROM said WHERE number=?", (number,))


def _add(connection: sqlite3.Connection, source: int, spoken: Sequence[Spoken]) -> None:
    first = connection.execute("SELECT coalesce(max(number), 0) + 1 FROM said").fetchone()[0]
    numbered = list(enumerate(spoken, first))
    connection.executemany(
        ADD_SAID,
        [
            (
                number,
                source,
                one.message_id,
                one.seq,
                one.ts,
                one.source,
                one.within,
                one.turn_id,
                one.mode,
                one.is_void,
            )
            for number, one in numbered
        ],
    )
    texts = [(number, one.text) for number, one in numbered]
    connection.executemany("INSERT INTO words VALUES(?,?)", texts)
    connection.executemany("INSERT INTO grams(rowid, text) VALUES(?,?)", [(n, letters_in(text)) for n, text in texts])
    pairs = [(n, found) for n, text in texts if (found := pairs_in(text))]
    connection.executemany("INSERT INTO pairs(rowid, text) VALUES(?,?)", pairs)
