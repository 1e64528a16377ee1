"""A run as its journal has it: the same view that hearing its events would have given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.events.graph import StepFinished, StepStarted
from yeaft.interfaces.runs.run_view import RunView
from yeaft.workflows.graphs.graph import GraphTask
from yeaft.workflows.graphs.runs.progress import run_within
from yeaft.workflows.graphs.runs.run_ledger import STREAM
from yeaft.workflows.graphs.runs.session_runs import frozen_of, started_in

if TYPE_CHECKING:
    from yeaft.store.journal import Blobs, Journal


def read_run(journal: Journal, blobs: Blobs, run_id: str) -> RunView:
    """Return a run as far as it has come, with what is under way in its steps.

    Raises `NotFound`, or `StoreFailed` if what it is made of is gone.
    """
    view = RunView(run_id, frozen_of(started_in(journal, run_id), blobs).graph)
    _read(journal, view, run_id)
    return view


def _read(journal: Journal, view: RunView, run_id: str) -> None:
    """Take in a run, and what is under way in it: what has ended has told its sums already."""
    graphs = {step.id for step in view.graph.steps if isinstance(step.task, GraphTask)}
    under_way: dict[str, StepStarted] = {}
    for recorded in journal.read(STREAM + run_id):
        view.hear_run(run_id, recorded)
        match recorded.event:
            case StepStarted(act_id=act_id):
                under_way[act_id] = recorded.event
            case StepFinished(act_id=act_id):
                under_way.pop(act_id, None)
            case _:
                pass
    for act_id, started in under_way.items():
        if run_id != view.run_id or view.visits[act_id].node in graphs:
            _read(journal, view, run_within(run_id, act_id, started.attempt))
        for recorded in journal.read(started.child_stream) if started.child_stream else ():
            view.hear_step(act_id, recorded)
