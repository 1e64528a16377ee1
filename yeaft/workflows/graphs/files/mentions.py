"""Where a written graph names functions of the user's, so that a refusal can say in which lines."""

from __future__ import annotations

from collections.abc import Iterator

from yeaft.workflows.graphs.files.compiling import Lines
from yeaft.workflows.graphs.files.located import Path
from yeaft.workflows.graphs.files.made_conditions import bare_expression
from yeaft.workflows.graphs.files.written import (
    AndCondition,
    AnyCondition,
    CallableCondition,
    NotCondition,
    WrittenGraph,
)


def mentions(written: WrittenGraph, lines: Lines) -> Iterator[tuple[str, int]]:
    """Yield what stands wherever a function may be named, and its line; what is none of them is yielded, too."""
    for path, name in _named(written):
        yield name, lines.line(path)


def _named(written: WrittenGraph) -> Iterator[tuple[Path, str]]:
    for number, step in enumerate(written.steps):
        if step.call is not None:
            yield ("steps", number, "call"), step.call
    for number, join in enumerate(written.joins):
        if join.reducer:
            yield ("joins", number, "reducer"), join.reducer
    for number, edge in enumerate(written.edges or ()):
        if edge.transform:
            yield ("edges", number, "transform"), bare_expression(edge.transform)
        yield from _predicates(edge.condition, ("edges", number, "condition"))
        yield from _predicates(edge.stop_condition, ("edges", number, "stop_condition"))


def _predicates(written: AnyCondition | None, path: Path) -> Iterator[tuple[Path, str]]:
    match written:
        case CallableCondition(predicate=name):
            yield (*path, "predicate"), name
        case AndCondition(conditions=conditions):
            for number, one in enumerate(conditions):
                yield from _predicates(one, (*path, "conditions", number))
        case NotCondition(condition=inner):
            yield from _predicates(inner, (*path, "condition"))
        case _:
            return
