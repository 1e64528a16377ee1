"""`yeaft session`: list, show and change Sessions, and take them from one machine to another."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click
import msgspec
from msgspec import Struct

from yeaft.interfaces.cli.commands.consent import need_consent
from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option, run_group
from yeaft.interfaces.cli.commands.printing import iso_time, local_time, put, put_json, put_table
from yeaft.interfaces.cli.commands.session_transfer import TRANSFERS
from yeaft.interfaces.cli.commands.transcript import MessageTold
from yeaft.kernel.errors import UsageError
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.events.codec import Event
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options
    from yeaft.store.meta import SessionMeta

NAME_CHARS = 200


class SessionRow(Struct, frozen=True, kw_only=True):
    """What a list says of a Session; times are ISO 8601."""

    id: str
    name: str
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


def ls(desk: Desk, *, everywhere: bool, archived: bool) -> int:
    """List the Sessions of this folder, newest first."""
    from yeaft.store.index import Index

    folder = None if everywhere else str(desk.folder)
    metas = Index(desk.home).rows(include_archived=archived, folder=folder)
    if desk.as_json:
        put_json([_row(meta) for meta in metas])
        return EXIT_ANSWERED
    if not metas:
        desk.note("sessions.none" if everywhere else "sessions.none_here", folder=str(desk.folder))
        return EXIT_ANSWERED
    keys = ["id", "last_active", "messages", "roster", *(["folder"] if everywhere else []), "name"]
    headings = [desk.text(f"heading.{key}") for key in keys]
    put_table(headings, [[_cell(desk, meta, key) for key in keys] for meta in metas])
    return EXIT_ANSWERED


def show(desk: Desk, *, session: str, limit: int | None) -> int:
    """Show a Session's roster, messages and outcomes."""
    from yeaft.interfaces.cli.commands.transcript import transcript
    from yeaft.session.offline import read_session
    from yeaft.session.opening import meta_of

    reading = read_session(desk.home, session)
    if reading.damaged:
        desk.note("sessions.damaged", count=reading.damaged, path=str(reading.paths.db))
    meta, messages = meta_of(reading.state), transcript(reading)
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

    session_id = asyncio.run(fork_offline(desk.home, session, name))
    if desk.as_json:
        put_json({"id": session_id})
    else:
        put(session_id)
    desk.note("sessions.go_on", session=session_id)
    return EXIT_ANSWERED


def rm(desk: Desk, *, sessions: Sequence[str], yes: bool) -> int:
    """Delete Sessions for good."""
    from yeaft.session.offline import delete_session
    from yeaft.store.directory import find_session
    from yeaft.store.index import current_meta

    paths = [find_session(desk.home, session) for session in sessions]
    shown = ", ".join(f"{one.session_id} ({current_meta(one).name})" for one in paths)
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


def _row(meta: SessionMeta) -> SessionRow:
    return SessionRow(
        id=meta.session_id,
        name=meta.name,
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
            return f"{meta.name} {desk.text('sessions.archived_mark')}" if meta.archived else meta.name


def _put_message(desk: Desk, message: MessageTold) -> None:
    from yeaft.interfaces.cli.commands.transcript import speaker

    sender = desk.text("speaker.user") if message.sender == "user" else speaker(message)
    put(f"── {sender} → {' '.join(f'@{vp_id}' for vp_id in message.to)}  {local_time(message.at_ms)}")
    put(message.text.strip())
    for turn in message.turns:
        facts = desk.text("sessions.turn", outcome=turn.outcome, rounds=turn.rounds, calls=len(turn.calls))
        put(f"── @{turn.vp}  {facts}")
        for text in (turn.text, turn.error):
            if text:
                put(text)


SESSION = argument("SESSION")
ACTIONS: Mapping[str, Action] = {
    "ls": Action(run=ls, params=(flag("--all", "everywhere"), flag("--archived"))),
    "show": Action(run=show, params=(SESSION, option("--limit", type=click.IntRange(min=0)))),
    "path": Action(run=path, params=(SESSION,)),
    "rename": Action(run=rename, params=(SESSION, argument("NAME"))),
    "archive": Action(run=archive, params=(SESSION,)),
    "unarchive": Action(run=unarchive, params=(SESSION,)),
    "fork": Action(run=fork, params=(SESSION, option("--name", default=""))),
    "rm": Action(run=rm, params=(argument("SESSIONS", nargs=-1, required=True), flag("-y", "--yes"))),
    **TRANSFERS,
}
