"""`yeaft search`: find what was said in any Session, what its tasks printed, and what it keeps as artifacts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import click
from msgspec import Struct, field

from yeaft.interfaces.cli.commands.moments import Moment
from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option, run_action
from yeaft.interfaces.cli.commands.printing import iso_time, local_time, put, put_json, put_raw
from yeaft.interfaces.cli.emphasis import bold
from yeaft.interfaces.cli.options import Count
from yeaft.interfaces.cli.progress_line import ProgressLine
from yeaft.interfaces.cli.terminal_text import unmasked
from yeaft.kernel.errors import UsageError
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options
    from yeaft.store.directory import SessionPaths
    from yeaft.store.meta import SessionMeta
    from yeaft.store.search import Found, Hit
    from yeaft.store.search_index import Narrow
    from yeaft.store.search_sources import Source
    from yeaft.store.search_words import Query

USUAL_LIMIT = 20
SHOWN_CHARS, TOLD_CHARS = 240, 1000
MANY = 20
"""From so many journals and logs on that have to be read first, whoever waits is told, in a file or pipe."""
STDOUT, STDERR = 1, 2


class HitRow(Struct, frozen=True, kw_only=True):
    """One hit. `sessions` are all that have it, the last used first; `marks` are [start, end) in `snippet`.

    `from` is `user`, `vp:<id>`, `agent:<name>`, `task:<id>` or `artifact:<id>`; `id` that of the message, reply,
    piece of a log, or entry of an artifact, whose path is `within`.
    """

    session: str
    sessions: tuple[str, ...]
    name: str
    title: str
    folder: str
    archived: bool
    at: str
    sender: str = field(name="from")
    within: str
    id: str
    turn: str
    snippet: str
    marks: tuple[tuple[int, int], ...]


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft search ...` and return the exit code."""
    return run_action("search", ACTION, options, words)


def find(
    desk: Desk,
    *,
    text: Sequence[str],
    vps: tuple[str, ...],
    by: Literal["user", "vp"] | None,
    since_ms: int | None,
    until_ms: int | None,
    here: bool,
    where: Literal["messages", "agents", "tasks", "artifacts", "all"],
    limit: int,
    archived: bool,
) -> int:
    """Print what has all words of the text, newest first."""
    from yeaft.store.index import Index
    from yeaft.store.search_index import LATEST_MS, PARTS, Narrow
    from yeaft.store.search_words import Query

    keyword = " ".join(text)
    if not keyword.strip():
        raise UsageError("yeaft search needs a text that is not empty.")
    in_folder = str(desk.folder) if here or desk.options.folder else None
    metas = Index(desk.home).rows(include_archived=archived, folder=in_folder)
    narrow = Narrow(
        since_ms=since_ms or 0,
        until_ms=LATEST_MS if until_ms is None else until_ms,
        speakers=_speakers(by, vps),
        parts=PARTS if where == "all" else (where,),
    )
    query = Query(keyword)
    found = _found(desk, metas, query, narrow, limit)
    by_id = {meta.session_id: meta for meta in metas}
    if desk.as_json:
        put_json([_row(hit, by_id, query) for hit in found.hits])
    else:
        _put_hits(found.hits, by_id, query)
    _tell(desk, found, keyword, in_folder)
    return EXIT_ANSWERED


def _found(desk: Desk, metas: Sequence[SessionMeta], query: Query, narrow: Narrow, limit: int) -> Found:
    from yeaft.artifacts.searching import artifact_sources
    from yeaft.store.search import search
    from yeaft.tools.shell.captured import cleaned

    is_watched = os.isatty(STDERR) and not desk.options.quiet

    def tell(done: int, count: int) -> None:
        if is_watched:
            line.show(desk.text("search.progress", done=done, count=count))
        elif not done and count >= MANY:
            desk.note("search.reading", count=count)

    ids = [meta.session_id for meta in metas]
    more = artifact_sources if "artifacts" in narrow.parts else _nothing
    with ProgressLine() as line:
        return search(desk.home, ids, query, narrow, limit, clean=cleaned, update=True, on_reading=tell, more=more)


