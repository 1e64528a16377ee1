"""What is wrong with the shape of a graph, all of it at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise

from yeaft.kernel.nearness import nearest
from yeaft.workflows.graphs.conditions import Condition, Every, Match, Not, Some
from yeaft.workflows.graphs.files.compiling import Compiled
from yeaft.workflows.graphs.files.components import components
from yeaft.workflows.graphs.files.located import Mistake
from yeaft.workflows.graphs.graph import END, HIDDEN, START, Edge, Graph, Join, JudgeTask, VpTask
from yeaft.workflows.graphs.outputs import fields_of
from yeaft.workflows.graphs.plain_values import listing, mapping


def shape_mistakes(compiled: Compiled) -> Iterator[Mistake]:
    """Yield what keeps a graph from being run. Names must have been found before."""
    graph = compiled.graph
    yield from _unreached(graph)
    yield from _unbounded(graph)
    yield from _depths(graph)
    yield from _uncertain(graph, compiled.partial)
    yield from _impossible(graph)


def shape_warnings(compiled: Compiled) -> Iterator[Mistake]:
    """Yield what may go another way than was meant."""
    steps = {step.id: step for step in compiled.graph.steps}
    for edge in compiled.graph.edges:
        step = steps.get(edge.source)
        fields = [one.field for one in _matches(edge.condition) if one.field]
        if fields and step is not None and step.out == "text" and isinstance(step.task, VpTask):
            yield Mistake(
                edge.line,
                f"{edge.source!r} gives free text; {fields[0]!r} is looked for in it only if it is JSON, "
                f"else the edge is not taken. Say `output: {{{fields[0]}: ...}}` in the step",
            )


class Reach:
    """Answers what can be reached from where; what was asked once is remembered."""

    def __init__(self, graph: Graph) -> None:
        self._following: dict[str, list[tuple[int, str]]] = {}
        self._found: dict[tuple[str, frozenset[int]], frozenset[str]] = {}
        for edge in graph.edges:
            self._following.setdefault(edge.source, []).append((edge.id, edge.target))
        for step in graph.steps:
            if step.error_step:
                self._following.setdefault(step.id, []).append((-1, step.error_step))

    def of(self, source: str, without: frozenset[int] = frozenset()) -> frozenset[str]:
        """All nodes that can be reached from one, itself included, over edges other than those with these ids."""
        if (known := self._found.get((source, without))) is not None:
            return known
        found: set[str] = set()
        left = [source]
        while left:
            node = left.pop()
            if node not in found:
                found.add(node)
                left += [target for edge, target in self._following.get(node, ()) if edge not in without]
        self._found[source, without] = frozenset(found)
        return self._found[source, without]


def _unreached(graph: Graph) -> Iterator[Mistake]:
    found = Reach(graph).of(START)
    for step in graph.steps:
        if step.id not in found and not isinstance(step.task, JudgeTask) and HIDDEN not in step.id:
            yield Mistake(step.line, f"nothing leads to step {step.id!r}; add an edge to it, or leave it out")
    if not graph.steps:
        yield Mistake(0, f"the graph {graph.name!r} has no steps")


def _unbounded(graph: Graph) -> Iterator[Mistake]:
    """Yield a cycle that nothing ends for each part of the graph that has one."""
    following: dict[str, list[str]] = {}
    for edge in graph.edges:
        if not edge.max_visits and edge.stop_condition is None and edge.mode != "context":
            following.setdefault(edge.source, []).append(edge.target)
    for step in graph.steps:
        if step.error_step:
            following.setdefault(step.id, []).append(step.error_step)
    for part in components(following):
        nodes = (*(step.id for step in graph.steps), *(join.id for join in graph.joins))
        path = _cycle(following, next(node for node in nodes if node in part), part)
        shown = " -> ".join(node for node in (*path, path[0]) if HIDDEN not in node)
        pairs = set(pairwise((*path, path[0])))
        lines = [edge.line for edge in graph.edges if (edge.source, edge.target) in pairs]
        text = f"the cycle {shown} has no end; give one of its edges max_visits or a stop_condition"
        yield Mistake(max(lines, default=0), text)


def _cycle(following: Mapping[str, list[str]], start: str, part: frozenset[str]) -> list[str]:
    """The nodes of a shortest way from one node of a part, in which all reach each other, back to it."""
    came_from: dict[str, str] = {}
    left = [start]
    for node in left:
        for target in following.get(node, ()):
            if target == start:
                path = [node]
                while path[-1] != start:
                    path.append(came_from[path[-1]])
                return path[::-1]
            if target in part and target not in came_from:
                came_from[target] = node
                left.append(target)
    raise AssertionError(part)


def _depths(graph: Graph) -> Iterator[Mistake]:
    """Yield where lists are spread and not gathered, or gathered and not spread."""
    leaving: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        if edge.mode != "context":
            leaving.setdefault(edge.source, []).append(edge)
    depths: dict[str, int] = {START: 0}
    left = [START]
    for node in left:
        for edge in leaving.get(node, ()):
            depth = depths[node] + (1 if edge.map else 0) - (1 if edge.collect else 0)
            if depth < 0:
                text = f"the edge {edge.source} -> {edge.target} gathers (join) what nothing has spread"
                yield Mistake(edge.line, text)
            elif edge.target == END and depth:
                text = f"{edge.source!r} leads to the end within a map; gather it first with join: true"
                yield Mistake(edge.line, text)
            elif edge.target not in depths:
                depths[edge.target] = depth
                left.append(edge.target)
            elif depths[edge.target] != depth:
                yield Mistake(edge.line, f"{edge.target!r} is reached both within a map and outside of it")


def uncertain_joins(graph: Graph) -> Iterator[tuple[Join, str, Edge]]:
    """Yield each join that would wait for an input that may never come while another does: the input, and why."""
    reach = Reach(graph)
    choices: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        if edge.condition is not None or edge.is_else:
            choices.setdefault(edge.source, []).append(edge)
    counts = Counter(edge.source for edge in graph.edges)
    without = {node: reach.of(START, frozenset(edge.id for edge in edges)) for node, edges in choices.items()}
    sure = reach.of(START, frozenset(edge.id for edges in choices.values() for edge in edges))
    for join in graph.joins:
        for missing in join.inputs:
            if missing in sure:
                continue
            nodes = [node for node in choices if missing not in without[node]]
            barriers = (_barrier(reach, choices[node], counts[node], join, missing) for node in nodes)
            if (barrier := next(filter(None, barriers), None)) is not None:
                yield join, missing, barrier
                break


def _uncertain(graph: Graph, partial: frozenset[str]) -> Iterator[Mistake]:
    for join, missing, edge in uncertain_joins(graph):
        if join.id not in partial:
            yield Mistake(
                join.line,
                f"the join of {', '.join(join.inputs)} waits for {missing!r}, which the condition at "
                f"{edge.source!r} can leave out; say `partial: true` to go on with those that come",
            )


def _barrier(reach: Reach, choices: list[Edge], leaving: int, join: Join, missing: str) -> Edge | None:
    """An edge with a condition without which `missing` is never reached, though another input is.

    `choices` are those of one node, from which `leaving` edges go out in all.
    """
    leading = [edge for edge in choices if missing in reach.of(edge.target)]
    is_certain = len(leading) == leaving and any(edge.is_else for edge in leading)
    if not leading or is_certain:
        return None
    together = (edge for edge in choices if any(_are_taken_together(edge, one) for one in leading))
    found = reach.of(START, frozenset(edge.id for edge in together))
    return leading[0] if missing not in found and any(one in found for one in join.inputs) else None


def _are_taken_together(one: Edge, other: Edge) -> bool:
    """Whether of two edges that leave one node both are taken or none: written as one, or on the same conditions."""
    same = (one.condition, one.stop_condition, one.max_visits) == (
        other.condition,
        other.stop_condition,
        other.max_visits,
    )
    return one.is_else == other.is_else and same


def _impossible(graph: Graph) -> Iterator[Mistake]:
    """Yield conditions on what a step can never give."""
    fields = {step.id: fields_of(step) for step in graph.steps}
    for edge in graph.edges:
        known = fields.get(edge.source, {})
        for match in (*_matches(edge.condition), *_matches(edge.stop_condition)) if known else ():
            name = re.split(r"[.\[]", match.field)[0]
            if not name:
                continue
            if name not in known:
                near = nearest(name, known)
                hint = f" Did you mean {near!r}?" if near else f" It gives {', '.join(known)}."
                yield Mistake(edge.line, f"{edge.source!r} gives no {name!r}.{hint}")
                continue
            choices = listing(mapping(known[name]).get("enum")) if name == match.field else []
            for value in (*([match.value] if match.has_value else []), *match.within):
                if choices and value not in choices:
                    listed = ", ".join(map(str, choices))
                    yield Mistake(edge.line, f"{name!r} of {edge.source!r} is one of {listed}, never {value!r}")


def _matches(condition: Condition | None) -> Iterator[Match]:
    match condition:
        case Match():
            yield condition
        case Every(conditions=conditions) | Some(conditions=conditions):
            for one in conditions:
                yield from _matches(one)
        case Not(condition=inner):
            yield from _matches(inner)
        case _:
            return
