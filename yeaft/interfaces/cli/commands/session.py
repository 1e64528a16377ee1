"""`yeaft session`: list, show and change Sessions, and take them from one machine to another."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from yeaft.interfaces.cli.commands.consent import need_consent
from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option, run_group
from yeaft.interfaces.cli.commands.printing import iso_time, local_time, put, put_json, put_raw, put_table
from yeaft.interfaces.cli.commands.session_transfer import TRANSFERS, tell_new
from yeaft.interfaces.cli.commands.transcript import MessageTold
from yeaft.interfaces.cli.counted import counted
from yeaft.interfaces.cli.emphasis import bold
from yeaft.interfaces.cli.options import Count
from yeaft.interfaces.cli.terminal_text import unmasked
from yeaft.kernel.errors import UsageError
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.events.codec import Event
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options
    from yeaft.store.meta import SessionMeta

NAME_CHARS = 200
LISTED = 20
"""So many Sessions are listed for people, unless they say otherwise."""


class SessionRow(Struct, frozen=True, kw_only=True):
    """What a list says of a Session; times are ISO 8601. `name` is what the user called it, `title` how it begins."""

    id: str
    name: str
    title: str
    roster: tuple[str, ...]
    default_vp: str
    messages: int
    created: str
    last_active: str
    folder: str
    archived: bool
    labels: tuple[str, ...]


class SessionShown(SessionRow, frozen=True, kw_only=True):
    """A Session with all that was said in it."""

    transcript: tuple[MessageTold, ...]


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft session ...` and return the exit code."""
    return run_group("session", ACTIONS, options, words)


def ls(desk: Desk, *, everywhere: bool, archived: bool, limit: int | None) -> int:
    """List the Sessions of this folder, newest first; programs and `--all` get them all unless `--limit` says less."""
    from yeaft.store.index import Index

    folder = None if everywhere else str(desk.folder)
    metas = Index(desk.home).rows(include_archived=archived, folder=folder)
    if limit is None and not (everywhere or desk.as_json):
        limit = LISTED
    count, metas = len(metas), metas[:limit]
    if desk.as_json:
        put_json([_row(meta) for meta in metas])
        return EXIT_ANSWERED
    if not metas:
        desk.note("sessions.none" if everywhere else "sessions.none_here", folder=str(desk.folder))
        return EXIT_ANSWERED
    keys = ["id", "last_active", "messages", "roster", *(["folder"] if everywhere else []), "name"]
    headings = [desk.text(f"heading.{key}") for key in keys]
    put_table(headings, [[_cell(desk, meta, key) for key in keys] for meta in metas])
    if count > len(metas):
        desk.note("sessions.newest", limit=len(metas), count=count)
    return EXIT_ANSWERED


def show(desk: Desk, *, session: str, limit: int | None) -> int:
    """Show a Session's roster, messages and outcomes."""
    from yeaft.interfaces.cli.commands.transcript import transcript
    from yeaft.session.offline import read_session
    from yeaft.store.meta import fold_meta, new_meta

    reading = read_session(desk.home, session)
    if reading.damaged:
        desk.note("sessions.damaged", count=reading.damaged, path=str(reading.paths.db))
    meta, messages = fold_meta(new_meta(reading.paths.session_id), reading.records), transcript(reading)
    shown = messages if limit is None else messages[len(messages) - limit :] if limit else ()
    if desk.as_json:
        put_json(SessionShown(**msgspec.structs.asdict(_row(meta)), transcript=shown))
        return EXIT_ANSWERED
    for key in ("id", "name", "folder", "roster", "messages", "last_active"):
        put(f"{desk.text(f'heading.{key}')}: {_cell(desk, meta, key)}")
    if len(shown) < len(messages):
        put("\n" + desk.text("sessions.earlier", count=len(messages) - len(shown)))
    for message in shown:
        put("")
        _put_message(desk, message)
    return EXIT_ANSWERED


def path(desk: Desk, *, session: str) -> int:
    """Print the directory of a Session."""
    from yeaft.store.directory import find_session

    root = str(find_session(desk.home, session).root)
    if desk.as_json:
        put_json({"path": root})
    else:
        put(root)
    return EXIT_ANSWERED


def rename(desk: Desk, *, session: str, name: str) -> int:
    """Give a Session another name."""
    from yeaft.events.session import SessionRenamed
    from yeaft.kernel.text import without_surrogates

    new = " ".join(without_surrogates(name).split())
    if not new or len(new) > NAME_CHARS:
        raise UsageError(f"A name has 1 to {NAME_CHARS} characters; this one has {len(new)}.")
    return _change(desk, session, SessionRenamed(name=new), "sessions.renamed", name=new)


def archive(desk: Desk, *, session: str) -> int:
    """Take a Session out of the usual lists."""
    return _tag(desk, session, archived=True)


