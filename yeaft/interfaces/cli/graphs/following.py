"""A run that another process drives, seen from here: the same progress, the same result, the same exit code."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.events.codec import Recorded
from yeaft.events.graph import GraphEnded, StepStarted
from yeaft.interfaces.cli.graphs.found_runs import journal_of
from yeaft.interfaces.cli.graphs.graph_result import ended_result, printed
from yeaft.interfaces.cli.graphs.run_screen import PlainScreen, put_on_stderr
from yeaft.interfaces.cli.json_screen import JsonScreen
from yeaft.interfaces.runs.run_view import RunView
from yeaft.kernel.clock import wall_clock_ms
from yeaft.store.blobs import FileBlobs
from yeaft.store.lock import Owner, is_owned, read_owner
from yeaft.workflows.graphs.runs.lease import LeaseWatch
from yeaft.workflows.graphs.runs.run_ledger import STREAM
from yeaft.workflows.graphs.runs.session_runs import frozen_of, started_in

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options
    from yeaft.store.directory import SessionPaths
    from yeaft.workflows.graphs.runs.known_runs import KnownRun

STDOUT = 1
LOOK_S = 0.1
OWNER_EVERY = 10
"""Only at every so many looks it is found out whether the driver is still there."""


class Left(Struct, frozen=True, kw_only=True):
    """How a run was left by whoever drove it, before its end.

    `expired` is the owner that has not been heard of for too long, if it still has the Session; `is_idle` says that a
    live process has the Session and does not drive the run. `lines` is where the lines were written that came so far.
    """

    expired: Owner | None = None
    is_idle: bool = False
    lines: JsonScreen | None = None


def follow_run(desk: Desk, options: Options, paths: SessionPaths, found: KnownRun) -> int | Left:
    """Show a run until it has ended, report it as its driver does, and return the exit code; else how it was left.

    Of one that has ended only the result is shown.
    """
    journal = journal_of(paths)
    started = started_in(journal, found.run_id)
    view = RunView(found.run_id, frozen_of(started, FileBlobs(paths.blobs)).graph)
    lines = JsonScreen(_put, wall_clock_ms) if options.output_format == "stream-json" else None
    if lines is not None:
        lines.session_id = paths.session_id
    screen = None if options.quiet or found.state != "open" else PlainScreen(put_on_stderr, desk.ui)
    if screen is not None:
        owner = str(read_owner(paths.root) or "?")
        screen.say(desk.text("graph_run.following", run=found.run_id, owner=owner))
    ended: GraphEnded | None = None
    watch = _watch(paths, found.run_id)
    for recorded in followed(paths, found.run_id, watch):
        if lines is not None:
            lines.hear(recorded)
        if recorded.stream != STREAM + found.run_id:
            continue
        visit = view.hear_run(found.run_id, recorded)
        if visit is not None and screen is not None:
            screen.told(visit)
        if isinstance(recorded.event, GraphEnded):
            ended = recorded.event
    if ended is None:
        is_there, now = is_owned(paths.root), read_owner(paths.root)
        if screen is not None:
            screen.say(desk.text("graph_run.left", run=found.run_id, owner=str(now or "?")))
        is_holder = is_there and watch.holder == now  # or whoever drove it is dead, and another has the Session
        is_idle = is_there and not is_holder and watch.has_expired()  # who has only just come may be about to drive it
        return Left(expired=now if is_holder else None, is_idle=is_idle, lines=lines)
    result = ended_result(paths.session_id, started, ended, view.failure)
    if lines is not None:
        lines.result(result)
    else:
        _put(printed(result, as_json=options.output_format == "json"))
    return result.exit_code


def followed(paths: SessionPaths, run_id: str, watch: LeaseWatch | None = None) -> Iterator[Recorded]:
    """Yield the events of a run and of its steps as they come, until it has ended or nobody drives it any more."""
    watch = watch or _watch(paths, run_id)
    journal = journal_of(paths)
    heads: dict[str, int] = {STREAM + run_id: 0}
    looks, is_driven = 0, True
    while True:
        is_over = False
        for stream in tuple(heads):
            for recorded in journal.read(stream, heads[stream]):
                heads[stream] = recorded.seq
                if isinstance(recorded.event, StepStarted) and recorded.event.child_stream:
                    heads.setdefault(recorded.event.child_stream, 0)
                is_over |= isinstance(recorded.event, GraphEnded) and stream == STREAM + run_id
                yield recorded
        if is_over or not is_driven:
            return
        looks += 1
        if looks % OWNER_EVERY == 0:
            is_driven = is_owned(paths.root) and not watch.has_expired()
        time.sleep(LOOK_S)


def _watch(paths: SessionPaths, run_id: str) -> LeaseWatch:
    """Watch who drives a run; one within another is driven with that one."""
    journal = journal_of(paths)
    while parent := started_in(journal, run_id).parent_run:
        run_id = parent
    return LeaseWatch(paths.root, run_id)


def _put(content: bytes) -> None:
    while content:
        content = content[os.write(STDOUT, content) :]
