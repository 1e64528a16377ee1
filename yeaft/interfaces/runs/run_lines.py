"""Lines that tell of a run: one for each step that begins or ends, and the tree of all steps for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from yeaft.interfaces.amounts import money, short, took
from yeaft.interfaces.cli.terminal_text import cut, unmasked
from yeaft.interfaces.runs.run_view import RunView, Visit
from yeaft.kernel.usage import Usage
from yeaft.workflows.graphs.graph import HIDDEN

if TYPE_CHECKING:
    from yeaft.prompts.ui import Ui

MARKS = {"running": "▸", "ok": "✓", "failed": "✗", "timed_out": "✗", "cancelled": "■", "declined": "✗"}
WAITING = "·"
MOST_ELEMENTS = 4
"""So many elements of a list that are being worked on have a line each."""
ERROR_CHARS = 300


def begun_line(visit: Visit) -> str:
    """Return the line for a step that begins, or is tried again."""
    again = f" ({visit.attempt + 1})" if visit.attempt else ""
    return f"{MARKS['running']} {visit.name}{again}"


def ended_line(ui: Ui, visit: Visit) -> str:
    """Return the line for a step that has ended."""
    parts = [f"{MARKS[visit.state]} {visit.name}", *([f"@{visit.vp}"] if visit.vp else []), _figures(ui, visit)]
    line = "  ".join(parts)
    if visit.state == "ok":
        return line
    error = ui.retold(" ".join(visit.error.split()))[:ERROR_CHARS]
    how = ui.text(f"graph_run.is_{visit.state}")
    return f"{line}  {ui.text('heading.fact', name=how, value=error) if error else how}"


class Row(NamedTuple):
    """One line of the tree of a run, and the step that it is about; empty for the run itself."""

    node: str
    text: str


def tree_lines(ui: Ui, view: RunView, now_ms: int, columns: int) -> list[str]:
    """Return the run as a tree: a line for each step, in the order in which they are declared."""
    return [cut(unmasked(row.text), columns) for row in (Row("", head_line(ui, view, now_ms)), *rows(ui, view, now_ms))]


def head_line(ui: Ui, view: RunView, now_ms: int) -> str:
    """Return the line for the run itself: its name and its sums."""
    head = [view.graph.name, ui.text("graph_run.steps_done", count=view.done.steps), *sums(ui, view, now_ms)]
    return "  ".join(head)


def sums(ui: Ui, view: RunView, now_ms: int) -> list[str]:
    """Return what a run has used so far, what that has cost if it is known, and how long it has taken."""
    cost = view.cost_usd
    until = view.now_ms if view.ended is not None else now_ms
    parts = [_told_tokens(ui, _tokens(view.usage)), *([] if cost is None else [money(cost)])]
    return [*parts, took(max(0, until - view.began_ms))]


def rows(ui: Ui, view: RunView, now_ms: int) -> list[Row]:
    """Return a line for each step that somebody has written, with those below it for what is under way in it."""
    nodes = [step.id for step in view.graph.steps if HIDDEN not in step.id]
    return [
        Row(node, line)
        for number, node in enumerate(nodes, start=1)
        for line in _branch(ui, node, view, now_ms, is_last=number == len(nodes))
    ]


def doing(ui: Ui, view: RunView) -> list[str]:
    """Return what is under way: the steps, who does them, and the tools that run just now."""
    return [_doing(ui, one) for one in view.visits.values() if one.state == "running" and HIDDEN not in one.node]


def _doing(ui: Ui, visit: Visit) -> str:
    again = [ui.text("graph_run.try", number=visit.attempt + 1)] if visit.attempt else []
    return " ".join(
        [visit.name, *([f"@{visit.vp}"] if visit.vp else []), *([visit.tool] if visit.tool else []), *again]
    )


def _branch(ui: Ui, node: str, view: RunView, now_ms: int, *, is_last: bool) -> Iterator[str]:
    stem, below = ("└─", "  ") if is_last else ("├─", "│ ")
    visits = view.of(node)
    running = [one for one in visits if one.state == "running"]
    if not visits:
        yield f"{stem} {WAITING} {node}"
        return
    if len(visits) == 1 and not visits[0].place:
        yield f"{stem} {_visit_line(ui, visits[0], now_ms)}"
    else:
        yield f"{stem} {_summed(ui, node, visits, running)}"
        for one in running[:MOST_ELEMENTS]:
            yield f"{below}   {_visit_line(ui, one, now_ms)}"
    for one in running:
        for inner in view.visits.values():
            if inner.run_id != view.run_id and inner.state == "running" and one.node == node and not visits[0].place:
                yield f"{below}   {_visit_line(ui, inner, now_ms)}"


def _summed(ui: Ui, node: str, visits: Sequence[Visit], running: Sequence[Visit]) -> str:
    """One line for all visits of a step, such as the elements of a list."""
    failed = sum(one.state not in ("running", "ok") for one in visits)
    total = max((count for one in visits for _, count in one.place[-1:]), default=0)
    of_all = f"/{total}" if total and all(len(one.place) == 1 for one in visits) else ""
    mark = MARKS["running"] if running else MARKS["failed" if failed == len(visits) else "ok"]
    parts = [f"{mark} {node}", f"{len(visits) - len(running)}{of_all}"]
    if failed:
        parts.append(ui.text("graph_run.failed_of_them", count=failed))
    tokens = sum(_tokens(one.usage) for one in visits)
    costs = [one.cost_usd for one in visits if one.cost_usd is not None]
    return "  ".join([*parts, _told_tokens(ui, tokens), *([money(sum(costs))] if costs else [])])


def _visit_line(ui: Ui, visit: Visit, now_ms: int) -> str:
    parts = [f"{MARKS[visit.state]} {visit.name}", *([f"@{visit.vp}"] if visit.vp else []), _figures(ui, visit, now_ms)]
    again = [ui.text("graph_run.try", number=visit.attempt + 1)] if visit.attempt else []
    return "  ".join([*parts, *again, *([visit.tool] if visit.tool else [])])


def _figures(ui: Ui, visit: Visit, now_ms: int = 0) -> str:
    until = visit.ended_ms or now_ms
    parts = [_told_tokens(ui, _tokens(visit.usage))] if _tokens(visit.usage) else []
    if visit.cost_usd is not None:
        parts.append(money(visit.cost_usd))
    return "  ".join([*parts, took(max(0, until - visit.began_ms))])


def _told_tokens(ui: Ui, count: int) -> str:
    return ui.text("lane.tokens", tokens=short(count))


def _tokens(usage: Usage) -> int:
    return usage.sent + usage.output
