"""`yeaft session check` and `repair`: what of a Session is damaged or missing, and a whole journal of what is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.interfaces.cli.commands.parsing import Action, argument, flag
from yeaft.interfaces.cli.commands.printing import put, put_json
from yeaft.kernel.errors import UsageError
from yeaft.kernel.outcome import EXIT_ANSWERED, EXIT_BAD_DATA

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.store.checkup import Checkup
    from yeaft.store.directory import SessionPaths


class FindingRow(Struct, frozen=True, kw_only=True):
    """One finding; `text` says in words what `kind` means."""

    kind: str
    where: str
    text: str


class CheckRow(Struct, frozen=True, kw_only=True):
    """How a Session is; `noticed` is in order, and worth knowing."""

    id: str
    ok: bool
    events: int
    findings: tuple[FindingRow, ...]
    noticed: tuple[FindingRow, ...]


class RepairRow(Struct, frozen=True, kw_only=True):
    """What was done; `kept` is where the damaged journal is now, `lost` the events that are in neither."""

    id: str
    repaired: bool
    kept: str
    lost: tuple[str, ...]
    remaining: tuple[FindingRow, ...]


def check(desk: Desk, *, sessions: Sequence[str], everything: bool) -> int:
    """Say what is damaged or missing; exit 65 if anything is."""
    from yeaft.store.checkup import check_up

    rows = [_checked(desk, paths, check_up(paths)) for paths in _places(desk, sessions, everything=everything)]
    if desk.as_json:
        put_json(rows)
    else:
        for row in rows:
            _put_checked(desk, row)
    return EXIT_ANSWERED if all(row.ok for row in rows) else EXIT_BAD_DATA


def repair(desk: Desk, *, sessions: Sequence[str]) -> int:
    """Make whole journals of damaged ones."""
    rows = [_repaired(desk, paths) for paths in _places(desk, sessions, everything=False)]
    if desk.as_json:
        put_json(rows)
        return EXIT_ANSWERED
    for row in rows:
        if row.repaired:
            put(desk.text("health.repaired", session=row.id, count=len(row.lost), path=row.kept))
        else:
            put(desk.text("health.sound", session=row.id))
        for finding in row.remaining:
            put(f"  {finding.text}: {finding.where}")
    return EXIT_ANSWERED


def _places(desk: Desk, sessions: Sequence[str], *, everything: bool) -> list[SessionPaths]:
    from yeaft.store.directory import find_session, list_session_ids, session_paths

    if everything:
        return [session_paths(desk.home, session_id) for session_id in list_session_ids(desk.home)]
    if not sessions:
        raise UsageError("yeaft session check needs SESSION, or --all for every Session.")
    found = [find_session(desk.home, session, folder=str(desk.folder)) for session in sessions]
    return list({paths.session_id: paths for paths in found}.values())


def _checked(desk: Desk, paths: SessionPaths, checkup: Checkup) -> CheckRow:
    noticed: list[tuple[str, str]] = [(one.kind, one.where) for one in checkup.noticed]
    noticed += [("task_orphaned", task_id) for task_id in _orphaned(paths)]
    return CheckRow(
        id=paths.session_id,
        ok=not checkup.findings,
        events=checkup.events,
        findings=tuple(_told(desk, finding.kind, finding.where) for finding in checkup.findings),
        noticed=tuple(_told(desk, kind, where) for kind, where in noticed),
    )


def _told(desk: Desk, kind: str, where: str) -> FindingRow:
    return FindingRow(kind=kind, where=where, text=desk.text(f"health.{kind}"))


def _orphaned(paths: SessionPaths) -> list[str]:
    from yeaft.store.task_files import task_places
    from yeaft.tools.shell.task_fate import fate

    records = (fate(place) for place in task_places(paths.tasks))
    return [record.task_id for record in records if record and record.state == "orphaned"]


def _put_checked(desk: Desk, row: CheckRow) -> None:
    put(desk.text("health.ok" if row.ok else "health.damaged", session=row.id, count=row.events))
    for finding in (*row.findings, *row.noticed):
        put(f"  {finding.text}: {finding.where}")


def _repaired(desk: Desk, paths: SessionPaths) -> RepairRow:
    from yeaft.store.checkup import check_up
    from yeaft.store.checkup import repair as mend

    mending = mend(paths, take_over=desk.options.take_over)
    remaining = check_up(paths).findings
    return RepairRow(
        id=paths.session_id,
        repaired=mending is not None,
        kept=str(mending.kept) if mending else "",
        lost=tuple(f"{stream} {seq}" for stream, seq in mending.lost) if mending else (),
        remaining=tuple(_told(desk, finding.kind, finding.where) for finding in remaining),
    )


SESSIONS = argument("SESSIONS", nargs=-1)
HEALTH: Mapping[str, Action] = {
    "check": Action(run=check, params=(SESSIONS, flag("--all", "everything"))),
    "repair": Action(run=repair, params=(argument("SESSIONS", nargs=-1, required=True),)),
}
