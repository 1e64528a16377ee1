"""A graph as lines of text: what follows what goes down, and where ways part they are drawn beside each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from yeaft.interfaces.cli.graphs.graph_words import GraphWords
from yeaft.prompts.ui import Ui
from yeaft.workflows.graphs.files.plain import plain
from yeaft.workflows.graphs.graph import END, START, Edge, Graph

DEEPEST = 12
"""How often ways may part within ways before the rest is drawn apart."""


def tree(ui: Ui, graph: Graph) -> list[str]:
    """Return a graph as lines for people. A join stands below the ways that lead to it, once all of them have come."""
    return list(_Tree(ui, plain(graph)).lines())


class _Tree:
    def __init__(self, ui: Ui, graph: Graph) -> None:
        self._words = GraphWords(ui, graph)
        self._leaving: dict[str, list[tuple[str, str]]] = {}
        for edge in graph.edges:
            self._leaving.setdefault(edge.source, []).append((edge.target, self._words.edge(edge)))
        for step in graph.steps:
            if step.error_step:
                self._leaving.setdefault(step.id, []).append((step.error_step, self._words.say("on_error")))
        self._joins = {join.id for join in graph.joins}
        self._expected = {name: self._arrivals(name, graph.edges) for name in self._joins}
        self._arrived: Counter[str] = Counter()
        self._met_at: dict[str, tuple[int, ...]] = {}
        self._drawn: set[str] = set()
        self._way: list[str] = []
        self._apart: list[str] = []
        self._forks = 0

    def lines(self) -> Iterator[str]:
        """Draw from the start, and then what was left to be drawn apart."""
        yield from self._draw(START, "", (), "")
        while left := next((name for name in (*self._apart, *sorted(self._joins)) if self._is_left(name)), None):
            yield ""
            yield from self._draw(left, "", (), "")

    def _is_left(self, name: str) -> bool:
        return name not in self._drawn and (name in self._apart or self._arrived[name] > 0)

    def _is_complete(self, join: str) -> bool:
        """Whether all that leads to a join is drawn."""
        return self._arrived[join] >= self._expected[join]

    def _arrivals(self, join: str, edges: tuple[Edge, ...]) -> int:
        """How many edges lead into a join from what comes before it."""
        before: set[str] = set()
        left = [START]
        while left:
            node = left.pop()
            if node not in before and node != join:
                before.add(node)
                left += [target for target, _ in self._leaving.get(node, ())]
        return sum(edge.target == join and edge.source in before for edge in edges)

    def _draw(self, node: str, said: str, forks: tuple[int, ...], pad: str) -> Iterator[str]:
        """Draw a node and all that follows it; `forks` are the places above at which ways parted."""
        depth = len(self._way)
        while True:
            lead = f"{said}: " if said else ""
            if (pointer := self._pointer(node, forks)) is not None:
                yield f"{pad}{lead}{pointer}"
                break
            yield f"{pad}{lead}{self._words.node(node)}"
            self._drawn.add(node)
            self._way.append(node)
            following = self._leaving.get(node, [])
            if not following:
                break
            if len(following) == 1:
                node, said = following[0]
                continue
            if len(forks) >= DEEPEST:
                self._apart += [target for target, _ in following if target not in self._drawn]
                yield f"{pad}{self._words.say('below')}"
                break
            here = (*forks, self._forks)
            self._forks += 1
            yield from self._part(following, here, pad)
            met = next(
                (name for name, place in self._met_at.items() if place == here and self._is_complete(name)), None
            )
            if met is None:
                break
            del self._met_at[met]
            node, said = met, ""
        del self._way[depth:]

    def _part(self, following: list[tuple[str, str]], forks: tuple[int, ...], pad: str) -> Iterator[str]:
        for number, (target, said) in enumerate(following):
            is_last = number == len(following) - 1
            branch, below = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
            for place, line in enumerate(self._draw(target, said, forks, "")):
                yield f"{pad}{below if place else branch}{line}"

    def _pointer(self, node: str, forks: tuple[int, ...]) -> str | None:
        """Words for a node that is drawn elsewhere, or None if it is to be drawn here and now."""
        name = self._words.name(node)
        if node == END:
            return name
        if node in self._way:
            return self._words.say("back_to", name=name)
        if node in self._drawn:
            return self._words.say("go_on_at", name=name)
        if node not in self._joins:
            return None
        self._arrived[node] += 1
        place = self._met_at.get(node)
        common = forks if place is None else _common(place, forks)
        is_first = self._arrived[node] == self._expected[node]
        if not self._is_complete(node) or (is_first and common and self._expected[node] > 1):
            self._met_at[node] = common
            return f"→ {name}"
        return None


def _common(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    shared: list[int] = []
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        shared.append(left)
    return tuple(shared)
