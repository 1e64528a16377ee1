"""Random programs that can be told in two ways: as a graph, and as a function that is simply called."""

import random
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from yeaft.events.codec import Recorded
from yeaft.events.fact import BlobRef
from yeaft.events.graph import GraphStarted, StepFinished, StepStarted
from yeaft.workflows.graphs.conditions import Match
from yeaft.workflows.graphs.executor.execution import Execution
from yeaft.workflows.graphs.executor.flow import Evaluate
from yeaft.workflows.graphs.executor.topology import Topology
from yeaft.workflows.graphs.graph import Edge, Graph, GraphLimits, Join, Step, VpTask

RUN = "r_test"
NO_BLOB = BlobRef(sha256="", size_bytes=0, mime="")
Value = Any


class Do(NamedTuple):
    name: str


class Seq(NamedTuple):
    parts: tuple[Any, ...]


class Fork(NamedTuple):
    name: str
    before: Do
    branches: tuple[Any, ...]
    after: Do


class If(NamedTuple):
    test: Do
    then: Any
    otherwise: Any | None
    after: Do


class Map(NamedTuple):
    source: Do
    body: Any
    after: Do


class Loop(NamedTuple):
    body: Seq
    again: Do
    most: int
    after: Do


def result_of(name: str, value: Value) -> dict[str, Any]:
    """What a step makes of a value: the same for the same, different for anything else."""
    digest = sha256(msgspec.json.encode([name, value])).digest()
    return {
        "by": f"{name}:{digest[:4].hex()}",
        "n": digest[5] % 4,
        "items": [f"{name}{i}:{digest[6]}" for i in range(digest[7] % 4)],
    }


def random_program(seed: int) -> Seq:
    chance = random.Random(seed)
    names = (f"s{number}" for number in range(10_000))
    return _seq(chance, names, depth=3)


def _seq(chance: random.Random, names: Iterator[str], depth: int) -> Seq:
    return Seq((_do(names), *(_part(chance, names, depth) for _ in range(chance.randint(0, 2)))))


def _do(names: Iterator[str]) -> Do:
    return Do(next(names))


def _part(chance: random.Random, names: Iterator[str], depth: int) -> Any:
    kind = chance.choice(["do", "fork", "if", "map", "loop"]) if depth else "do"
    match kind:
        case "fork":
            branches = tuple(_seq(chance, names, depth - 1) for _ in range(chance.randint(2, 3)))
            return Fork("j" + next(names), _do(names), branches, _do(names))
        case "if":
            otherwise = _seq(chance, names, depth - 1) if chance.random() < 0.5 else None
            return If(_do(names), _seq(chance, names, depth - 1), otherwise, _do(names))
        case "map":
            return Map(_do(names), _seq(chance, names, depth - 1), _do(names))
        case "loop":
            return Loop(_seq(chance, names, depth - 1), _do(names), chance.randint(1, 3), _do(names))
        case _:
            return _do(names)


def evaluated(program: Any, value: Value, gone_round: Counter[str] | None = None) -> Value:
    """What a program comes to, simply called. A loop may go round so often in all that is done with one element."""
    rounds = Counter[str]() if gone_round is None else gone_round
    match program:
        case Do(name):
            return result_of(name, value)
        case Seq(parts):
            for part in parts:
                value = evaluated(part, value, rounds)
            return value
        case Fork(_, before, branches, after):
            value = evaluated(before, value, rounds)
            return evaluated(after, [evaluated(branch, value, rounds) for branch in branches], rounds)
        case If(test, then, otherwise, after):
            value = evaluated(test, value, rounds)
            if value["n"] in (0, 1):
                value = evaluated(then, value, rounds)
            elif otherwise is not None:
                value = evaluated(otherwise, value, rounds)
            return evaluated(after, value, rounds)
        case Map(source, body, after):
            items = evaluated(source, value, rounds)["items"]
            return evaluated(after, [evaluated(body, item) for item in items], rounds)
        case Loop(body, again, most, after):
            while True:
                value = evaluated(again, evaluated(body, value, rounds), rounds)
                if value["n"] not in (0, 1, 2) or rounds[again.name] >= most:
                    return evaluated(after, value, rounds)
                rounds[again.name] += 1
    raise AssertionError(program)


