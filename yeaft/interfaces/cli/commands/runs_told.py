"""What is told of the runs of graphs in a Session where the Session itself is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.store.blobs import FileBlobs
from yeaft.store.journal import STEP_STREAMS
from yeaft.store.sqlite import SqliteJournal
from yeaft.workflows.graphs.runs.known_runs import known_runs
from yeaft.workflows.graphs.runs.run_ledger import STREAM

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yeaft.events.codec import Recorded
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.session.offline import Reading
    from yeaft.store.directory import SessionPaths


class RunTold(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A run of a graph; `steps` have ended in it."""

    id: str
    graph: str
    state: str
    steps: int


def runs_told(reading: Reading) -> tuple[RunTold, ...]:
    """Return the runs that are no part of others, the oldest first."""
    journal = SqliteJournal.for_reading(reading.paths.db, FileBlobs(reading.paths.blobs))
    runs = sorted((one for one in known_runs(journal) if not one.parent_run), key=lambda one: one.started_ms)
    return tuple(RunTold(id=one.run_id, graph=one.name, state=one.state, steps=one.steps) for one in runs)


def run_records(paths: SessionPaths) -> Iterator[Recorded]:
    """Yield all that happened in runs and in their steps, one stream after the other."""
    journal = SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs))
    for stream in journal.streams():
        if stream.startswith((STREAM, STEP_STREAMS)):
            yield from journal.read(stream)


def run_line(desk: Desk, one: RunTold) -> str:
    """Return one line for people."""
    done = desk.text("graph_run.steps_done", count=one.steps)
    return f"{one.id}  {one.graph}: {desk.text(f'graph_run.is_{one.state}')}, {done}"
