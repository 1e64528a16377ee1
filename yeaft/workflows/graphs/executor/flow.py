"""How values travel through a graph: over edges, into steps, joins and lists, and to the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from yeaft.events.graph import Frame
from yeaft.kernel.lists import is_list
from yeaft.workflows.graphs.conditions import Moment, Outside, Sums, holds, read_json
from yeaft.workflows.graphs.executor.activation import Activation, Scope, Timer, act_id, timer_id
from yeaft.workflows.graphs.executor.latest_outputs import LatestOutputs
from yeaft.workflows.graphs.executor.meeting import Gathering, JoinBuffer
from yeaft.workflows.graphs.executor.topology import Topology
from yeaft.workflows.graphs.graph import END, START, Edge, JudgeTask
from yeaft.workflows.graphs.reducers import reduced

LONGEST_SHOWN = 120
Evaluate = Callable[[str, Mapping[str, Any]], Any]
"""What an expression comes to with these names. Raises `ValueError` if it cannot be evaluated."""


class Broken(Exception):
    """The run cannot go on: a value is not what an edge needs, or an expression fails."""


class Flow:
    """Where everything stands in a run: what has reached a step, what waits for others or for its time, what is done.

    `now_ms` and `totals`, what the run has used so far, are given from outside before anything moves.
    """

    def __init__(self, run_id: str, topology: Topology, evaluate: Evaluate) -> None:
        self.input: Any = None
        self.now_ms = 0
        self.totals = Sums()
        self.pending: dict[str, Activation] = {}
        self.visited: dict[str, Activation] = {}
        self.outputs = LatestOutputs()
        self.timers: dict[str, Timer] = {}
        self.closed: set[int] = set()
        self.dead_end = ""
        self._run_id = run_id
        self._topology = topology
        self._evaluate = evaluate
        self._sums: dict[int, Sums] = {}
        self._visits: Counter[tuple[str, Scope]] = Counter()
        self._passed: Counter[tuple[int, Scope]] = Counter()
        self._inbox: dict[str, list[Any]] = {}
        self._joins: dict[tuple[str, Scope], JoinBuffer] = {}
        self._gatherings: dict[tuple[int, Scope, tuple[int, int]], Gathering] = {}
        self._live: Counter[Scope] = Counter()
        self._detached = 0
        self._ends: dict[int, Any] = {}
        self._judged: dict[str, tuple[Any, Sums]] = {}

    @property
    def is_still(self) -> bool:
        """Whether nothing moves or waits any more but what is detached."""
        return self._live[()] == 0

    @property
    def has_detached(self) -> bool:
        """Whether anything detached is still under way."""
        return self._detached > 0

    @property
    def ends(self) -> list[Any]:
        """What has reached the end: the last value of each edge that leads there, in the order they are declared."""
        return [self._ends[edge.id] for edge in self._topology.graph.edges if edge.id in self._ends]

    def start(self, value: Any) -> None:
        """Let the input of the run go on from the start."""
        self.input = value
        self._leave(START, value, (), Sums(), is_detached=False)

    def take(self, act: str) -> Activation | None:
        """Take what is to be done out of what is pending; `done` has to be told of it when it has gone on."""
        return self.pending.pop(act, None)

    def done(self, one: Activation) -> None:
        """Nothing more comes of a visit."""
        self._move(one.scope, -1, is_detached=one.is_detached)

    def succeed(self, one: Activation, value: Any, sums: Sums) -> None:
        """Let what a step gave go on. Raises `Broken`."""
        task = self._topology.steps[one.node].task
        if isinstance(task, JudgeTask):
            passed, sums = self._judged.pop(one.act_id)
            self._route(task.node, passed, one.scope, sums, is_detached=one.is_detached, answers=value)
            return
        self.outputs.keep(one.node, one.scope, value)
        self._leave(one.node, value, one.scope, sums, is_detached=one.is_detached)

    def go_on(self, one: Activation, value: Any) -> None:
        """Let something else than its result go on from a step."""
        self._leave(one.node, value, one.scope, Sums(count=1), is_detached=one.is_detached)

    def reroute(self, one: Activation, node: str, value: Any) -> None:
        """Give a value to another step than those that would follow."""
        self._enter(node, one.node, value, one.scope, 0, is_detached=one.is_detached)

    def fire(self, timer_id: str) -> None:
        """Let a value go on whose time has come. Raises `Broken`."""
        timer = self.timers.get(timer_id)
        if timer is None:
            return
        edge = self._topology.edges[timer.edge]
        self._arrive(
            edge, timer.value, timer.scope, self._passed[edge.id, timer.scope] - 1, is_detached=timer.is_detached
        )
        del self.timers[timer_id]
        self._move(timer.scope, -1, is_detached=timer.is_detached)

    def _leave(self, node: str, value: Any, scope: Scope, sums: Sums, *, is_detached: bool) -> None:
        """Let a value go on from a node, once it is known which edges it takes."""
        if not self._topology.judged(node):
            self._route(node, value, scope, sums, is_detached=is_detached)
            return
        judge = next(s.id for s in self._topology.graph.steps if isinstance(s.task, JudgeTask) and s.task.node == node)
        one = self._activate(judge, value, scope, 0, is_detached=is_detached)
        self._judged[one.act_id] = (value, sums)

    def _route(
        self, node: str, value: Any, scope: Scope, sums: Sums, *, is_detached: bool, answers: Sequence[bool] = ()
    ) -> None:
        """Let a value go over those edges that take it; `answers` are those of `Topology.judged`."""
        edges = self._topology.leaving.get(node, ())
        told = dict(zip(self._topology.judged(node), answers, strict=True)) if answers else {}
        taken = {edge.id for edge in edges if not edge.is_else and self._takes(edge, value, scope, sums, told)}
        is_matched = any(edge.id in taken for edge in edges if _is_choice(edge))
        for edge in edges:
            if edge.id in taken or (edge.is_else and not is_matched and edge.id not in self.closed):
                self._pass(edge, value, scope, is_detached=is_detached)
        if edges and not taken and not any(edge.is_else for edge in edges):
            self.dead_end = f"what {node!r} gave ({_short(value)}) matched no edge"

    def _takes(self, edge: Edge, value: Any, scope: Scope, sums: Sums, told: Mapping[Outside, bool]) -> bool:
        if edge.id in self.closed:
            return False
        mine = self._sums.setdefault(edge.id, Sums(since_ms=self.now_ms))
        mine.count += 1
        mine.cost_usd += sums.cost_usd
        mine.sent_tokens += sums.sent_tokens
        mine.received_tokens += sums.received_tokens
        moment = Moment(
            value=value,
            edge=mine,
            run=self.totals,
            now_ms=self.now_ms,
            evaluate=lambda text: self._evaluate(text, self._names(value, scope)),
            answers=told,
        )
        try:
            if edge.stop_condition is not None and holds(edge.stop_condition, moment):
                self.closed.add(edge.id)
                return False
            if edge.max_visits and self._passed[edge.id, scope] >= edge.max_visits:
                return False
            if edge.condition is None:
                return True
            return holds(edge.condition, moment)
        except ValueError as error:
            raise Broken(
                f"The condition of the edge {edge.source} -> {edge.target} (line {edge.line}): {error}"
            ) from error

    def _pass(self, edge: Edge, value: Any, scope: Scope, *, is_detached: bool) -> None:
        visit = self._passed[edge.id, scope]
        self._passed[edge.id, scope] += 1
        is_detached |= edge.detached
        if edge.result_of:
            value = self.outputs.seen_from(scope).get(edge.result_of)
        if edge.transform:
            try:
                value = self._evaluate(edge.transform, self._names(value, scope))
            except ValueError as error:
                where = f"the edge {edge.source} -> {edge.target} (line {edge.line})"
                raise Broken(f"The transform of {where}: {error}") from error
        if edge.delay_ms:
            timer = Timer(
                timer_id=timer_id(self._run_id, edge.id, scope, visit),
                edge=edge.id,
                scope=scope,
                value=value,
                delay_ms=edge.delay_ms,
                from_ms=self.now_ms,
                is_detached=is_detached,
            )
            self.timers[timer.timer_id] = timer
            self._move(scope, +1, is_detached=is_detached)
            return
        self._arrive(edge, value, scope, visit, is_detached=is_detached)

    def _arrive(self, edge: Edge, value: Any, scope: Scope, visit: int, *, is_detached: bool) -> None:
        if edge.map:
            self._spread(edge, value, scope, visit, is_detached=is_detached)
        elif edge.collect:
            self._gather(edge, value, scope, is_detached=is_detached)
        elif edge.mode == "context":
            self._inbox.setdefault(edge.target, []).append(value)
        elif edge.mode == "forward" and edge.target in self._topology.steps:
            self._leave(edge.target, value, scope, Sums(count=1), is_detached=is_detached)
        else:
            self._land(edge, value, scope, is_detached=is_detached)

    def _land(self, edge: Edge, value: Any, scope: Scope, *, is_detached: bool) -> None:
        if edge.target == END:
            if not is_detached:
                self._ends.pop(edge.id, None)
                self._ends[edge.id] = value
        else:
            self._enter(edge.target, edge.source, value, scope, edge.priority, is_detached=is_detached)

    def _enter(self, node: str, source: str, value: Any, scope: Scope, priority: int, *, is_detached: bool) -> None:
        if (join := self._topology.joins.get(node)) is None:
            self._activate(node, value, scope, priority, is_detached=is_detached)
            return
        buffer = self._joins.setdefault((node, scope), JoinBuffer(join, scope))
        if (join.first or join.stop) and buffer.has_fired:
            return
        if not buffer.is_waiting:
            self._move(scope, +1, is_detached=is_detached)
            buffer.is_detached = is_detached
        buffer.put(source, value)

    def _activate(self, node: str, value: Any, scope: Scope, priority: int, *, is_detached: bool) -> Activation:
        visit = self._visits[node, scope]
        self._visits[node, scope] += 1
        one = Activation(
            act_id=act_id(self._run_id, node, scope, visit),
            node=node,
            scope=scope,
            visit=visit,
            value=value,
            order=(priority, len(self.visited)),
            inbox=tuple(self._inbox.pop(node, ())),
            is_detached=is_detached,
        )
        self.pending[one.act_id] = self.visited[one.act_id] = one
        self._move(scope, +1, is_detached=is_detached)
        return one

    def _spread(self, edge: Edge, value: Any, scope: Scope, visit: int, *, is_detached: bool) -> None:
        items = read_json(value) if isinstance(value, str) else value
        where = f"The edge {edge.source} -> {edge.target} (line {edge.line})"
        if not is_list(items):
            raise Broken(f"{where} spreads a list, but {edge.source!r} gave {_short(value)}")
        if edge.max_items and len(items) > edge.max_items:
            raise Broken(f"{where} may spread {edge.max_items} elements (max_items), but there are {len(items)}")
        gathering = self._topology.collect_of[edge.id]
        if gathering is not None:
            key = (gathering.id, scope, (edge.id, visit))
            self._gatherings[key] = Gathering(gathering.id, scope, (edge.id, visit), len(items))
            self._gatherings[key].is_detached = is_detached
            self._move(scope, +1, is_detached=is_detached)
        for index, item in enumerate(items):
            inner = (*scope, Frame(edge=edge.id, visit=visit, index=index, count=len(items)))
            self._enter(edge.target, edge.source, item, inner, edge.priority, is_detached=is_detached)

    def _gather(self, edge: Edge, value: Any, scope: Scope, *, is_detached: bool) -> None:
        if not scope:
            raise Broken(f"The edge {edge.source} -> {edge.target} (line {edge.line}) gathers what no edge has spread")
        frame, outer = scope[-1], scope[:-1]
        key = (edge.id, outer, (frame.edge, frame.visit))
        if key not in self._gatherings:
            self._gatherings[key] = Gathering(edge.id, outer, (frame.edge, frame.visit), frame.count)
            self._gatherings[key].is_detached = is_detached
            self._move(outer, +1, is_detached=is_detached)
        self._gatherings[key].values[frame.index] = value

    def settle(self) -> None:
        """Let joins and gatherings go on for which nothing more can come."""
        while self._settle_one():
            pass

    def _settle_one(self) -> bool:
        for key, gathering in tuple(self._gatherings.items()):
            if not self._lives_within(gathering):
                del self._gatherings[key]
                edge = self._topology.edges[gathering.edge]
                self._land(edge, gathering.ordered(), gathering.scope, is_detached=gathering.is_detached)
                self._move(gathering.scope, -1, is_detached=gathering.is_detached)
                return True
        waiting = [buffer for buffer in self._joins.values() if buffer.is_waiting]
        for buffer in waiting:
            if self._may_fire(buffer):
                self._fire_join(buffer)
                return True
        if waiting and not self._moves():
            self._fire_join(waiting[0])  # they wait for one another
            return True
        return False

    def _lives_within(self, gathering: Gathering) -> bool:
        """Whether anything still goes on with an element of a list."""
        edge_id, visit = gathering.spread_by
        while gathering.first_live < gathering.count:
            frame = Frame(edge=edge_id, visit=visit, index=gathering.first_live, count=gathering.count)
            if self._live[(*gathering.scope, frame)]:
                return True
            gathering.first_live += 1  # what is over with one element stays over
        return False

    def _may_fire(self, buffer: JoinBuffer) -> bool:
        if buffer.join.first:
            return buffer.given >= buffer.join.first or not self._can_reach(buffer, buffer.missing)
        is_decided = bool(buffer.join.stop) and buffer.is_decided
        return is_decided or not self._can_reach(buffer, buffer.missing)

    def _can_reach(self, buffer: JoinBuffer, inputs: tuple[str, ...]) -> bool:
        """Whether anything that lives could still give one of these inputs of a join."""
        feeders = self._topology.feeders[buffer.join.id]
        depth = len(buffer.scope)
        return any(
            node in feeders[name]
            for node, scope in self._places()
            if scope[:depth] == buffer.scope
            for name in inputs
            if node != buffer.join.id
        )

    def _places(self) -> list[tuple[str, Scope]]:
        """Where everything is that lives: steps to be done, values that wait, joins and gatherings that do."""
        places = [(self._place_of(one), one.scope) for one in self.pending.values()]
        places += [(self._topology.edges[timer.edge].target, timer.scope) for timer in self.timers.values()]
        places += [(buffer.join.id, buffer.scope) for buffer in self._joins.values() if buffer.is_waiting]
        places += [(self._topology.edges[one.edge].target, one.scope) for one in self._gatherings.values()]
        return places

    def _place_of(self, one: Activation) -> str:
        task = self._topology.steps[one.node].task
        return task.node if isinstance(task, JudgeTask) else one.node

    def _moves(self) -> bool:
        return bool(self.pending or self.timers or self._gatherings)

    def _fire_join(self, buffer: JoinBuffer) -> None:
        values = buffer.take()
        if buffer.join.first:
            values = values[: buffer.join.first]
            buffer.drop()
            self._stop_feeders(buffer)
            value: Any = values[0] if buffer.join.first == 1 else values
        else:
            value = values
            if buffer.join.stop:
                buffer.drop()
                self._stop_feeders(buffer)
        if buffer.join.reducer:
            try:
                value = reduced(buffer.join, values)
            except ValueError as error:
                raise Broken(f"The join {buffer.join.id!r} (line {buffer.join.line}): {error}") from error
        self.outputs.keep(buffer.join.id, buffer.scope, value)
        self._leave(buffer.join.id, value, buffer.scope, Sums(count=1), is_detached=buffer.is_detached)
        if not buffer.is_waiting:
            self._move(buffer.scope, -1, is_detached=buffer.is_detached)

    def _stop_feeders(self, buffer: JoinBuffer) -> None:
        """What could only have given more to a join that needs no more is not done any more."""
        feeders = frozenset[str]().union(*self._topology.feeders[buffer.join.id].values())
        depth = len(buffer.scope)
        for one in tuple(self.pending.values()):
            if self._place_of(one) in feeders and one.scope[:depth] == buffer.scope:
                del self.pending[one.act_id]
                self._judged.pop(one.act_id, None)
                self._move(one.scope, -1, is_detached=one.is_detached)

    def _move(self, scope: Scope, by: int, *, is_detached: bool) -> None:
        if is_detached:
            self._detached += by
            return
        for depth in range(len(scope) + 1):
            self._live[scope[:depth]] += by

    def _names(self, value: Any, scope: Scope) -> dict[str, Any]:
        """What an expression can speak of."""
        return {
            "value": value,
            "input": self.input,
            "steps": self.outputs.seen_from(scope),
            "params": self._topology.graph.params,
            "index": scope[-1].index if scope else 0,
        }


def _is_choice(edge: Edge) -> bool:
    return edge.condition is not None or edge.max_visits > 0 or edge.stop_condition is not None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