def _nothing(_paths: SessionPaths) -> tuple[Source, ...]:
    return ()


def _speakers(by: Literal["user", "vp"] | None, vps: Sequence[str]) -> tuple[str, ...]:
    """Return patterns of the sources that are meant."""
    if by == "user" and vps:
        raise UsageError("--by user and --vp exclude each other: a VP is no user.")
    if vps:
        return tuple(f"vp:{_literal(vp.removeprefix('@'))}" for vp in vps)
    return {"user": ("user",), "vp": ("vp:*",), None: ("*",)}[by]


def _literal(word: str) -> str:
    """Return a pattern that only the word itself fits."""
    return re.sub(r"([*?\[])", r"[\1]", word)


def _row(hit: Hit, metas: dict[str, SessionMeta], query: Query) -> HitRow:
    meta, spoken = metas[hit.sessions[0]], hit.spoken
    snippet = query.snippet(spoken.text, TOLD_CHARS) or ""
    return HitRow(
        session=meta.session_id,
        sessions=hit.sessions,
        name=meta.name,
        title=meta.title or "",
        folder=meta.folder,
        archived=meta.archived,
        at=iso_time(spoken.ts),
        sender=spoken.source,
        within=spoken.within,
        id=spoken.message_id,
        turn=spoken.turn_id,
        snippet=snippet,
        marks=tuple(query.spans(snippet)),
    )


def _put_hits(hits: Sequence[Hit], metas: dict[str, SessionMeta], query: Query) -> None:
    for hit in hits:
        meta, spoken = metas[hit.sessions[0]], hit.spoken
        called = " ".join((meta.name or meta.title or "").split())
        copies = f" (+{len(hit.sessions) - 1})" if len(hit.sessions) > 1 else ""
        parts = (f"{meta.session_id}{copies}", local_time(spoken.ts), _speaker(spoken.source), called)
        put("  ".join(part for part in parts if part))
        snippet = " ".join((query.snippet(spoken.text, SHOWN_CHARS) or "").split())
        put_raw("    " + "".join(_marked(snippet, query)) + "\n")


def _marked(snippet: str, query: Query) -> Iterator[str]:
    """Yield the pieces of a snippet, its hits bold where that is wanted, with nothing that deceives the eye."""
    is_terminal = os.isatty(STDOUT)
    end = 0
    for start, stop in query.spans(snippet):
        between, hit = snippet[end:start], snippet[start:stop]
        yield unmasked(between) if is_terminal else between
        yield bold(unmasked(hit) if is_terminal else hit)
        end = stop
    yield unmasked(snippet[end:]) if is_terminal else snippet[end:]


def _speaker(source: str) -> str:
    kind, _, name = source.partition(":")
    return f"@{name}" if kind == "vp" else source


def _tell(desk: Desk, found: Found, keyword: str, folder: str | None) -> None:
    if not found.hits:
        desk.note("search.none_here" if folder else "search.none", text=keyword, folder=folder or "")
    elif not found.is_all:
        desk.note("search.more", limit=len(found.hits))
    if found.unread:
        desk.note("search.unread", count=found.unread)


ACTION = Action(
    run=find,
    params=(
        argument("TEXT", nargs=-1, required=True),
        option("--vp", "vps", multiple=True),
        option("--by", type=click.Choice(["user", "vp"])),
        option("--since", "since_ms", type=Moment()),
        option("--until", "until_ms", type=Moment(is_end=True)),
        flag("--here"),
        option("--in", "where", type=click.Choice(["messages", "agents", "tasks", "artifacts", "all"]), default="all"),
        option("--limit", type=Count(min=1), default=USUAL_LIMIT),
        flag("--archived"),
    ),
)
