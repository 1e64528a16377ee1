"""`yeaft session show`: what was said in a Session, by whom, and how each turn ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from yeaft.interfaces.cli.commands.artifacts_told import ArtifactTold, artifacts_told, line_of
from yeaft.interfaces.cli.commands.parsing import Action, argument, option
from yeaft.interfaces.cli.commands.printing import local_time, put, put_json, put_raw
from yeaft.interfaces.cli.commands.runs_told import RunTold, run_line, runs_told
from yeaft.interfaces.cli.commands.session_rows import SessionRow, cell, row_of
from yeaft.interfaces.cli.commands.transcript import MessageTold, speaker, transcript
from yeaft.interfaces.cli.counted import counted
from yeaft.interfaces.cli.emphasis import bold
from yeaft.interfaces.cli.options import Count
from yeaft.interfaces.cli.terminal_text import unmasked
from yeaft.kernel.errors import NotFound
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.session.offline import Reading

LAST = "last"


class SessionShown(SessionRow, frozen=True, kw_only=True):
    """A Session with all that was said in it, as far as it counts, and what it keeps."""

    transcript: tuple[MessageTold, ...]
    artifacts: tuple[ArtifactTold, ...]
    runs: tuple[RunTold, ...]


def show(desk: Desk, *, session: str, limit: int | None, turn: str, vp: str) -> int:
    """Show a Session's roster, messages and outcomes, or one message of the user with all it led to."""
    from yeaft.session.offline import read_session
    from yeaft.store.directory import find_session
    from yeaft.store.index import current_meta
    from yeaft.store.meta import fold_meta, new_meta

    reading = read_session(desk.home, find_session(desk.home, session, folder=str(desk.folder)).session_id)
    if reading.damaged:
        desk.note("sessions.damaged", count=reading.damaged, path=str(reading.paths.db))
    meta = fold_meta(new_meta(reading.paths.session_id), reading.records)
    meta = replace(meta, cost=current_meta(reading.paths).cost)
    messages = _narrowed(reading, transcript(reading), turn=turn, vp_id=vp.removeprefix("@"))
    shown = messages if limit is None else messages[len(messages) - limit :] if limit else ()
    if desk.as_json:
        told, runs = artifacts_told(reading), runs_told(reading)
        put_json(SessionShown(**msgspec.structs.asdict(row_of(meta)), transcript=shown, artifacts=told, runs=runs))
        return EXIT_ANSWERED
    if not turn:
        for key in ("id", "name", "folder", "roster", "messages", "cost", "last_active"):
            put(desk.fact(f"heading.{key}", cell(desk, meta, key)))
    if len(shown) < len(messages):
        put("\n" + desk.text("sessions.earlier", count=len(messages) - len(shown)))
    for message in shown:
        put("")
        _put_message(desk, message)
    if not (turn or vp) and (kept := artifacts_told(reading)):
        put("\n" + desk.fact("artifact.heading").rstrip())
        for one in kept:
            put(f"  {line_of(one)}")
    if not (turn or vp) and (runs := runs_told(reading)):
        put("\n" + desk.fact("graph_run.heading").rstrip())
        for run in runs:
            put(f"  {run_line(desk, run)}")
    return EXIT_ANSWERED


def _narrowed(reading: Reading, messages: tuple[MessageTold, ...], *, turn: str, vp_id: str) -> tuple[MessageTold, ...]:
    """Return what goes back to one message of the user, and of that what concerns one VP. Raises `NotFound`."""
    if turn:
        from yeaft.session.rewinding_targets import message_of, said

        known = said(reading.state)
        if not known:
            raise NotFound(f"Nothing has been said in Session {reading.paths.session_id} yet.")
        root_id = known[-1].message_id if turn == LAST else message_of(reading.state, turn).message_id
        messages = tuple(message for message in messages if message.root == root_id)
    if not vp_id:
        return messages
    seen = {*reading.state.roster, *(turn.vp for message in messages for turn in message.turns)}
    if vp_id not in seen:
        raise NotFound(f"No VP '{vp_id}' takes part in this Session. There are: {', '.join(sorted(seen))}.")
    concerned = (message for message in messages if vp_id in message.to or message.sender == f"vp:{vp_id}")
    return tuple(
        replace(message, turns=tuple(turn for turn in message.turns if turn.vp == vp_id)) for message in concerned
    )


def _put_message(desk: Desk, message: MessageTold) -> None:
    sender = desk.text("speaker.user") if message.sender == "user" else speaker(message)
    whom = f"── {sender} → {' '.join(f'@{vp_id}' for vp_id in message.to)}"
    put_raw(f"{bold(unmasked(whom))}  {local_time(message.at_ms)}\n")
    put(message.text.strip())
    for kept in message.attachments:
        put(f"[{kept.name}, {kept.mime}, {kept.size_bytes} B]")
    for turn in message.turns:
        rounds, calls = counted(desk.ui, "rounds", turn.rounds), counted(desk.ui, "calls", len(turn.calls))
        outcome = desk.text(f"transcript.outcome_{turn.outcome}")
        facts = desk.text("sessions.turn", outcome=outcome, rounds=rounds, calls=calls)
        put_raw(f"{bold(f'── @{turn.vp}')}  {facts}\n")
        for text in (turn.text, turn.error):
            if text:
                put(text)


SHOWS: Mapping[str, Action] = {
    "show": Action(
        run=show,
        params=(
            argument("SESSION"),
            option("--limit", type=Count(min=0)),
            option("--turn", default=""),
            option("--vp", default=""),
        ),
    ),
}