class Builder:
    """Writes a program down as a graph."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.joins: list[Join] = []
        self.edges: list[Edge] = []

    def graph(self, program: Any) -> Graph:
        first, last = self.add(program)
        self.edge("start", first)
        self.edge(last, "end")
        return Graph(
            name="random",
            steps=tuple(self.steps),
            joins=tuple(self.joins),
            edges=tuple(self.edges),
            limits=GraphLimits(max_steps=100_000, max_parallel=4),
        )

    def edge(self, source: str, target: str, **how: Any) -> None:
        number = len(self.edges)
        self.edges.append(Edge(id=number, source=source, target=target, group=number, **how))

    def add(self, program: Any) -> tuple[str, str]:
        """Add a part; returns its first and its last node."""
        match program:
            case Do(name):
                self.steps.append(Step(id=name, task=VpTask(vp_id="x"), out="json"))
                return name, name
            case Seq(parts):
                ends = [self.add(part) for part in parts]
                for (_, last), (first, _) in pairwise(ends):
                    self.edge(last, first)
                return ends[0][0], ends[-1][1]
            case Fork(name, before, branches, after):
                first, _ = self.add(before)
                ends = [self.add(branch) for branch in branches]
                self.joins.append(Join(id=name, inputs=tuple(last for _, last in ends)))
                for begin, last in ends:
                    self.edge(first, begin)
                    self.edge(last, name)
                last, _ = self.add(after)
                self.edge(name, last)
                return first, last
            case If(test, then, otherwise, after):
                first, _ = self.add(test)
                end, _ = self.add(after)
                begin, last = self.add(then)
                self.edge(first, begin, condition=Match(field="n", within=(0, 1)))
                self.edge(last, end)
                if otherwise is None:
                    self.edge(first, end, is_else=True)
                else:
                    begin, last = self.add(otherwise)
                    self.edge(first, begin, is_else=True)
                    self.edge(last, end)
                return first, end
            case Map(source, body, after):
                first, _ = self.add(source)
                begin, last = self.add(body)
                end, _ = self.add(after)
                self.edge(first, begin, map=True, transform="value.items", max_parallel=2)
                self.edge(last, end, collect=True)
                return first, end
            case Loop(body, again, most, after):
                first, last = self.add(body)
                test, _ = self.add(again)
                end, _ = self.add(after)
                self.edge(last, test)
                self.edge(test, first, condition=Match(field="n", within=(0, 1, 2)), max_visits=most)
                self.edge(test, end, is_else=True)
                return first, end
        raise AssertionError(program)


def items(text: str, names: Any) -> Any:
    assert text == "value.items"
    return names["value"]["items"]


class Runner:
    """Drives a graph without a model or a disk: steps are computed, events are kept in a list."""

    def __init__(self, graph: Graph, events: list[Any] | None = None, evaluate: Evaluate = items) -> None:
        self.topology = Topology(graph)
        self.events: list[Any] = []
        self.execution = Execution(RUN, self.topology, evaluate)
        self.most_open = 0
        for event in events or [GraphStarted(run_id=RUN, name="random", graph=NO_BLOB, input=msgspec.Raw(b'"go"'))]:
            self.append(event)

    def append(self, event: Any) -> None:
        self.events.append(event)
        number = len(self.events)
        self.execution.apply(
            Recorded(
                id=str(number), stream="graph/r", seq=number, ts=number, src="", cause="", corr="", epoch=1, event=event
            )
        )

    def run(self, chance: random.Random) -> Value:
        """Do what there is to do, in any order that is allowed, to the end."""
        open_ids = [one.act_id for one in self.execution.running]
        while not self.execution.is_quiet:
            ready = self.execution.ready()
            if ready and (not open_ids or chance.random() < 0.7):
                one = chance.choice(ready)
                self.append(StepStarted(act_id=one.act_id, attempt=0))
                open_ids.append(one.act_id)
                self.most_open = max(self.most_open, len(open_ids))
                continue
            assert open_ids, "nothing to do, and yet not at the end"
            act_id = open_ids.pop(chance.randrange(len(open_ids)))
            one = self.execution.visited[act_id]
            value = msgspec.Raw(msgspec.json.encode(result_of(one.node, one.value)))
            self.append(StepFinished(act_id=act_id, status="ok", value=value))
        assert not self.execution.failure, self.execution.failure
        return self.execution.result()


def cut_differences(seed: int, step: int = 1) -> tuple[int, list[str]]:
    """Cut the run of a random graph off before every `step`-th append, go on with each cut in another order.

    Returns how often it was cut, and where that came to another result or to other ids than the whole run.
    """
    graph = Builder().graph(random_program(seed))
    whole = Runner(graph)
    result = whole.run(random.Random(seed))
    cuts = range(1, len(whole.events), step)
    differing: list[str] = []
    for cut in cuts:
        again = Runner(graph, whole.events[:cut])
        if again.run(random.Random(cut)) != result:
            differing.append(f"graph {seed}, cut before append {cut + 1}: another result")
        if again.execution.finished.keys() != whole.execution.finished.keys():
            differing.append(f"graph {seed}, cut before append {cut + 1}: other ids")
    return len(cuts), differing
