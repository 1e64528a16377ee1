"""The log of a run: what each visit of a step gave and, for one step, all that was said and called in it."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import indent
from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw

from yeaft.events.graph import GraphCancelled, GraphEnded, GraphStarted, StepFinished
from yeaft.interfaces.cli.commands.printing import iso_time, put
from yeaft.interfaces.cli.graphs.following import followed
from yeaft.interfaces.cli.graphs.found_runs import journal_of
from yeaft.interfaces.runs.run_lines import begun_line, ended_line, left_out_line
from yeaft.interfaces.runs.run_view import RunView
from yeaft.interfaces.runs.step_lines import told_lines
from yeaft.store.blobs import FileBlobs
from yeaft.workflows.graphs.conditions import text_of
from yeaft.workflows.graphs.graph import HIDDEN
from yeaft.workflows.graphs.runs.run_ledger import STREAM
from yeaft.workflows.graphs.runs.session_runs import frozen_of, started_in

if TYPE_CHECKING:
    from yeaft.events.codec import Recorded
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.commands.graph_runs import VisitRow
    from yeaft.store.directory import SessionPaths
    from yeaft.store.journal import Journal

SHOWN_CHARS = 2000
"""So much of what a step gave is shown where no step was named."""


def visit_rows(journal: Journal, run_id: str) -> Iterator[VisitRow]:
    """Yield a row for each visit of a step of a run, in the order in which they began."""
    from yeaft.events.graph import StepReady, StepStarted
    from yeaft.interfaces.cli.commands.graph_runs import VisitRow

    ready: dict[str, Recorded] = {}
    streams: dict[str, str] = {}
    finished: dict[str, Recorded] = {}
    for recorded in journal.read(STREAM + run_id):
        match recorded.event:
            case StepReady(act_id=act):
                ready[act] = recorded
            case StepStarted(act_id=act, child_stream=stream):
                streams[act] = stream
            case StepFinished(act_id=act):
                finished[act] = recorded
            case _:
                pass
    for act, began in ready.items():
        step = began.event
        assert isinstance(step, StepReady)
        if HIDDEN in step.node:
            continue
        last = finished.get(act)
        done = last.event if last and isinstance(last.event, StepFinished) else None
        stream = streams.get(act, "")
        yield VisitRow(
            step=step.node,
            act=act,
            visit=step.visit,
            place=tuple((frame.index + 1, frame.count) for frame in step.scope),
            state=done.status if done else "running",
            vp=_vp_of(journal, stream),
            value=done.value if done else Raw(b"null"),
            error=done.error if done else "",
            artifacts=done.artifacts if done else (),
            usage=done.usage if done else msgspec.structs.replace(StepFinished(act_id=act, status="ok").usage),
            cost=done.cost_usd if done else None,
            started=iso_time(began.ts),
            ended=iso_time(last.ts) if last else "",
            stream=stream,
            left_out_bytes=done.left_out_bytes if done else 0,
            log=done.log if done else "",
        )


def put_log(desk: Desk, paths: SessionPaths, run_id: str, *, step: str, follow: bool) -> None:
    """Write the log of a run, or of one of its steps; with `follow` go on until it has ended."""
    journal = journal_of(paths)
    view = RunView(run_id, frozen_of(started_in(journal, run_id), FileBlobs(paths.blobs)).graph)
    records = followed(paths, run_id) if follow else iter(journal.read(STREAM + run_id))
    for recorded in records:
        if desk.as_json:
            line = {"stream": recorded.stream, "type": recorded.type, "data": recorded.event}
            put(msgspec.json.encode(line).decode())
        elif recorded.stream == STREAM + run_id:
            _put_event(desk, journal, view, run_id, recorded, step=step)


def _put_event(desk: Desk, journal: Journal, view: RunView, run_id: str, recorded: Recorded, *, step: str) -> None:
    visit = view.hear_run(run_id, recorded)
    match event := recorded.event:
        case StepFinished(artifacts=artifacts) if visit is not None and step in ("", visit.node):
            put(ended_line(desk.ui, visit))
            if step:
                for line in told_lines(desk.ui, journal, visit):
                    put(line)
            if event.status == "ok":
                _put_value(event.value, shortened=not step)
            if said := left_out_line(desk.ui, visit):
                put(f"    {said}")
            for one in artifacts:
                put(f"    @{one}")
        case GraphStarted() if not step:
            put(desk.text("graph_run.begun", graph=event.name, run=run_id))
        case GraphCancelled(by=by, reason=reason) if not step:
            put(f"■ {desk.text('heading.fact', name=by, value=reason) if reason else by}")
        case GraphEnded() if not step:
            said = event.error or (desk.text(f"graph_run.limit_{event.limit}") if event.limit else "")
            how = f"graph_run.is_{event.outcome}"
            put(f"= {desk.fact(how, said) if said else desk.text(how)}")
        case _:
            if visit is not None and visit.attempt and step in ("", visit.node):
                put(begun_line(visit))


def _vp_of(journal: Journal, stream: str) -> str:
    from yeaft.events.session import SessionCreated

    if not stream:
        return ""
    return next((one.event.default_vp for one in journal.read(stream) if isinstance(one.event, SessionCreated)), "")


def _put_value(value: Raw, *, shortened: bool) -> None:
    text = text_of(msgspec.json.decode(value)).strip()
    if shortened and len(text) > SHOWN_CHARS:
        text = f"{text[:SHOWN_CHARS]}… ({len(text):,})"
    if text and text != "null":
        put(indent(text, "    "))
