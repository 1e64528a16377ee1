"""The parts of a directed graph in which every node reaches every other: its cycles, however they are entwined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


def components(following: Mapping[str, Sequence[str]]) -> Iterator[frozenset[str]]:
    """Yield the nodes of each part that has a cycle; a node that follows itself is one (Tarjan, without recursion)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    on_path: set[str] = set()
    for root in following:
        if root in order:
            continue
        work: list[tuple[str, Iterator[str]]] = []

        def enter(node: str, work: list[tuple[str, Iterator[str]]] = work) -> None:
            order[node] = lowest[node] = len(order)
            path.append(node)
            on_path.add(node)
            work.append((node, iter(following.get(node, ()))))

        enter(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in order:
                    enter(target)
                    break
                if target in on_path:
                    lowest[node] = min(lowest[node], order[target])
            else:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[node])
                if lowest[node] == order[node]:
                    part = _taken(path, on_path, node)
                    if len(part) > 1 or node in following.get(node, ()):
                        yield part


def _taken(path: list[str], on_path: set[str], node: str) -> frozenset[str]:
    """Take what is on the path down to a node off it."""
    part: set[str] = set()
    while node not in part:
        part.add(path.pop())
    on_path -= part
    return frozenset(part)
