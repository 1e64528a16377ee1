"""`yeaft session rewind`, `redo`, `checkpoint` and `checkpoints`: going back in a Session, and forward again."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.interfaces.cli.commands.consent import need_consent
from yeaft.interfaces.cli.commands.parsing import Action, argument, flag
from yeaft.interfaces.cli.commands.printing import iso_time, local_time, put_json, put_table
from yeaft.interfaces.cli.line_counts import counts
from yeaft.kernel.errors import UsageError
from yeaft.kernel.outcome import EXIT_ANSWERED, EXIT_FAILED

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import Any

    from yeaft.events.codec import Recorded, Transient
    from yeaft.events.history import RewindScope
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.visiting import Visit
    from yeaft.session.past import Kept
    from yeaft.session.rewinding import Done, Way
    from yeaft.store.checkpoints.diffstat import Stat
    from yeaft.store.checkpoints.states import Left

NOTHING = "-"
MOST_NAMED = 20


class CheckpointRow(Struct, frozen=True, kw_only=True):
    """One checkpoint; `changed` paths are new or different since the one before it, `skipped` are not covered.

    `message` is the number of the user's message that it was taken after.
    """

    id: str
    name: str
    at: str
    reason: str
    message: int
    files: int
    changed: int
    skipped: int


class ChangeRow(Struct, frozen=True, kw_only=True):
    """What happens to one path; lines are counted for text only."""

    path: str
    change: str
    kind: str
    added: int | None
    removed: int | None


class LeftRow(Struct, frozen=True, kw_only=True):
    """A path that stays as it is, and why."""

    path: str
    reason: str


class RewindShown(Struct, frozen=True, kw_only=True):
    """What going back does, or did if `done`: how many of the user's messages come or go, and what happens to files.

    `changed_since` are paths whose content somebody changed after the last event of the Session; it is in the
    checkpoint `safety`.
    """

    session: str
    scope: str
    messages: int
    changes: tuple[ChangeRow, ...]
    left: tuple[LeftRow, ...]
    changed_since: tuple[str, ...]
    done: bool
    safety: str = ""


def checkpoints(desk: Desk, *, session: str) -> int:
    """List the states of the work folder that can be gone back to, oldest first."""
    from yeaft.session.offline import read_session

    state = read_session(desk.home, session).state
    said = [state.posted_at[m.message_id] for m in state.messages.values() if m.kind == "user"]
    rows = [_row(kept, sum(seq < kept.seq for seq in said)) for kept in state.past.checkpoints]
    if desk.as_json:
        put_json(rows)
    elif not rows:
        desk.note("checkpoint.none")
    else:
        headings = [desk.text(f"heading.{key}") for key in ("id", "time", "reason", "message", "changed", "name")]
        put_table(headings, [_cells(desk, row, kept) for row, kept in zip(rows, state.past.checkpoints, strict=True)])
    return EXIT_ANSWERED


def checkpoint(desk: Desk, *, session: str, name: str) -> int:
    """Keep the state of the work folder under a name."""

    async def take(visit: Visit) -> int:
        from yeaft.session.rewinding_targets import check_name

        check_name(visit.state, name)
        visit.begin()
        taken = await visit.rewinds.name(name)
        if desk.as_json:
            put_json(
                _row(visit.state.past.checkpoints[-1], sum(m.kind == "user" for m in visit.state.messages.values()))
            )
        desk.note("checkpoint.taken", name=name, id=taken.checkpoint_id, files=taken.files, skipped=taken.skipped_count)
        return EXIT_ANSWERED

    return _visit(desk, session, take)


def rewind(
    desk: Desk, *, session: str, to: str, conversation: bool, files: bool, both: bool, yes: bool, dry_run: bool
) -> int:
    """Go back to before a message, or to a checkpoint: what was said, the files, or both."""
    scope = _scope(conversation, files, both)

    async def go(visit: Visit) -> int:
        return await _go(desk, visit, await visit.rewinds.look(to, scope), yes=yes, dry_run=dry_run)

    return _visit(desk, session, go)


def redo(desk: Desk, *, session: str, yes: bool, dry_run: bool) -> int:
    """Take the last rewind back."""

    async def go(visit: Visit) -> int:
        return await _go(desk, visit, await visit.rewinds.look_forward(), yes=yes, dry_run=dry_run)

    return _visit(desk, session, go)


def _scope(conversation: bool, files: bool, both: bool) -> RewindScope:
    if conversation + files + both > 1:
        raise UsageError("Only one of --conversation, --files, --both can be meant.")
    return "conversation" if conversation else "files" if files else "both"


def _visit(desk: Desk, session: str, act: Callable[[Visit], Coroutine[Any, Any, int]]) -> int:
    async def inside() -> int:
        from yeaft.events.turn import ProgressShown
        from yeaft.interfaces.past import past_remarks
        from yeaft.interfaces.visiting import visited

        def hear(heard: Recorded | Transient) -> None:
            if isinstance(heard, ProgressShown):
                desk.note(heard.code, **heard.params)

        take_over = desk.options.take_over
        async with visited(desk.home, desk.config, session, desk.lang, take_over=take_over, hear=hear) as visit:
            for code, params in past_remarks(visit.state):
                desk.note(code, **params)
            return await act(visit)

    return asyncio.run(inside())


async def _go(desk: Desk, visit: Visit, way: Way, *, yes: bool, dry_run: bool) -> int:
    stats = await _stats(visit, way)
    if not desk.as_json:
        _show(desk, visit, way, stats)
    is_needed = visit.rewinds.is_needed(way)
    if dry_run or not is_needed:
        if desk.as_json:
            put_json(_shown(visit, way, stats, None))
        elif not is_needed:
            desk.note("rewind.nothing")
        return EXIT_ANSWERED
    need_consent(desk, "rewind.question", yes=yes, session=visit.state.session_id)
    visit.begin()
    done = await visit.rewinds.go(way)
    if desk.as_json:
        put_json(_shown(visit, way, stats, done))
    _conclude(desk, visit.state.session_id, done)
    return EXIT_FAILED if done.left else EXIT_ANSWERED


def _conclude(desk: Desk, session: str, done: Done) -> None:
    """Say what became of it, and the command that takes it back."""
    way = done.way
    if done.left:
        known = way.plan.left if way.plan else ()
        _tell_left(desk, [one for one in done.left if desk.as_json or one not in known])
        desk.note("rewind.partly", session=session, to=done.checkpoint_id, safety=done.safety_id)
    elif not way.undoes:
        desk.note("rewind.undo", session=session)
    else:
        desk.note("rewind.redone")
        if way.foreign:
            desk.note("rewind.just_now", session=session, safety=done.safety_id)


def _tell_left(desk: Desk, left: Sequence[Left]) -> None:
    from yeaft.session.checkpoints import shown

    for one in left[:MOST_NAMED]:
        code = f"skipped.{one.reason.replace(' ', '_')}"  # or else it is what the system says
        desk.note("rewind.left", path=shown(one.path), reason=desk.text(code) if code in desk.ui.texts else one.reason)
    if len(left) > MOST_NAMED:
        desk.note("rewind.left_more", count=len(left) - MOST_NAMED)


async def _stats(visit: Visit, way: Way) -> tuple[Stat, ...]:
    from yeaft.store.checkpoints.diffstat import stat_of

    if way.plan is None:
        return ()
    store = await visit.checkpoints.store()
    changes = way.plan.changes
    return await asyncio.to_thread(lambda: tuple(stat_of(one, store.content) for one in changes))


def _show(desk: Desk, visit: Visit, way: Way, stats: tuple[Stat, ...]) -> None:
    from yeaft.session.checkpoints import shown

    if stats:
        headings = [desk.text(f"heading.{key}") for key in ("change", "lines", "path")]
        put_table(headings, [(desk.text(f"change.{one.what}"), _lines(one), shown(one.path)) for one in stats])
    if way.messages:
        desk.note("rewind.messages_back" if way.undoes else "rewind.messages", count=way.messages)
    for path in way.foreign[:MOST_NAMED]:
        desk.note("rewind.foreign", path=shown(path))
    if len(way.foreign) > MOST_NAMED:
        desk.note("rewind.foreign_more", count=len(way.foreign) - MOST_NAMED)
    _tell_left(desk, way.plan.left if way.plan else ())
    folder = visit.state.created.folder if visit.state.created else ""
    if stats and not os.path.lexists(folder):
        desk.note("rewind.folder_gone", path=folder)


def _lines(stat: Stat) -> str:
    return NOTHING if stat.added is None else counts(stat.added, stat.removed)


def _shown(visit: Visit, way: Way, stats: tuple[Stat, ...], done: Done | None) -> RewindShown:
    from yeaft.session.checkpoints import shown

    left = done.left if done else way.plan.left if way.plan else ()
    return RewindShown(
        session=visit.state.session_id,
        scope=way.scope,
        messages=way.messages,
        changes=tuple(
            ChangeRow(path=shown(one.path), change=one.what, kind=one.kind, added=one.added, removed=one.removed)
            for one in stats
        ),
        left=tuple(LeftRow(path=shown(one.path), reason=one.reason) for one in left),
        changed_since=tuple(map(shown, way.foreign)),
        done=done is not None,
        safety=done.safety_id if done else "",
    )


def _row(kept: Kept, message: int) -> CheckpointRow:
    event = kept.event
    return CheckpointRow(
        id=event.checkpoint_id,
        name=event.name,
        at=iso_time(kept.at_ms),
        reason=event.reason,
        message=message,
        files=event.files,
        changed=event.changed,
        skipped=event.skipped_count,
    )


def _cells(desk: Desk, row: CheckpointRow, kept: Kept) -> list[str]:
    reason = desk.text(f"checkpoint.{row.reason}")
    return [row.id, local_time(kept.at_ms), reason, str(row.message), str(row.changed), row.name or NOTHING]


SESSION = argument("SESSION")
DRY_RUN, YES = flag("-n", "--dry-run"), flag("-y", "--yes")
REWINDS: Mapping[str, Action] = {
    "checkpoints": Action(run=checkpoints, params=(SESSION,)),
    "checkpoint": Action(run=checkpoint, params=(SESSION, argument("NAME"))),
    "rewind": Action(
        run=rewind,
        params=(
            SESSION,
            argument("TO", required=False, default=""),
            flag("--conversation"),
            flag("--files"),
            flag("--both"),
            DRY_RUN,
            YES,
        ),
    ),
    "redo": Action(run=redo, params=(SESSION, DRY_RUN, YES)),
}
