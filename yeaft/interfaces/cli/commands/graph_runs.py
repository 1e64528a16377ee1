"""`yeaft graph ls|logs|cancel`: runs seen from outside, whoever drives them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Raw, Struct

from yeaft.interfaces.amounts import money, short
from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option
from yeaft.interfaces.cli.commands.printing import iso_time, local_time, put, put_json, put_table
from yeaft.interfaces.cli.graphs.found_runs import Found, all_runs, find_run, journal_of
from yeaft.interfaces.cli.options import Seconds
from yeaft.interfaces.cli.streams import complain
from yeaft.kernel.outcome import EXIT_ANSWERED, EXIT_TRY_AGAIN
from yeaft.kernel.usage import Usage
from yeaft.store.lock import is_owned
from yeaft.workflows.graphs.runs.cancel_request import request_cancel
from yeaft.workflows.graphs.runs.known_runs import known_run
from yeaft.workflows.graphs.runs.run_ledger import STREAM

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.workflows.graphs.runs.known_runs import KnownRun

LOOK_S = 0.1
CANCEL_PATIENCE_S = 15.0
STATE_HINT = "running"


class RunRow(Struct, frozen=True, kw_only=True):
    """What a list says of a run; times are ISO 8601. `state` is `running` while somebody drives it, else `open`.

    `asked` is what an open one waits for somebody to say.
    """

    id: str
    graph: str
    state: str
    session: str
    source: str
    parent: str
    forked_from: str
    started: str
    last: str
    steps: int
    running: tuple[str, ...]
    usage: Usage
    cost: float | None
    error: str
    asked: str = ""


class VisitRow(Struct, frozen=True, kw_only=True):
    """What a log says of one visit of a step; `stream` is where in the journal what happened in it is.

    `left_out_bytes` of what a command printed are not in the value, but in the file `log`.
    """

    step: str
    act: str
    visit: int
    place: tuple[tuple[int, int], ...]
    state: str
    vp: str
    value: Raw
    error: str
    artifacts: tuple[str, ...]
    usage: Usage
    cost: float | None
    started: str
    ended: str
    stream: str
    left_out_bytes: int
    log: str


def ls(desk: Desk, *, everything: bool, session: str) -> int:
    """List the runs of all Sessions, or of one."""

    def tell(session_id: str, reason: str) -> None:
        complain(desk.text("graph_run.unreadable", session=session_id, reason=reason))

    found = all_runs(desk, session or desk.options.resume, tell)
    if not everything:
        found = [one for one in found if not one[1].parent_run]
    rows = [_row(one) for one in reversed(found)]
    if desk.as_json:
        put_json(rows)
        return EXIT_ANSWERED
    if not rows:
        desk.note("graph_run.none")
        return EXIT_ANSWERED
    keys = ("id", "state", "graph", "steps", "tokens", "cost", "started", "session")
    put_table([desk.text(f"graph_run.{key}") for key in keys], [_cells(desk, *one) for one in reversed(found)])
    return EXIT_ANSWERED


def logs(desk: Desk, *, run_id: str, follow: bool, step: str) -> int:
    """Show what the steps of a run gave; with `follow` until it has ended, with `step` all that happened in one.

    Raises `NotFound` for a step that the graph has not.
    """
    from yeaft.interfaces.cli.graphs.changing import frozen_with_step
    from yeaft.interfaces.cli.graphs.run_log import put_log, visit_rows

    paths, found = find_run(desk, run_id)
    if step:
        frozen_with_step(paths, found.run_id, step)
    if desk.as_json and not follow:
        put_json([row for row in visit_rows(journal_of(paths), found.run_id) if step in ("", row.step)])
        return EXIT_ANSWERED
    put_log(desk, paths, found.run_id, step=step, follow=follow)
    return EXIT_ANSWERED


def cancel(desk: Desk, *, run_id: str, reason: str, timeout_s: float | None) -> int:
    """Let a run stop in good order, wherever it is driven; 75 if it has not ended yet."""
    paths, found = find_run(desk, run_id)
    if found.state == "open" and is_owned(paths.root):
        request_cancel(paths.root, found.run_id, reason)
        found = _awaited((paths, found), timeout_s or CANCEL_PATIENCE_S)
    elif found.state == "open":
        asyncio.run(_end_here(desk, paths.session_id, found.run_id, reason))
        found = _now((paths, found))
    else:
        desk.note("graph_run.ended_already", run=found.run_id, state=desk.text(f"graph_run.is_{found.state}"))
    row = _row((paths, found))
    if desk.as_json:
        put_json(row)
    else:
        put(f"{row.id} {desk.text(f'graph_run.is_{row.state}')}")
    if found.state == "open":
        desk.note("graph_run.cancel_asked", run=found.run_id)
        return EXIT_TRY_AGAIN
    return EXIT_ANSWERED


def _awaited(found: Found, patience_s: float) -> KnownRun:
    """The run once it has ended, or as it is when the time is over or nobody drives it any more."""
    until_s = time.monotonic() + patience_s
    while (now := _now(found)).state == "open" and time.monotonic() < until_s:
        time.sleep(LOOK_S)
    return now


def _now(found: Found) -> KnownRun:
    paths, run = found
    return known_run(journal_of(paths).read(STREAM + run.run_id)) or run


async def _end_here(desk: Desk, session_id: str, run_id: str, reason: str) -> None:
    """End a run that nobody drives."""
    from msgspec.structs import replace

    from yeaft.interfaces.assemble import opened
    from yeaft.interfaces.cli.wishes import wish_of
    from yeaft.interfaces.graphing import Graphing

    options = replace(desk.options, resume=session_id)
    async with opened(wish_of(options, desk.environ)) as here:
        graphing = Graphing(here)
        graphing.begin()
        run = graphing.runs.resume(run_id, is_unwanted=True)
        await run.driver.cancel("user", reason)
        await run.driver.drive()


def _row(found: Found) -> RunRow:
    paths, run = found
    is_driven = run.state == "open" and is_owned(paths.root)
    return RunRow(
        id=run.run_id,
        graph=run.name,
        state=STATE_HINT if is_driven else run.state,
        session=paths.session_id,
        source=run.source,
        parent=run.parent_run,
        forked_from=run.forked_from,
        started=iso_time(run.started_ms),
        last=iso_time(run.last_ms),
        steps=run.steps,
        running=run.running,
        usage=run.usage,
        cost=run.cost_usd,
        error=run.error,
        asked="" if is_driven else run.asked,
    )


def _cells(desk: Desk, paths: object, run: KnownRun) -> tuple[str, ...]:
    from yeaft.store.directory import SessionPaths

    assert isinstance(paths, SessionPaths)
    row = _row((paths, run))
    state = "needs_human" if row.asked else row.state
    tokens = run.usage.sent + run.usage.output
    return (
        run.run_id,
        desk.text(f"graph_run.is_{state}"),
        run.name,
        str(run.steps),
        short(tokens),
        "-" if run.cost_usd is None else money(run.cost_usd),
        local_time(run.started_ms),
        paths.session_id,
    )


RUN_ID = argument("RUN_ID")
LOOKING: Mapping[str, Action] = {
    "ls": Action(
        run=ls,
        params=(
            flag("--all", "everything"),
            option("-r", "--resume", "-s", "--session", "session", default=""),
        ),
    ),
    "logs": Action(run=logs, params=(RUN_ID, flag("-f", "--follow"), option("--step", default=""))),
    "cancel": Action(
        run=cancel,
        params=(RUN_ID, option("--reason", default=""), option("--timeout", "timeout_s", type=Seconds())),
    ),
}
