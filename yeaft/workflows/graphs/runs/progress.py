"""How far a run has come, whoever drove it: what shows whether it gets on or its owners only die of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.events.call import CallFinished
from yeaft.events.graph import StepFinished, StepStarted, TimerFired
from yeaft.events.turn import ReplyCompleted
from yeaft.kernel import ids

if TYPE_CHECKING:
    from yeaft.store.journal import Journal


def run_within(run_id: str, act_id: str, attempt: int) -> str:
    """Return the id of the run that is made for one attempt at a visit: the same attempt always has the same run."""
    return ids.derive("r_", run_id, act_id, "run", attempt)


def progress_in(journal: Journal, stream: str) -> int:
    """Return how many results there are in a run, and in those of its steps that have not ended."""
    count = 0
    under_way: dict[str, StepStarted] = {}
    run_id = stream.partition("/")[2]
    for recorded in journal.read(stream):
        match recorded.event:
            case StepStarted() as started:
                under_way[started.act_id] = started
                count += 1
            case StepFinished(act_id=act):
                under_way.pop(act, None)
                count += 1
            case TimerFired():
                count += 1
            case _:
                pass
    for started in under_way.values():
        within = run_within(run_id, started.act_id, started.attempt)
        count += _results_in(journal, started.child_stream) + progress_in(journal, f"graph/{within}")
    return count


def _results_in(journal: Journal, stream: str) -> int:
    return sum(isinstance(one.event, ReplyCompleted | CallFinished) for one in journal.read(stream) if stream)
