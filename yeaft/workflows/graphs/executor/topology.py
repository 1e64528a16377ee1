"""What follows from the shape of a graph alone: who feeds whom, and which edges belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from yeaft.workflows.graphs.conditions import Outside, outside_parts
from yeaft.workflows.graphs.graph import Edge, Graph, Join, Step


class Topology:
    """The shape of one graph, worked out once for all that happens in a run of it."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.steps: Mapping[str, Step] = {step.id: step for step in graph.steps}
        self.joins: Mapping[str, Join] = {join.id: join for join in graph.joins}
        self.edges: Mapping[int, Edge] = {edge.id: edge for edge in graph.edges}
        self.leaving = _by(graph.edges, lambda edge: edge.source)
        self.entering = _by(graph.edges, lambda edge: edge.target)
        self._failing = {
            step.error_step: _failing_into(step.error_step, graph) for step in graph.steps if step.error_step
        }
        self.feeders = {join.id: self._feeders(join) for join in graph.joins}
        self.collect_of = {edge.id: self._collect_of(edge) for edge in graph.edges if edge.map}

    def judged(self, node: str) -> tuple[Outside, ...]:
        """What somebody outside has to decide before it is known which edges of a node are taken; each thing once."""
        edges = self.leaving.get(node, ())
        parts = (part for edge in edges for one in (edge.condition, edge.stop_condition) for part in outside_parts(one))
        return tuple(dict.fromkeys(parts))

    def steps_before(self, node: str) -> frozenset[str]:
        """The steps whose output reaches a node without another step between them."""
        found: set[str] = set()
        seen: set[str] = set()
        left = [node]
        while left:
            for edge in self.entering.get(left.pop(), ()):
                if edge.source in self.joins and edge.source not in seen:
                    seen.add(edge.source)
                    left.append(edge.source)
                elif edge.source in self.steps:
                    found.add(edge.source)
        return frozenset(found)

    def _feeders(self, join: Join) -> Mapping[str, frozenset[str]]:
        """For each input of a join: from where it can still be reached without going through the join itself."""
        return {name: self._before(name, join.id) for name in join.inputs}

    def _before(self, node: str, without: str) -> frozenset[str]:
        found: set[str] = set()
        left = [node]
        while left:
            one = left.pop()
            if one in found or one == without:
                continue
            found.add(one)
            left += [edge.source for edge in self.entering.get(one, ())]
            left += self._failing.get(one, ())
        return frozenset(found)

    def _collect_of(self, spreading: Edge) -> Edge | None:
        """The edge that gathers what `spreading` has spread: the nearest one at the same depth."""
        seen: set[tuple[str, int]] = set()
        left = [(spreading.target, 1)]
        while left:
            node, depth = left.pop(0)
            if (node, depth) in seen:
                continue
            seen.add((node, depth))
            for edge in self.leaving.get(node, ()):
                below = depth + (1 if edge.map else 0) - (1 if edge.collect else 0)
                if below == 0:
                    return edge
                left.append((edge.target, below))
        return None


def _failing_into(node: str, graph: Graph) -> tuple[str, ...]:
    """The steps from which a node is reached when they fail."""
    return tuple(step.id for step in graph.steps if step.error_step == node)


def _by(edges: Iterable[Edge], key: Callable[[Edge], str]) -> Mapping[str, tuple[Edge, ...]]:
    found: dict[str, tuple[Edge, ...]] = {}
    for edge in edges:
        found[key(edge)] = (*found.get(key(edge), ()), edge)
    return found