def unarchive(desk: Desk, *, session: str) -> int:
    """Put a Session back into the usual lists."""
    return _tag(desk, session, archived=False)


def fork(desk: Desk, *, session: str, name: str) -> int:
    """Copy a Session and print the id of the copy."""
    from yeaft.session.offline import fork_offline

    session_id, notices = asyncio.run(fork_offline(desk.home, session, name))
    for notice in notices:
        desk.note(notice.code, **notice.params)
    return tell_new(desk, session_id)


def rm(desk: Desk, *, sessions: Sequence[str], yes: bool) -> int:
    """Delete Sessions for good."""
    from yeaft.session.offline import delete_session
    from yeaft.store.directory import find_session
    from yeaft.store.index import current_meta

    paths = [find_session(desk.home, session) for session in sessions]
    shown = ", ".join(_called(current_meta(one)) for one in paths)
    need_consent(desk, "sessions.rm_question", yes=yes, sessions=shown)
    for one in paths:
        delete_session(desk.home, one.session_id, take_over=desk.options.take_over)
    if desk.as_json:
        put_json([{"id": one.session_id, "deleted": True} for one in paths])
    desk.note("sessions.deleted", sessions=shown)
    return EXIT_ANSWERED


def _tag(desk: Desk, session: str, *, archived: bool) -> int:
    from yeaft.events.session import SessionTagged
    from yeaft.store.directory import find_session
    from yeaft.store.index import current_meta

    labels = current_meta(find_session(desk.home, session)).labels
    code = "sessions.archived" if archived else "sessions.unarchived"
    return _change(desk, session, SessionTagged(archived=archived, labels=labels), code)


def _change(desk: Desk, session: str, event: Event, code: str, **params: str) -> int:
    from yeaft.session.offline import append_offline
    from yeaft.store.directory import find_session
    from yeaft.store.index import current_meta

    paths = find_session(desk.home, session)
    asyncio.run(append_offline(desk.home, paths.session_id, (event,), take_over=desk.options.take_over))
    if desk.as_json:
        put_json(_row(current_meta(paths)))
    desk.note(code, session=paths.session_id, **params)
    return EXIT_ANSWERED


def _called(meta: SessionMeta) -> str:
    called = meta.name or meta.title
    return f"{meta.session_id} ({called})" if called else meta.session_id


def _row(meta: SessionMeta) -> SessionRow:
    return SessionRow(
        id=meta.session_id,
        name=meta.name,
        title=meta.title or "",
        roster=meta.roster,
        default_vp=meta.default_vp,
        messages=meta.messages,
        created=iso_time(meta.created_ms),
        last_active=iso_time(meta.last_active_ms),
        folder=meta.folder,
        archived=meta.archived,
        labels=meta.labels,
    )


def _cell(desk: Desk, meta: SessionMeta, key: str) -> str:
    match key:
        case "id":
            return meta.session_id
        case "last_active":
            return local_time(meta.last_active_ms)
        case "messages":
            return str(meta.messages)
        case "roster":
            return " ".join(f"@{vp_id}" for vp_id in meta.roster)
        case "folder":
            return meta.folder
        case _:
            called = meta.name or meta.title or "-"
            return f"{called} {desk.text('sessions.archived_mark')}" if meta.archived else called


def _put_message(desk: Desk, message: MessageTold) -> None:
    from yeaft.interfaces.cli.commands.transcript import speaker

    sender = desk.text("speaker.user") if message.sender == "user" else speaker(message)
    whom = f"── {sender} → {' '.join(f'@{vp_id}' for vp_id in message.to)}"
    put_raw(f"{bold(unmasked(whom))}  {local_time(message.at_ms)}\n")
    put(message.text.strip())
    for turn in message.turns:
        rounds, calls = counted(desk.ui, "rounds", turn.rounds), counted(desk.ui, "calls", len(turn.calls))
        facts = desk.text("sessions.turn", outcome=turn.outcome, rounds=rounds, calls=calls)
        put_raw(f"{bold(f'── @{turn.vp}')}  {facts}\n")
        for text in (turn.text, turn.error):
            if text:
                put(text)


SESSION = argument("SESSION")
ACTIONS: Mapping[str, Action] = {
    "ls": Action(
        run=ls,
        params=(flag("--all", "everywhere"), flag("--archived"), option("--limit", type=Count(min=1))),
    ),
    "show": Action(run=show, params=(SESSION, option("--limit", type=Count(min=0)))),
    "path": Action(run=path, params=(SESSION,)),
    "rename": Action(run=rename, params=(SESSION, argument("NAME"))),
    "archive": Action(run=archive, params=(SESSION,)),
    "unarchive": Action(run=unarchive, params=(SESSION,)),
    "fork": Action(run=fork, params=(SESSION, option("--name", default=""))),
    "rm": Action(run=rm, params=(argument("SESSIONS", nargs=-1, required=True), flag("-y", "--yes"))),
    **TRANSFERS,
}
