"""`yeaft session`: list, show and change Sessions, and take them from one machine to another."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from yeaft.interfaces.cli.commands.compacting import COMPACTS
from yeaft.interfaces.cli.commands.consent import need_consent
from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option, run_group
from yeaft.interfaces.cli.commands.printing import put, put_json, put_table
from yeaft.interfaces.cli.commands.rewinding import REWINDS
from yeaft.interfaces.cli.commands.session_context import CONTEXTS
from yeaft.interfaces.cli.commands.session_health import HEALTH
from yeaft.interfaces.cli.commands.session_rows import called, cell, row_of
from yeaft.interfaces.cli.commands.session_show import SHOWS
from yeaft.interfaces.cli.commands.session_transfer import TRANSFERS, tell_new
from yeaft.interfaces.cli.options import Count
from yeaft.kernel.errors import NotFound, UsageError
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.events.codec import Event
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options
    from yeaft.store.directory import SessionPaths

NAME_CHARS = 200
LISTED = 20
"""So many Sessions are listed for people, unless they say otherwise."""


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft session ...` and return the exit code."""
    return run_group("session", ACTIONS, options, words)


def ls(desk: Desk, *, everywhere: bool, archived: bool, limit: int | None) -> int:
    """List the Sessions of this folder, newest first; programs and `--all` get them all unless `--limit` says less.

    What each has cost stands there if any has a known cost.
    """
    from yeaft.store.cost import NOTHING
    from yeaft.store.index import Index

    folder = None if everywhere else str(desk.folder)
    metas = Index(desk.home).rows(include_archived=archived, folder=folder)
    if limit is None and not (everywhere or desk.as_json):
        limit = LISTED
    count, metas = len(metas), metas[:limit]
    if desk.as_json:
        put_json([row_of(meta) for meta in metas])
        return EXIT_ANSWERED
    if not metas:
        desk.note("sessions.none" if everywhere else "sessions.none_here", folder=str(desk.folder))
        return EXIT_ANSWERED
    money = ["cost"] if any((meta.cost or NOTHING).usd for meta in metas) else []
    keys = ["id", "last_active", "messages", *money, "roster", *(["folder"] if everywhere else []), "name"]
    headings = [desk.text(f"heading.{key}") for key in keys]
    put_table(headings, [[cell(desk, meta, key) for key in keys] for meta in metas])
    if count > len(metas):
        desk.note("sessions.newest", limit=len(metas), count=count)
    return EXIT_ANSWERED


def path(desk: Desk, *, session: str) -> int:
    """Print the directory of a Session."""
    root = str(_place(desk, session).root)
    if desk.as_json:
        put_json({"path": root})
    else:
        put(root)
    return EXIT_ANSWERED


def rename(desk: Desk, *, session: str, name: str) -> int:
    """Give a Session another name."""
    from yeaft.events.session import SessionRenamed
    from yeaft.kernel.text import without_surrogates
    from yeaft.store.index import current_meta

    new = " ".join(without_surrogates(name).split())
    if not new or len(new) > NAME_CHARS:
        raise UsageError(f"A name has 1 to {NAME_CHARS} characters; this one has {len(new)}.")
    place = _place(desk, session)
    _change(desk, place, SessionRenamed(name=new))
    if desk.as_json:
        put_json(row_of(current_meta(place)))
    desk.note("sessions.renamed", session=place.session_id, name=new)
    return EXIT_ANSWERED


def archive(desk: Desk, *, sessions: Sequence[str]) -> int:
    """Take Sessions out of the usual lists."""
    return _tag(desk, sessions, archived=True)


def unarchive(desk: Desk, *, sessions: Sequence[str]) -> int:
    """Put Sessions back into the usual lists."""
    return _tag(desk, sessions, archived=False)


def fork(desk: Desk, *, session: str, name: str, at: str) -> int:
    """Copy a Session, as it is or as it was before the message `at`, and print the id of the copy."""
    from yeaft.session.offline import fork_offline
    from yeaft.workflows.graphs.runs.known_runs import PREFIX, short

    if at.startswith(PREFIX):
        raise NotFound(
            f"'{at}' is a run of a graph, and a Session is copied from a message or checkpoint on. To do a part of the "
            f"run again: yeaft graph fork {short(at)} --at STEP"
        )
    session_id, notices = asyncio.run(fork_offline(desk.home, _place(desk, session).session_id, name, at))
    for notice in notices:
        desk.note(notice.code, **notice.params)
    return tell_new(desk, session_id)


def rm(desk: Desk, *, sessions: Sequence[str], yes: bool) -> int:
    """Delete Sessions for good."""
    from yeaft.session.offline import delete_session
    from yeaft.store.index import current_meta

    places = _places(desk, sessions)
    shown = ", ".join(called(current_meta(place)) for place in places)
    need_consent(desk, "sessions.rm_question", yes=yes, sessions=shown)
    for place in places:
        delete_session(desk.home, place.session_id, take_over=desk.options.take_over)
    if desk.as_json:
        put_json([{"id": place.session_id, "deleted": True} for place in places])
    desk.note("sessions.deleted", sessions=shown)
    return EXIT_ANSWERED


def _tag(desk: Desk, sessions: Sequence[str], *, archived: bool) -> int:
    from yeaft.events.session import SessionTagged
    from yeaft.store.index import current_meta

    places = _places(desk, sessions)
    for place in places:
        _change(desk, place, SessionTagged(archived=archived, labels=current_meta(place).labels))
        desk.note("sessions.archived" if archived else "sessions.unarchived", session=place.session_id)
    if desk.as_json:
        put_json([row_of(current_meta(place)) for place in places])
    return EXIT_ANSWERED


def _change(desk: Desk, place: SessionPaths, event: Event) -> None:
    from yeaft.session.offline import append_offline

    tell = partial(desk.note_wait, place.session_id)
    asyncio.run(append_offline(desk.home, place.session_id, (event,), take_over=desk.options.take_over, tell=tell))


def _place(desk: Desk, session: str) -> SessionPaths:
    from yeaft.store.directory import find_session

    return find_session(desk.home, session, folder=str(desk.folder))


def _places(desk: Desk, sessions: Sequence[str]) -> list[SessionPaths]:
    """Return the Sessions that are meant, each once, before anything is done to any of them."""
    found = [_place(desk, session) for session in sessions]
    return list({place.session_id: place for place in found}.values())


SESSION = argument("SESSION")
SESSIONS = argument("SESSIONS", nargs=-1, required=True)
ACTIONS: Mapping[str, Action] = {
    "ls": Action(
        run=ls,
        params=(flag("--all", "everywhere"), flag("--archived"), option("--limit", type=Count(min=1))),
    ),
    **SHOWS,
    "path": Action(run=path, params=(SESSION,)),
    "rename": Action(run=rename, params=(SESSION, argument("NAME"))),
    "archive": Action(run=archive, params=(SESSIONS,)),
    "unarchive": Action(run=unarchive, params=(SESSIONS,)),
    "fork": Action(run=fork, params=(SESSION, option("--name", default=""), option("--at", default=""))),
    "rm": Action(run=rm, params=(SESSIONS, flag("-y", "--yes"))),
    **CONTEXTS,
    **COMPACTS,
    **REWINDS,
    **HEALTH,
    **TRANSFERS,
}
