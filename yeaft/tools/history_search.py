"""The tool with which a VP searches what was said, in this Session and in others of the same folder."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from yeaft.kernel.errors import StoreFailed, ToolFailed
from yeaft.kernel.text import head_bytes
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import SessionPaths, list_session_ids, session_paths
from yeaft.store.index import current_meta
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.spoken import Conversation, Spoken
from yeaft.store.sqlite import SqliteJournal
from yeaft.tools.tool import Running, Tool

if TYPE_CHECKING:
    from yeaft.store.search import Found
    from yeaft.store.search_index import Narrow
    from yeaft.store.search_words import Query

DEFAULT_LIMIT, MOST_HITS = 10, 100
MOST_SESSIONS, MOST_FOUND = 50, 1000
LIMIT_S = 20.0
OUTPUT_BYTES = 32 * 1024
LIMIT_KEYWORD_CHARS = 200
CLOSING_BYTES = 2048  # kept free for what is around the results
LEAST_CONTENT_BYTES = 200


class HistorySearch(Struct, frozen=True):
    """What the model says to search."""

    keyword: str
    limit: Annotated[int, Meta(description="1..100")] = DEFAULT_LIMIT


class Result(Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """One thing that was said. `source` is `user` or `vp:<id>`, `time` ISO 8601 in UTC, `mode` that of the turn."""

    message_id: str
    session_id: str
    role: str
    source: str
    time: str
    content: str
    mode: str = ""
    turn_id: str = ""


class Telemetry(Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """How much was looked through; `unread_sessions` were too many, too slow or cannot be read."""

    result_count: int
    scanned_sessions: int
    scanned_files: int
    scanned_messages: int
    scanned_bytes: int
    unread_sessions: int = 0


class Answer(Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """The answer; `total_results` counts the hits, `omitted_results` those of them that are not in `results`."""

    keyword: str
    results: tuple[Result, ...]
    total_results: int
    truncated: bool = False
    omitted_results: int = 0
    telemetry: Telemetry


class _Own(Struct, frozen=True, kw_only=True):
    """What was found in the Session that asks; a forked message counts there, wherever else it lies."""

    hits: tuple[Spoken, ...]
    said: frozenset[str]
    messages: int
    size_bytes: int


def history_search(home: Path, session_id: str, folder: str) -> Tool[HistorySearch]:
    """Let the model search the Session `session_id` and the others under `home` that work in `folder`.

    It only reads: the search cache where that is up to date, else the journals, newest first, for a limited time.
    """

    async def run(args: HistorySearch, running: Running) -> str:
        if not args.keyword.strip():
            raise ToolFailed("The keyword is empty.")
        if len(args.keyword) > LIMIT_KEYWORD_CHARS:
            raise ToolFailed(
                f"The keyword is longer than {LIMIT_KEYWORD_CHARS} characters; give the words that matter."
            )
        from yeaft.store.search import search  # 5 ms, and most Sessions never search
        from yeaft.store.search_index import Narrow
        from yeaft.store.search_words import Query

        query, narrow = Query(args.keyword), Narrow(parts=("messages",))
        own = await asyncio.to_thread(_in_own, session_paths(home, session_id), query, narrow, running.call_id)
        others = await asyncio.to_thread(_others, home, session_id, folder)
        found = await asyncio.to_thread(search, home, others, query, narrow, MOST_FOUND, go_on=_patience())
        return _answer(args, query, own, found, session_id)

    return Tool(name="HistorySearch", args=HistorySearch, run=run, guard="read")


def _others(home: Path, session_id: str, folder: str) -> list[str]:
    """Return the other Sessions of the folder, last used first, without the archived ones."""
    metas = (current_meta(session_paths(home, key)) for key in list_session_ids(home) if key != session_id)
    fitting = [meta for meta in metas if meta.folder == folder and not meta.archived]
    fitting.sort(key=lambda meta: meta.last_active_ms, reverse=True)
    return [meta.session_id for meta in fitting]


def _patience() -> Callable[[], bool]:
    """Return what says whether one more journal may be read."""
    deadline_s = time.monotonic() + LIMIT_S
    left = iter(range(MOST_SESSIONS))
    return lambda: next(left, None) is not None and time.monotonic() < deadline_s


def _in_own(paths: SessionPaths, query: Query, narrow: Narrow, asking_call: str) -> _Own | None:
    """Look through the Session that asks; None if it cannot be read.

    What belongs to the message that `asking_call` is part of the answer to is left out: whoever asks has it before
    them, and every search would find its own question.
    """
    try:
        records = SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs)).read(SESSION_STREAM)
    except StoreFailed:  # one that is damaged must not hide what is in the others
        return None
    conversation = Conversation(records)
    asking_root = conversation.root_of_call(asking_call)
    said = [one for one in conversation.said() if narrow.admits(one)]
    asked = [one for one in said if not asking_root or one.root_id != asking_root]
    return _Own(
        hits=tuple(one for one in asked if query.matches(one.text)),
        said=frozenset(one.message_id for one in said),
        messages=len(asked),
        size_bytes=sum(len(one.text.encode()) for one in asked),
    )


def _answer(args: HistorySearch, query: Query, own: _Own | None, found: Found, session_id: str) -> str:
    said = own.said if own else frozenset[str]()
    elsewhere = ((hit.spoken, hit.sessions[0]) for hit in found.hits if hit.spoken.message_id not in said)
    hits = [*((spoken, session_id) for spoken in (own.hits if own else ())), *elsewhere]
    newest = sorted(hits, key=lambda hit: (hit[0].ts, hit[0].seq), reverse=True)
    wanted = [_told(*hit, query) for hit in newest[: min(max(args.limit, 1), MOST_HITS)]]
    fitting = _fitting(wanted, OUTPUT_BYTES - CLOSING_BYTES)
    own_read = 1 if own else 0
    answer = Answer(
        keyword=args.keyword,
        results=fitting,
        total_results=len(newest),
        truncated=fitting != tuple(wanted) or not found.is_all,
        omitted_results=len(newest) - len(fitting),
        telemetry=Telemetry(
            result_count=len(fitting),
            scanned_sessions=own_read + found.read,
            scanned_files=own_read + found.read,
            scanned_messages=(own.messages if own else 0) + found.messages,
            scanned_bytes=(own.size_bytes if own else 0) + found.size_bytes,
            unread_sessions=found.unread + 1 - own_read,
        ),
    )
    return msgspec.json.encode(answer).decode()


def _told(spoken: Spoken, session_id: str, query: Query) -> Result:
    return Result(
        message_id=spoken.message_id,
        session_id=session_id,
        role="user" if spoken.source == "user" else "assistant",
        source=spoken.source,
        time=datetime.fromtimestamp(spoken.ts / 1000, UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        content=query.snippet(spoken.text) or "",
        mode=spoken.mode,
        turn_id=spoken.turn_id,
    )


def _fitting(hits: Sequence[Result], budget_bytes: int) -> tuple[Result, ...]:
    """Return the first hits whose JSON fits, the last of them shortened if that saves it."""
    fitting: list[Result] = []
    for hit in hits:
        size = len(msgspec.json.encode(hit)) + 1
        if size <= budget_bytes:
            fitting.append(hit)
            budget_bytes -= size
            continue
        shortened = _shortened(hit, size - budget_bytes)
        return (*fitting, shortened) if shortened else tuple(fitting)
    return tuple(fitting)


def _shortened(hit: Result, excess_bytes: int) -> Result | None:
    """Return the hit with less content, or None if too little would be left; JSON is never shorter than its text."""
    room = len(hit.content.encode()) - excess_bytes - len("…".encode())
    return replace(hit, content=head_bytes(hit.content, room) + "…") if room >= LEAST_CONTENT_BYTES else None
