"""A run that goes on from another one: what is not to be done anew is taken over, result by result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.events.graph import GraphStarted, StepFinished, StepReady, StepStarted, TimerFired, TimerSet
from yeaft.workflows.graphs.executor.activation import Activation, act_id
from yeaft.workflows.graphs.executor.execution import Execution
from yeaft.workflows.graphs.graph import HIDDEN

if TYPE_CHECKING:
    from yeaft.events.codec import Event, Recorded
    from yeaft.workflows.graphs.runs.run_ledger import RunLedger

Anew = Callable[[Activation, StepFinished], bool]
"""Whether a visit that has ended is to be done again."""


def at_step(node: str) -> Anew:
    """Do a step and whatever depends on it anew."""
    return lambda one, finished: one.node == node or finished.status == "cancelled"


def failed_at(node: str, old: Execution) -> Anew:
    """Do what failed at a step of `old` anew; where nothing did, the last visit of it in each place.

    Where a limit of the run kept the step, or what follows it, from being begun, that is all there is to do.
    """
    own = [(old.visited[act], done) for act, done in old.finished.items() if old.visited[act].node == node]
    again = {one.act_id for one, done in own if done.status != "ok"}
    if not again and node not in kept_back(old):
        last = {one.scope: one.act_id for one, _ in own}
        again = set(last.values())
    return lambda one, done: one.act_id in again or done.status == "cancelled"


def kept_back(old: Execution) -> tuple[str, ...]:
    """Return the written steps that a limit of the run itself stopped, or kept from being begun, or what follows them.

    Those that it stopped come first, the newest of them foremost. There are none if the run has ended otherwise.
    """
    if old.ended is None or old.ended.outcome != "limit" or old.declared_limit:
        return ()
    cancelled = [old.visited[act] for act, done in old.finished.items() if done.status == "cancelled"]
    # Only time stops what goes on; what was cancelled in any other run was just slower than another, as in a join.
    stopped = cancelled[::-1] if old.ended.limit == "minutes" else []
    return tuple(dict.fromkeys(one.node.partition(HIDDEN)[0] for one in (*stopped, *old.pending.values())))


async def take_over(records: Sequence[Recorded], old: Execution, new: RunLedger, anew: Anew) -> int:
    """Give `new`, which has just begun, the results of `old`, whose events these are; return how many it took.

    `old` is empty and of the same shape. What follows from a visit that is done anew is not taken, because nothing in
    `new` waits for it. Their streams stay those of `old`; usage and cost are taken along, so that limits and
    conditions come to the same.
    """
    execution = new.execution
    taken = 0
    for recorded in records:
        event = recorded.event
        if isinstance(event, TimerFired):
            await _fire(old, new, event)
        old.apply(recorded)
        if isinstance(event, GraphStarted) or not isinstance(event, StepFinished):
            continue
        one = old.visited.get(event.act_id)
        if one is None or anew(one, event) or _ends_all(old, one, event):
            continue
        act = act_id(execution.run_id, one.node, one.scope, one.visit)
        if act in execution.pending:
            stream = old.streams.get(event.act_id, "")
            await new.post(*_as_taken(replace(one, act_id=act), event, stream), cause=event.act_id)
            taken += 1
    return taken


def _as_taken(one: Activation, finished: StepFinished, stream: str) -> tuple[Event, ...]:
    return (
        StepReady(act_id=one.act_id, node=one.node, visit=one.visit, scope=one.scope),
        StepStarted(act_id=one.act_id, attempt=0, child_stream=stream),
        replace(finished, act_id=one.act_id),
    )


def _ends_all(old: Execution, one: Activation, finished: StepFinished) -> bool:
    """Whether a visit's failure would end the run, which is what it is to get past."""
    return finished.status != "ok" and old.topology.steps[one.node].on_error == "fail"


async def _fire(old: Execution, new: RunLedger, fired: TimerFired) -> None:
    """Let the wait in `new` be over that is the one of `old` which was."""
    waited = old.timers.get(fired.timer_id)
    if waited is None:
        return
    for timer in tuple(new.execution.timers.values()):
        if (timer.edge, timer.scope) == (waited.edge, waited.scope):
            due_ms = timer.from_ms
            await new.post(TimerSet(timer_id=timer.timer_id, due_ms=due_ms))
            await new.post(TimerFired(timer_id=timer.timer_id, due_ms=due_ms))
            return
