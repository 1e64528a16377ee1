"""A graph as it would be written: what was made of parts to be run is put together again."""

from __future__ import annotations

from msgspec.structs import replace

from yeaft.workflows.graphs.graph import HIDDEN, CodeTask, Edge, Graph, Join, JudgeTask, Step

IN = f"{HIDDEN}in"
"""How the id of the join ends that stands before a function which reduces."""


def plain(graph: Graph) -> Graph:
    """Return the graph without hidden steps: functions are `transform` of edges and `reducer` of joins again.

    What edges have in common that were written as one, they still share a `group`. The result cannot be run.
    """
    steps = {step.id: step for step in graph.steps}
    reducing = {join.id: join.id.removesuffix(IN) for join in graph.joins if join.id.endswith(IN)}
    passing = {edge.target: edge for edge in graph.edges if is_transform(steps.get(edge.target))}
    edges = [_whole(edge, passing, steps) for edge in graph.edges if edge.target not in passing]
    return replace(
        graph,
        steps=tuple(step for step in graph.steps if HIDDEN not in step.id and step.id not in reducing.values()),
        joins=tuple(_whole_join(join, reducing, steps) for join in graph.joins),
        edges=tuple(
            replace(edge, target=reducing.get(edge.target, edge.target))
            for edge in edges
            if edge.source not in reducing
        ),
    )


def is_transform(step: Step | None) -> bool:
    """Whether a step stands for a function that an edge leads through."""
    return step is not None and HIDDEN in step.id and not isinstance(step.task, JudgeTask)


def is_implicit(join: Join) -> bool:
    """Whether a join was written as `from: [a, b]`."""
    return HIDDEN in join.id


def _whole(edge: Edge, passing: dict[str, Edge], steps: dict[str, Step]) -> Edge:
    first = passing.get(edge.source)
    if first is None:
        return edge
    task = steps[edge.source].task
    return replace(
        edge,
        source=first.source,
        condition=first.condition,
        stop_condition=first.stop_condition,
        is_else=first.is_else,
        max_visits=first.max_visits,
        result_of=first.result_of,
        transform=task.path if isinstance(task, CodeTask) else "",
    )


def _whole_join(join: Join, reducing: dict[str, str], steps: dict[str, Step]) -> Join:
    name = reducing.get(join.id)
    task = steps[name].task if name else None
    if name is None or not isinstance(task, CodeTask):
        return join
    return replace(join, id=name, reducer=task.path, initial=task.initial)
