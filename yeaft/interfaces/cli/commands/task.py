"""`yeaft task`: list, show, follow, await and end background tasks, also those of a yeaft that is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct, structs

from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option, run_group
from yeaft.interfaces.cli.commands.printing import iso_time, local_time, put, put_json, put_table
from yeaft.interfaces.cli.options import Seconds
from yeaft.kernel.errors import NotFound
from yeaft.kernel.outcome import (
    EXIT_ANSWERED,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_LIMIT,
    EXIT_TRY_AGAIN,
)
from yeaft.store.directory import find_session, list_session_ids, session_paths
from yeaft.store.task_files import TaskRecord, log_of, one_of, session_of, task_places
from yeaft.tools.shell.task_fate import cancel, cause_of, fate, wait

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options

EXIT_CODES = {
    "succeeded": EXIT_ANSWERED,
    "failed": EXIT_FAILED,
    "cancelled": EXIT_INTERRUPTED,
    "orphaned": EXIT_FAILED,
    "running": EXIT_LIMIT,
}
"""What `wait` ends with; a task that still runs has outlasted the limit."""


class TaskRow(Struct, frozen=True, kw_only=True):
    """What a list says of a task; times are ISO 8601, `log` is a path, `error` says who stopped it."""

    id: str
    session: str
    vp: str
    title: str
    state: str
    command: str
    cwd: str
    pid: int
    survives: bool
    adopted: bool
    started: str
    ended: str
    exit_code: int | None
    signal: str
    error: str
    log: str


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft task ...` and return the exit code."""
    return run_group("task", ACTIONS, options, words)


def ls(desk: Desk, *, everything: bool, resume: str) -> int:
    """List the tasks of all Sessions, or of one."""
    found = [(place, record) for place in _places(desk, resume) if (record := fate(place))]
    shown = [(place, record) for place, record in found if everything or record.state == "running"]
    shown.sort(key=lambda one: one[1].started_ms)
    if desk.as_json:
        put_json([_row(place, record) for place, record in shown])
        return EXIT_ANSWERED
    if not shown:
        desk.note("task.none_running" if found else "task.none", count=len(found))
        return EXIT_ANSWERED
    keys = ("id", "state", "vp", "session", "since", "title")
    put_table([desk.text(f"task.{key}") for key in keys], [_cells(desk, place, record) for place, record in shown])
    return EXIT_ANSWERED


def show(desk: Desk, *, task: str, resume: str) -> int:
    """Show all that is known of a task."""
    place, record = _found(desk, task, resume)
    row = _row(place, record)
    if desk.as_json:
        put_json(row)
        return EXIT_ANSWERED
    for key, value in structs.asdict(row).items():
        if value not in ("", None, False):
            put(desk.fact(f"task.{key}", desk.text("task.yes") if value is True else value))
    return EXIT_ANSWERED


def logs(desk: Desk, *, task: str, follow: bool, lines: int | None, resume: str) -> int:
    """Write what a task has printed; with `follow` go on until it ends."""
    from yeaft.interfaces.cli.commands.task_log_output import put_log

    place, record = _found(desk, task, resume)
    lost_bytes = put_log(place, record, lines=lines, follow=follow)
    if lost_bytes:
        desk.note("task.log_lost", bytes=lost_bytes)
    return EXIT_ANSWERED


def await_end(desk: Desk, *, task: str, timeout_s: float | None, resume: str) -> int:
    """Wait until a task has ended; the exit code says how."""
    place, record = _found(desk, task, resume)
    ended = asyncio.run(wait(place, timeout_s)) or record
    _put_end(desk, place, ended)
    return EXIT_CODES[ended.state]


def end(desk: Desk, *, task: str, resume: str) -> int:
    """End a task with everything it has started."""
    place, record = _found(desk, task, resume)
    done = asyncio.run(cancel(place, record))
    _put_end(desk, place, done.task)
    if not done.ok:
        desk.note("task.not_cancelled", task=record.task_id, error=done.error)
        return EXIT_FAILED
    return EXIT_TRY_AGAIN if done.pending else EXIT_ANSWERED


def _places(desk: Desk, resume: str) -> Iterator[Path]:
    """The directories of all tasks of the Session that is meant, or of all Sessions."""
    wanted = resume or desk.options.resume
    sessions = (
        [find_session(desk.home, wanted)]
        if wanted
        else [session_paths(desk.home, session_id) for session_id in list_session_ids(desk.home)]
    )
    for session in sessions:
        yield from task_places(session.tasks)


def _found(desk: Desk, task: str, resume: str) -> tuple[Path, TaskRecord]:
    place = one_of(list(_places(desk, resume)), task)
    record = fate(place)
    if record is None:
        raise NotFound(f"The record of task {place.name} cannot be read: {place}.")
    return place, record


def _put_end(desk: Desk, place: Path, record: TaskRecord) -> None:
    if desk.as_json:
        put_json(_row(place, record))
    else:
        put(f"{record.task_id} {_state(desk, record)}")


def _state(desk: Desk, record: TaskRecord) -> str:
    state = desk.text(f"task.{record.state}")
    return f"{state} ({record.exit_code})" if record.exit_code else state


def _cells(desk: Desk, place: Path, record: TaskRecord) -> tuple[str, ...]:
    return (
        record.task_id,
        _state(desk, record),
        f"@{record.vp_id}",
        session_of(place).session_id,
        local_time(record.started_ms),
        record.title,
    )


def _row(place: Path, record: TaskRecord) -> TaskRow:
    return TaskRow(
        id=record.task_id,
        session=session_of(place).session_id,
        vp=record.vp_id,
        title=record.title,
        state=record.state,
        command=record.command,
        cwd=record.cwd,
        pid=record.pid,
        survives=record.survives,
        adopted=record.adopted,
        started=iso_time(record.started_ms),
        ended=iso_time(record.ended_ms) if record.ended_ms else "",
        exit_code=record.exit_code,
        signal=record.signal,
        error=cause_of(record),
        log=str(log_of(place, record)),
    )


TASK = argument("TASK")
SESSION = option("-r", "--resume", "-s", "--session", "resume", default="")
ACTIONS: Mapping[str, Action] = {
    "ls": Action(run=ls, params=(flag("--all", "everything"), SESSION)),
    "show": Action(run=show, params=(TASK, SESSION)),
    "logs": Action(
        run=logs,
        params=(TASK, flag("-f", "--follow"), option("-n", "--lines", type=click.IntRange(min=0)), SESSION),
        has_json=False,
    ),
    "wait": Action(run=await_end, params=(TASK, option("--timeout", "timeout_s", type=Seconds()), SESSION)),
    "cancel": Action(run=end, params=(TASK, SESSION)),
}
