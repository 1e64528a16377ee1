"""The state of one run: a pure fold over its events, which says what can be done next and when it is over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from yeaft.events.codec import Recorded
from yeaft.events.graph import (
    EdgeClosed,
    GraphCancelled,
    GraphClaimed,
    GraphEnded,
    GraphStarted,
    GraphSuspended,
    StepFinished,
    StepStarted,
    TimerFired,
    TimerSet,
)
from yeaft.kernel.usage import Usage
from yeaft.workflows.graphs.conditions import Sums
from yeaft.workflows.graphs.executor.activation import Activation, Scope, Timer
from yeaft.workflows.graphs.executor.flow import Broken, Evaluate, Flow
from yeaft.workflows.graphs.executor.topology import Topology
from yeaft.workflows.graphs.graph import FREE, HIDDEN, FailTask, JudgeTask, Step

Elements = dict[tuple[int, int, Scope], set[int]]
"""Which elements of which lists (edge, visit, scope around it) are being worked on."""


MOST_CLAIMS = 5
"""So often a run is taken up by others without getting on; whoever comes next gives it up."""


class Execution:
    """One run as far as its events go. Only `apply` changes it; it does no I/O and asks no clock."""

    def __init__(self, run_id: str, topology: Topology, evaluate: Evaluate) -> None:
        self.run_id = run_id
        self.topology = topology
        self.started: GraphStarted | None = None
        self.started_ms = 0
        self.ended: GraphEnded | None = None
        self.cancelled: GraphCancelled | None = None
        self.failure = ""
        self.declared_limit = ""
        self.attempts: dict[str, int] = {}
        self.spent: dict[str, StepStarted] = {}
        self.told_closed: set[int] = set()
        self.is_poisoned = False
        self.streams: dict[str, str] = {}
        self.finished: dict[str, StepFinished] = {}
        self.due_ms: dict[str, int] = {}
        self.usage = Usage()
        self.cost_usd = 0.0
        self.steps = 0
        self._artifacts: dict[tuple[str, Scope], tuple[str, ...]] = {}
        self._begun: dict[str, None] = {}  # in this order, and not finished
        self._is_cost_known = False
        self._claims = 0
        self._progress = -1
        self._flow = Flow(run_id, topology, evaluate)

    def apply(self, recorded: Recorded) -> None:
        """Take in one more event, in order."""
        flow, event = self._flow, recorded.event
        flow.now_ms = max(flow.now_ms, recorded.ts)
        flow.totals = self._totals()
        try:
            match event:
                case GraphStarted():
                    self.started, self.started_ms = event, recorded.ts
                    flow.start(msgspec.json.decode(event.input))
                case StepStarted():
                    self.attempts[event.act_id] = event.attempt
                    if event.act_id not in self.finished:
                        self._begun[event.act_id] = None
                    self.streams[event.act_id] = event.child_stream
                    self.spent[event.act_id] = event
                case StepFinished():
                    self._finish(event)
                case TimerSet():
                    self.due_ms[event.timer_id] = event.due_ms
                case TimerFired():
                    flow.fire(event.timer_id)
                case GraphCancelled():
                    self.cancelled = event
                case EdgeClosed():
                    self.told_closed.add(event.edge)
                case GraphClaimed():
                    self._claim(event)
                case GraphSuspended():
                    self._claims = 0
                case GraphEnded():
                    self.ended = event
                case _:
                    return
            flow.settle()
        except Broken as error:
            self.failure = self.failure or str(error)

    @property
    def visited(self) -> Mapping[str, Activation]:
        """Every visit of a step so far, by the id of what was to be done."""
        return self._flow.visited

    @property
    def pending(self) -> Mapping[str, Activation]:
        """What is still to be done or being done."""
        return self._flow.pending

    @property
    def input(self) -> Any:
        """What the run was given."""
        return self._flow.input

    @property
    def deadline_ms(self) -> int:
        """When the run has had all the time it may take; 0 for never."""
        return self.started.deadline_ms if self.started else 0

    @property
    def last_output(self) -> Any:
        """What a step gave last, however far the run has come."""
        return self._flow.outputs.newest

    @property
    def timers(self) -> Mapping[str, Timer]:
        """What waits for its time."""
        return self._flow.timers

    @property
    def closed(self) -> frozenset[int]:
        """The edges over which nothing goes any more."""
        return frozenset(self._flow.closed)

    @property
    def is_stopping(self) -> bool:
        """Whether nothing new may begin."""
        return bool(self.failure) or self.cancelled is not None or bool(self.limit)

    @property
    def limit(self) -> str:
        """Which limit keeps what is ready from being begun, if any: `steps`, `cost` or `tokens`.

        A function is called even when all is spent, because it costs nothing and may say what was best.
        """
        pending, running = self._flow.pending, len(self.running)
        if len(pending) == running:
            return ""
        if self.steps + running >= self.topology.graph.limits.max_steps:
            return "steps"
        spent = self._spent
        left = (one for act, one in pending.items() if act not in self.attempts) if spent else ()
        return spent if all(map(self._costs, left)) else ""

    @property
    def _spent(self) -> str:
        """What the run may use no more of: `cost` or `tokens`; empty for nothing."""
        limits = self.topology.graph.limits
        if limits.cost_usd is not None and self.cost_usd >= limits.cost_usd:
            return "cost"
        if limits.tokens is not None and self.usage.sent + self.usage.output >= limits.tokens:
            return "tokens"
        return ""

    @property
    def running(self) -> tuple[Activation, ...]:
        """What was begun and has not ended."""
        pending = self._flow.pending
        return tuple(pending[act] for act in self._begun if act in pending)

    @property
    def abandoned(self) -> tuple[Activation, ...]:
        """What was begun and has no result, though nobody waits for it any more: others were faster."""
        return tuple(self._flow.visited[act] for act in self._begun if act not in self._flow.pending)

    def ready(self) -> tuple[Activation, ...]:
        """What may be begun now, the most urgent first, within the limits of what may go on at once."""
        if self.is_stopping:
            return ()
        running = self.running
        limits = self.topology.graph.limits
        room = min(limits.max_parallel, limits.max_steps - self.steps) - len(running)
        if room <= 0:
            return ()
        open_elements = _elements(running)
        is_spent = bool(self._spent)
        chosen: list[Activation] = []
        for one in sorted(self._flow.pending.values(), key=lambda one: one.order):
            if is_spent and self._costs(one):
                continue
            if len(chosen) >= room:
                break
            if one.act_id not in self.attempts and self._may_open(one.scope, open_elements):
                chosen.append(one)
                for group, indexes in _elements((one,)).items():
                    open_elements.setdefault(group, set()).update(indexes)
        return tuple(chosen)

    def _costs(self, one: Activation) -> bool:
        task = self.topology.steps[one.node].task
        if isinstance(task, JudgeTask):
            return any(part.vp_id for part in self.topology.judged(task.node))
        return not isinstance(task, FREE)

    @property
    def is_quiet(self) -> bool:
        """Whether there is nothing left to do or to wait for; what is detached may have to be stopped then."""
        if self.is_stopping:
            return not self.running
        if not self._flow.is_still:
            return False
        return not self._flow.has_detached or self.topology.graph.on_end == "cancel"

    @property
    def known_cost_usd(self) -> float | None:
        """What the steps have cost together; None if that is known of none of them."""
        return self.cost_usd if self._is_cost_known else None

    @property
    def has_result(self) -> bool:
        """Whether anything has reached the end."""
        return bool(self._flow.ends)

    def result(self) -> Any:
        """What has reached the end: one value, or those of several edges in the order they are declared."""
        ends = self._flow.ends
        return ends[0] if len(ends) == 1 else ends or None

    @property
    def dead_end(self) -> str:
        """Where the last value was lost that no edge took; empty if there is none."""
        return self._flow.dead_end

    def seen_from(self, scope: Scope) -> dict[str, Any]:
        """What each step gave last, as seen from within `scope`."""
        return self._flow.outputs.seen_from(scope)

    def artifacts_before(self, one: Activation) -> tuple[str, ...]:
        """The artifacts that steps just before this one, in its scope or around it, have given last."""
        before: frozenset[str] = self.topology.steps_before(one.node) if self._artifacts else frozenset()
        kept = {key: ids for key, ids in self._artifacts.items() if key[0] in before and _are_nested(key[1], one.scope)}
        return tuple(dict.fromkeys(one_id for ids in kept.values() for one_id in ids))

    def _claim(self, event: GraphClaimed) -> None:
        self._claims = self._claims + 1 if event.progress == self._progress else 1
        self._progress = event.progress
        if self._claims > MOST_CLAIMS:
            self.is_poisoned = True
            raise Broken(f"poison: {MOST_CLAIMS} processes ended while they drove this run, and it never got on")

    def _finish(self, event: StepFinished) -> None:
        self.finished[event.act_id] = event
        self._begun.pop(event.act_id, None)
        if event.artifacts and (visit := self._flow.visited.get(event.act_id)) is not None:
            self._artifacts[visit.node, visit.scope] = event.artifacts
        self.steps += 1
        self.usage += event.usage
        self.cost_usd += event.cost_usd or 0.0
        self._is_cost_known |= event.cost_usd is not None
        one = self._flow.take(event.act_id)
        if one is None:
            return  # nobody waited for it any more
        self._flow.totals = self._totals()
        try:
            if event.status == "ok":
                self._flow.succeed(one, msgspec.json.decode(event.value), self._sums_of(event))
            elif event.status != "cancelled":
                self._fail(one, event)
        finally:
            self._flow.done(one)

    def _fail(self, one: Activation, event: StepFinished) -> None:
        step = self._routing(self.topology.steps[one.node])
        value = {"error": event.error, "status": event.status, "step": step.id}
        match step.on_error:
            case "fail" if isinstance(step.task, FailTask) and event.status == "failed":
                self.declared_limit = self.declared_limit or step.task.limit
                raise Broken(event.error)
            case "fail":
                raise Broken(f"{_called(one.node)} {event.status.replace('_', ' ')}: {event.error}")
            case "skip":
                pass
            case "continue":
                self._flow.go_on(one, value)
            case "route":
                self._flow.reroute(one, step.error_step, {**value, "input": one.value})

    def _routing(self, step: Step) -> Step:
        """The step whose way in case of errors counts: that whose edges were to be decided on, if it has one."""
        judged = self.topology.steps.get(step.task.node) if isinstance(step.task, JudgeTask) else None
        return judged if judged is not None and judged.on_error == "route" else step

    def _sums_of(self, event: StepFinished) -> Sums:
        return Sums(
            count=1,
            cost_usd=event.cost_usd or 0.0,
            sent_tokens=event.usage.sent,
            received_tokens=event.usage.output,
            since_ms=self._flow.now_ms,
        )

    def _totals(self) -> Sums:
        return Sums(
            count=self.steps,
            cost_usd=self.cost_usd,
            sent_tokens=self.usage.sent,
            received_tokens=self.usage.output,
            since_ms=self.started_ms,
        )

    def _may_open(self, scope: Scope, open_elements: Elements) -> bool:
        for depth, frame in enumerate(scope):
            most = self.topology.edges[frame.edge].max_parallel
            indexes = open_elements.get((frame.edge, frame.visit, scope[:depth]), set())
            if most and frame.index not in indexes and len(indexes) >= most:
                return False
        return True


def _are_nested(one: Scope, other: Scope) -> bool:
    """Whether one of two scopes lies within the other."""
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def _elements(activations: tuple[Activation, ...]) -> Elements:
    """Which elements of which lists are being worked on."""
    found: Elements = {}
    for one in activations:
        for depth, frame in enumerate(one.scope):
            found.setdefault((frame.edge, frame.visit, one.scope[:depth]), set()).add(frame.index)
    return found


def _called(node: str) -> str:
    """How people are told of a step: by its name, or as what follows one if it was not written as a step."""
    name, is_hidden, _ = node.partition(HIDDEN)
    return f"What follows {name!r}" if is_hidden else f"Step {name!r}"
