"""The tool with which a VP searches what was said, in this Session and in others of the same folder."""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from yeaft.events.codec import Recorded
from yeaft.kernel.errors import StoreFailed, ToolFailed
from yeaft.kernel.text import head_bytes
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import SessionPaths, list_session_ids, session_paths
from yeaft.store.index import current_meta
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.meta import SessionMeta
from yeaft.store.sqlite import SqliteJournal
from yeaft.tools.search.history_rows import Query, Spoken, rows
from yeaft.tools.tool import Running, Tool

DEFAULT_LIMIT, MOST_HITS = 10, 100
MOST_SESSIONS = 50
LIMIT_S = 20.0
OUTPUT_BYTES = 32 * 1024
LIMIT_KEYWORD_CHARS = 200
CLOSING_BYTES = 2048  # kept free for what is around the results
LEAST_CONTENT_BYTES = 200


class HistorySearch(Struct, frozen=True):
    """What the model says to search."""

    keyword: str
    limit: Annotated[int, Meta(description="1..100")] = DEFAULT_LIMIT


class Telemetry(Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """How much was looked through; `unread_sessions` were too many, too slow or cannot be read."""

    result_count: int
    scanned_sessions: int
    scanned_files: int
    scanned_messages: int
    scanned_bytes: int
    unread_sessions: int = 0


class Found(Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """The answer; `total_results` counts the hits, `omitted_results` those of them that are not in `results`."""

    keyword: str
    results: tuple[Spoken, ...]
    total_results: int
    truncated: bool = False
    omitted_results: int = 0
    telemetry: Telemetry


class _Search:
    """The hits so far, and the count of all that was looked at; a forked message is one, wherever it lies."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._seen: set[str] = set()
        self.hits: list[Spoken] = []
        self.sessions = self.messages = self.size_bytes = self.unread = 0

    def look_through(self, spoken: Iterable[Spoken]) -> None:
        self.sessions += 1
        for one in spoken:
            if one.message_id in self._seen:
                continue
            self._seen.add(one.message_id)
            self.messages += 1
            self.size_bytes += len(one.content.encode())
            if snippet := self._query.snippet(one.content):
                self.hits.append(replace(one, content=snippet))


def history_search(home: Path, session_id: str, folder: str) -> Tool[HistorySearch]:
    """Let the model search the Session `session_id` and the others under `home` that work in `folder`.

    It only reads, also where the list of Sessions has no index yet. One Session is read at a time, in a thread.
    """

    async def run(args: HistorySearch, running: Running) -> str:
        if not args.keyword.strip():
            raise ToolFailed("The keyword is empty.")
        if len(args.keyword) > LIMIT_KEYWORD_CHARS:
            raise ToolFailed(
                f"The keyword is longer than {LIMIT_KEYWORD_CHARS} characters; give the words that matter."
            )
        loop = asyncio.get_running_loop()
        deadline = loop.time() + LIMIT_S
        search = _Search(Query(args.keyword))
        await asyncio.to_thread(_look_into, search, session_paths(home, session_id), running.call_id)
        others = await asyncio.to_thread(_others, home, session_id, folder)
        for count, paths in enumerate(others):
            if count == MOST_SESSIONS or loop.time() > deadline:
                search.unread += len(others) - count
                break
            await asyncio.to_thread(_look_into, search, paths)
        return _answer(args, search)

    return Tool(name="HistorySearch", args=HistorySearch, run=run, guard="read")


def _others(home: Path, session_id: str, folder: str) -> list[SessionPaths]:
    """Return the other Sessions of the folder, last used first, without the archived ones."""
    metas = (current_meta(session_paths(home, key)) for key in list_session_ids(home) if key != session_id)
    fitting: list[SessionMeta] = [meta for meta in metas if meta.folder == folder and not meta.archived]
    fitting.sort(key=lambda meta: meta.last_active_ms, reverse=True)
    return [session_paths(home, meta.session_id) for meta in fitting]


def _look_into(search: _Search, paths: SessionPaths, asking_call: str = "") -> None:
    try:
        search.look_through(rows(_recorded(paths), paths.session_id, asking_call))
    except StoreFailed:  # one that is damaged must not hide what is in the others
        search.unread += 1


def _recorded(paths: SessionPaths) -> Sequence[Recorded]:
    return SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs)).read(SESSION_STREAM)


def _answer(args: HistorySearch, search: _Search) -> str:
    newest = sorted(search.hits, key=lambda hit: hit.time)[::-1]
    wanted = newest[: min(max(args.limit, 1), MOST_HITS)]
    fitting = _fitting(wanted, OUTPUT_BYTES - CLOSING_BYTES)
    found = Found(
        keyword=args.keyword,
        results=fitting,
        total_results=len(newest),
        truncated=fitting != tuple(wanted),
        omitted_results=len(newest) - len(fitting),
        telemetry=Telemetry(
            result_count=len(fitting),
            scanned_sessions=search.sessions,
            scanned_files=search.sessions,
            scanned_messages=search.messages,
            scanned_bytes=search.size_bytes,
            unread_sessions=search.unread,
        ),
    )
    return msgspec.json.encode(found).decode()


def _fitting(hits: Sequence[Spoken], budget_bytes: int) -> tuple[Spoken, ...]:
    """Return the first hits whose JSON fits, the last of them shortened if that saves it."""
    fitting: list[Spoken] = []
    for hit in hits:
        size = len(msgspec.json.encode(hit)) + 1
        if size <= budget_bytes:
            fitting.append(hit)
            budget_bytes -= size
            continue
        shortened = _shortened(hit, size - budget_bytes)
        return (*fitting, shortened) if shortened else tuple(fitting)
    return tuple(fitting)


def _shortened(hit: Spoken, excess_bytes: int) -> Spoken | None:
    """Return the hit with less content, or None if too little would be left; JSON is never shorter than its text."""
    room = len(hit.content.encode()) - excess_bytes - len("…".encode())
    return replace(hit, content=head_bytes(hit.content, room) + "…") if room >= LEAST_CONTENT_BYTES else None
