"""A run made again from its journal, without a model, tool or network: does it go as it went then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from yeaft.events.graph import EdgeClosed, GraphEnded, GraphStarted, StepFinished, StepReady, StepStarted, TimerFired
from yeaft.workflows.graphs.executor.execution import Execution
from yeaft.workflows.graphs.executor.topology import Topology
from yeaft.workflows.graphs.expressions import evaluated
from yeaft.workflows.graphs.runs.run_ledger import STREAM
from yeaft.workflows.graphs.runs.session_runs import frozen_of, run_ids, started_in

if TYPE_CHECKING:
    from yeaft.events.codec import Recorded
    from yeaft.store.journal import Blobs, Journal


class Replayed(Struct, frozen=True, kw_only=True):
    """How a run went when it was made again: `divergence` is the first event that does not follow from those before.

    It is empty where all do; `seq` is the place of that event in the run's stream. `acts` are the visits of its steps.
    """

    run_id: str
    name: str
    events: int
    acts: tuple[str, ...]
    divergence: str = ""
    seq: int = 0


def replayed(journal: Journal, blobs: Blobs, run_id: str) -> Replayed:
    """Make a run again from what is recorded of it. Raises `NotFound`, or `StoreFailed` if its graph is gone."""
    frozen = frozen_of(started_in(journal, run_id), blobs)
    execution = Execution(run_id, Topology(frozen.graph), evaluated)
    records = journal.read(STREAM + run_id)
    divergence, seq = divergence_of(execution, records)
    return Replayed(
        run_id=run_id,
        name=frozen.graph.name,
        events=len(records),
        acts=tuple(execution.visited),
        divergence=divergence,
        seq=seq,
    )


def replayed_whole(journal: Journal, blobs: Blobs, run_id: str) -> Replayed:
    """Make a run again with all runs of graphs that are steps of it; `events` and `acts` are those of all."""
    whole, *inner = [replayed(journal, blobs, one) for one in runs_within(journal, run_id)]
    strange = next((one for one in inner if one.divergence), None)
    if strange is not None and not whole.divergence:
        whole = replace(whole, divergence=f"{strange.name}: {strange.divergence}", seq=strange.seq)
    acts = (*whole.acts, *(act for one in inner for act in one.acts))
    return replace(whole, events=sum((one.events for one in inner), start=whole.events), acts=acts)


def runs_within(journal: Journal, run_id: str) -> tuple[str, ...]:
    """The run itself, then those of the graphs that are steps of it, however deep. Raises `NotFound`."""
    parents = {one: started_in(journal, one).parent_run for one in run_ids(journal)}
    found = [run_id]
    for parent in found:  # grows on the way
        found.extend(one for one, its_parent in parents.items() if its_parent == parent)
    return tuple(found)


def step_streams(journal: Journal, acts: Iterable[str]) -> Iterator[str]:
    """Yield the streams of what happened in these visits of steps."""
    wanted = set(acts)
    for stream in journal.streams():
        kind, _, rest = stream.partition("/")
        if kind == "step" and rest.partition("/")[0] in wanted:
            yield stream


def divergence_of(execution: Execution, records: Iterable[Recorded]) -> tuple[str, int]:
    """Let a new execution take in events; return the first one that does not follow, in words, with its place."""
    divergence, seq = "", 0
    for recorded in records:
        said = "" if divergence else _strange(execution, recorded)
        if said:
            divergence, seq = said, recorded.seq
        execution.apply(recorded)
    return divergence, seq


def _strange(execution: Execution, recorded: Recorded) -> str:
    """Say why an event does not follow from the state of the run; empty if it does."""
    match recorded.event:
        case StepReady(act_id=act, node=node, visit=visit, scope=scope):
            one = execution.pending.get(act)
            if one is None:
                waiting = ", ".join(sorted({one.node for one in execution.pending.values()})) or "nothing"
                return f"step {node!r} was begun, but what can be done here is: {waiting}"
            is_same = (one.node, one.visit, one.scope) == (node, visit, scope)
            return "" if is_same else f"step {node!r} was begun, but the same visit is one of {one.node!r} here"
        case StepStarted(act_id=act) if act not in execution.pending:
            return f"a visit ({act}) was tried that nothing has led to"
        case StepFinished(act_id=act) if act not in execution.visited:
            return f"a visit ({act}) has a result that nothing has led to"
        case TimerFired(timer_id=timer) if timer not in execution.timers and timer not in execution.due_ms:
            return f"a time came ({timer}) that nothing waited for"
        case EdgeClosed(edge=edge, source=source, target=target) if edge not in execution.closed:
            return f"the edge {source} -> {target} was closed, but is open here"
        case GraphEnded() as ended:
            return _other_end(execution, ended)
        case GraphStarted() if execution.started is not None:
            return "it begins twice"
        case _:
            return ""


def _other_end(execution: Execution, ended: GraphEnded) -> str:
    value = execution.result() if execution.has_result else execution.last_output
    if msgspec.json.decode(ended.value) != msgspec.json.decode(msgspec.json.encode(value)):
        return "it ended with another result than its steps come to here"
    if ended.outcome == "completed" and (execution.failure or execution.pending):
        left = ", ".join(sorted({one.node for one in execution.pending.values()}))
        return f"it ended as completed, but here {execution.failure or f'these are still to be done: {left}'}"
    if ended.outcome == "failed" and not execution.failure and execution.has_result:
        return f"it ended as failed ({ended.error}), but nothing fails here"
    return ""
