"""Finds what was said in many Sessions: through the search cache where that is up to date, else in the journals."""

import contextlib
import heapq
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path

from msgspec import Struct

from yeaft.kernel.errors import StoreFailed
from yeaft.store.directory import SessionPaths, list_session_ids, session_paths
from yeaft.store.search_file import discard, is_unusable
from yeaft.store.search_index import Narrow, Said, SearchIndex, SourceKey
from yeaft.store.search_sources import Source, sources_of
from yeaft.store.search_words import Query
from yeaft.store.spoken import Spoken

PORTION = 20_000
"""So many texts are put into the cache at once; others who want to write must wait for it."""
Told = tuple[SourceKey, Spoken]
Clean = Callable[[str], str]
"""Takes out of the output of a command what a person would not have read."""
OnReading = Callable[[int, int], None]


class Hit(Struct, frozen=True, kw_only=True):
    """One thing that was said, in the Session it was found in and in its copies, the last used one first."""

    sessions: tuple[str, ...]
    spoken: Spoken


class Found(Struct, frozen=True, kw_only=True):
    """The newest hits, newest first; `is_all` says that there are no more.

    `read` counts the journals and logs that were looked through because the cache did not have them, `messages` and
    `size_bytes` what was in them. `unread` counts those that are damaged, or that there was no time for.
    """

    hits: tuple[Hit, ...]
    is_all: bool
    read: int = 0
    messages: int = 0
    size_bytes: int = 0
    unread: int = 0


def search(
    home: Path,
    session_ids: Sequence[str],
    query: Query,
    narrow: Narrow,
    limit: int,
    *,
    clean: Clean = str,
    go_on: Callable[[], bool] = lambda: True,
    update: bool = False,
    on_reading: OnReading = lambda _, __: None,
    more: Callable[[SessionPaths], Iterable[Source]] = lambda _: (),
) -> Found:
    """Find at most `limit` hits in the Sessions `session_ids`, of which the last used is the first.

    Only with `update` anything is written: then the cache is made, mended, and brought up to date, and `on_reading` is
    told before each how many journals and logs have been read for that, and of how many. Without, they are read if
    `go_on` says yes before each.
    `clean` is needed for what tasks printed. `more` gives what else there is to look through in a Session.
    """
    run = _Search(home, session_ids, query, narrow, limit=limit, clean=clean, go_on=go_on, more=more)
    index = SearchIndex.open(home, to_write=update) if session_ids else None
    if index is None:
        return run.through(None)
    with closing(index):
        try:
            if index.can_write:
                run.bring_up_to_date(index, on_reading)
            return run.through(index)
        except sqlite3.Error as error:
            is_damaged = index.can_write and is_unusable(error)
    if is_damaged:
        discard(home)
    return run.through(None)


class _Search:
    """One search, and what had to be read for it."""

    def __init__(
        self,
        home: Path,
        session_ids: Sequence[str],
        query: Query,
        narrow: Narrow,
        *,
        limit: int,
        clean: Clean,
        go_on: Callable[[], bool],
        more: Callable[[SessionPaths], Iterable[Source]],
    ) -> None:
        self._home = home
        self._rank = {session_id: rank for rank, session_id in enumerate(session_ids)}
        self._query = query
        self._narrow = narrow
        self._limit = limit
        self._go_on = go_on
        wants_tasks = "tasks" in narrow.parts
        places = [session_paths(home, key) for key in session_ids]
        found = (sources_of(paths, clean, with_tasks=wants_tasks) for paths in places)
        self._sources = {source.key: source for sources in (*found, *map(more, places)) for source in sources}
        self._read = self._messages = self._size_bytes = self._unread = 0

    def bring_up_to_date(self, index: SearchIndex, on_reading: OnReading) -> None:
        """Take what has changed into the cache, as long as no other process is in the way.

        Raises `sqlite3.Error` if the cache is damaged.
        """
        stale = self._stale(index)
        try:
            self._forget_deleted(index)
            for said in _portions(stale, on_reading):
                index.put(said)
        except sqlite3.Error as error:
            if is_unusable(error):
                raise

    def through(self, index: SearchIndex | None) -> Found:
        """Find through the cache, and in what it does not have. Raises `sqlite3.Error` if that is damaged."""
        self._read = self._messages = self._size_bytes = self._unread = 0
        unknown = self._stale(index)
        scanned = sorted((told for source in unknown for told in self._scan(source)), key=_newest_first)
        streams: list[Iterable[Told]] = [scanned]
        if index is not None:
            keys = self._sources.keys() - {source.key for source in unknown}
            streams.append(index.find(self._query, list(keys), self._narrow))
        hits: list[Hit] = []
        for hit in self._hits(heapq.merge(*streams, key=_newest_first)):
            if len(hits) == self._limit:
                return self._found(hits, is_all=False)
            hits.append(hit)
        return self._found(hits, is_all=True)

    def _stale(self, index: SearchIndex | None) -> list[Source]:
        """The journals and logs that have changed since the cache was made, or that it does not have."""
        known = index.stamps() if index else {}
        return [source for source in self._sources.values() if known.get(source.key) != source.stamp]

    def _forget_deleted(self, index: SearchIndex) -> None:
        known = index.stamps()
        gone = {session_id for session_id, _ in known}.difference(list_session_ids(self._home))
        if gone:
            index.forget([key for key in known if key[0] in gone])

    def _found(self, hits: Sequence[Hit], *, is_all: bool) -> Found:
        return Found(
            hits=tuple(hits),
            is_all=is_all,
            read=self._read,
            messages=self._messages,
            size_bytes=self._size_bytes,
            unread=self._unread,
        )

    def _scan(self, source: Source) -> list[Told]:
        if not self._go_on():
            self._unread += 1
            return []
        try:
            spoken = source.read()
        except StoreFailed:  # one that is damaged must not hide what is in the others
            self._unread += 1
            return []
        self._read += 1
        counted = [one for one in spoken if self._narrow.admits(one)]
        self._messages += len(counted)
        self._size_bytes += sum(len(one.text.encode()) for one in counted)
        return [(source.key, one) for one in counted if self._query.matches(one.text)]

    def _hits(self, told: Iterable[Told]) -> Iterator[Hit]:
        """What was found, each thing once: a copy has the time of the original."""
        for _, same_time in groupby(told, key=_newest_first):
            found: dict[str, list[Told]] = {}
            for one in same_time:
                found.setdefault(one[1].message_id, []).append(one)
            for copies in found.values():
                copies.sort(key=lambda one: self._rank[one[0][0]])
                sessions = tuple(dict.fromkeys(session_id for (session_id, _), _ in copies))
                yield Hit(sessions=sessions, spoken=copies[0][1])


def _portions(sources: Sequence[Source], on_reading: OnReading) -> Iterator[list[Said]]:
    """What was said in these, read in portions of a size that is worth a transaction and still keeps nobody waiting."""
    portion: list[Said] = []
    texts = 0
    for done, source in enumerate(sources):
        on_reading(done, len(sources))
        with contextlib.suppress(StoreFailed):  # looked at again next time: it may be mended by then
            spoken = source.read()
            portion.append((source.key, source.stamp, spoken))
            texts += len(spoken)
        if texts >= PORTION:
            yield portion
            portion, texts = [], 0
    if portion:
        yield portion


def _newest_first(told: Told) -> int:
    return -told[1].ts
