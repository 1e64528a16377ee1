"""Which functions a graph calls that do not come along with yeaft: code that runs without being asked about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from yeaft.workflows.graphs.conditions import outside_parts
from yeaft.workflows.graphs.graph import CodeTask

if TYPE_CHECKING:
    from yeaft.workflows.graphs.graph import Graph

_PATTERNS = "yeaft.workflows.patterns."
"""How the paths of the functions begin that the graphs of patterns call."""


def called_functions(graph: Graph) -> tuple[str, ...]:
    """Return their import paths, each once, in order; those of the graphs that are steps of it, too."""
    seen = dict.fromkeys(path for one in (graph, *graph.graphs.values()) for path in _called(one))
    return tuple(path for path in seen if not path.replace(":", ".").startswith(_PATTERNS))


def _called(graph: Graph) -> Iterator[str]:
    for step in graph.steps:
        if isinstance(step.task, CodeTask):
            yield step.task.path
    for edge in graph.edges:
        for condition in (edge.condition, edge.stop_condition):
            yield from (part.path for part in outside_parts(condition) if part.path)
