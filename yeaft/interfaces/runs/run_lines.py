"""Lines that tell of a run: one for each step that begins or ends, and the tree of all steps for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from yeaft.interfaces.amounts import money, short, size_text, took
from yeaft.interfaces.cli.terminal_text import cut, padded, unmasked, width
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
GAP = "  "
MOST_COLUMNS = 40
"""A name or a VP that is wider stands out of its column, and makes it no wider for all others."""
LEAST_COLUMNS = 12
"""So much of a name is left where a terminal has no room for all of it and for the figures behind it."""
PLACES = ("[", " #")
"""How what tells visits of one step from another begins, at the end of a name: it is never cut off."""


def begun_line(visit: Visit) -> str:
    """Return the line for a step that begins, or is tried again."""
    again = f" ({visit.attempt + 1})" if visit.attempt else ""
    return f"{MARKS['running']} {visit.name}{again}"


def ended_line(ui: Ui, visit: Visit) -> str:
    """Return the line for a step that has ended."""
    figures = [one for one in _figures(ui, visit) if one]
    line = GAP.join([f"{MARKS[visit.state]} {visit.name}", *([f"@{visit.vp}"] if visit.vp else []), *figures])
    if visit.state == "ok":
        return line
    error = ui.retold(" ".join(visit.error.split()))[:ERROR_CHARS]
    how = ui.text(f"graph_run.is_{visit.state}")
    return f"{line}  {ui.text('heading.fact', name=how, value=error) if error else how}"


def left_out_line(ui: Ui, visit: Visit) -> str:
    """Say how much of what a command printed its step has not given, and where all of it is; empty for nothing."""
    if not visit.left_out_bytes:
        return ""
    return ui.text("graph_run.left_out", step=visit.name, size=size_text(visit.left_out_bytes), log=visit.log)


class Row(NamedTuple):
    """One line of the tree of a run, and the step that it is about; empty for the run itself."""

    node: str
    text: str


class _Cells(NamedTuple):
    """What stands in the columns of a line of the tree; `rest` follows behind them."""

    name: str
    who: str = ""
    tokens: str = ""
    cost: str = ""
    took: str = ""
    rest: str = ""


def tree_lines(ui: Ui, view: RunView, now_ms: int, columns: int) -> list[str]:
    """Return the run as a tree: a line for each step, in the order in which they are declared.

    Where that is wider than `columns`, names are cut rather than the figures behind them.
    """
    lines = (head_line(ui, view, now_ms, columns), *(row.text for row in rows(ui, view, now_ms, columns)))
    return [cut(unmasked(line), columns) for line in lines]


def head_line(ui: Ui, view: RunView, now_ms: int, columns: int | None = None) -> str:
    """Return the line for the run itself: its name, cut if the line is wider than `columns`, and its sums."""
    told = GAP.join([ui.text("graph_run.steps_done", count=view.done.steps), *sums(ui, view, now_ms)])
    room = width(view.graph.name) if columns is None else max(LEAST_COLUMNS, columns - width(told) - width(GAP))
    return GAP.join([cut(view.graph.name, room), told])


def sums(ui: Ui, view: RunView, now_ms: int) -> list[str]:
    """Return what a run has used so far, what that has cost if it is known, and how long it has taken."""
    cost = view.cost_usd
    until = view.now_ms if view.ended is not None else now_ms
    parts = [_told_tokens(ui, _tokens(view.usage)), *([] if cost is None else [money(cost)])]
    return [*parts, took(max(0, until - view.began_ms))]


def rows(ui: Ui, view: RunView, now_ms: int, columns: int | None = None) -> list[Row]:
    """Return a line for each step that somebody has written, with those below it for what is under way in it.

    Names are cut where a line would be wider than `columns`; None leaves them whole.
    """
    nodes = [step.id for step in view.graph.steps if HIDDEN not in step.id]
    found = [
        (node, cells)
        for number, node in enumerate(nodes, start=1)
        for cells in _branch(ui, node, view, now_ms, is_last=number == len(nodes))
    ]
    lines = _aligned(_narrowed([cells for _, cells in found], columns))
    return [Row(node, line) for (node, _), line in zip(found, lines, strict=True)]


def _widths(rows: Sequence[_Cells]) -> list[int]:
    """Return how wide the columns are, 0 for one that is left out."""
    columns = zip(*rows, strict=True)
    return [max((w for cell in column if (w := width(cell)) <= MOST_COLUMNS), default=0) for column in columns]


def _narrowed(rows: Sequence[_Cells], columns: int | None) -> Sequence[_Cells]:
    """Cut names, so that lines are no wider than `columns` if that leaves enough of the names."""
    behind = sum(one + len(GAP) for one in _widths(rows)[1:-1] if one)
    if columns is None or all(width(one.name) + behind <= columns for one in rows):
        return rows
    room = max(LEAST_COLUMNS, columns - behind)
    return [one._replace(name=_cut_name(one.name, room)) for one in rows]


def _cut_name(name: str, columns: int) -> str:
    """Cut what a step is called, and leave which visit of it is meant."""
    place = max(name.rfind(mark) for mark in PLACES)
    end = name[place:] if place > 0 else ""
    return name if width(name) <= columns else cut(name[: len(name) - len(end)], columns - width(end)) + end


def _aligned(rows: Sequence[_Cells]) -> list[str]:
    """Return the lines with names and VPs flush left, figures flush right; a column with nothing in it is left out."""
    widths = _widths(rows)
    lines: list[str] = []
    for name, who, *figures, rest in rows:
        cells = [padded(name, widths[0]), *([padded(who, widths[1])] if widths[1] else [])]
        cells += [" " * (room - width(one)) + one for one, room in zip(figures, widths[2:5], strict=False) if room]
        lines.append(GAP.join([*cells, rest]).rstrip())
    return lines


def doing(ui: Ui, view: RunView) -> list[str]:
    """Return what is under way: the steps, who does them, and the tools that run just now."""
    return [_doing(ui, one) for one in view.visits.values() if one.state == "running" and HIDDEN not in one.node]


def _doing(ui: Ui, visit: Visit) -> str:
    again = [ui.text("graph_run.try", number=visit.attempt + 1)] if visit.attempt else []
    return " ".join(
        [visit.name, *([f"@{visit.vp}"] if visit.vp else []), *([visit.tool] if visit.tool else []), *again]
    )


def _branch(ui: Ui, node: str, view: RunView, now_ms: int, *, is_last: bool) -> Iterator[_Cells]:
    stem, below = ("└─", "  ") if is_last else ("├─", "│ ")
    visits = view.of(node)
    running = [one for one in visits if one.state == "running"]
    if not visits:
        yield _Cells(f"{stem} {WAITING} {node}")
        return
    if len(visits) == 1 and not visits[0].place:
        yield _visit_cells(ui, f"{stem} ", visits[0], now_ms)
    else:
        yield _summed(ui, f"{stem} ", node, visits, running)
        for one in running[:MOST_ELEMENTS]:
            yield _visit_cells(ui, f"{below}   ", one, now_ms)
    for one in running:
        for inner in view.visits.values():
            if inner.run_id != view.run_id and inner.state == "running" and one.node == node and not visits[0].place:
                yield _visit_cells(ui, f"{below}   ", inner, now_ms)


def _summed(ui: Ui, stem: str, node: str, visits: Sequence[Visit], running: Sequence[Visit]) -> _Cells:
    """One line for all visits of a step, such as the elements of a list."""
    failed = sum(one.state not in ("running", "ok") for one in visits)
    total = max((count for one in visits for _, count in one.place[-1:]), default=0)
    of_all = f"/{total}" if total and all(len(one.place) == 1 for one in visits) else ""
    mark = MARKS["running"] if running else MARKS["failed" if failed == len(visits) else "ok"]
    costs = [one.cost_usd for one in visits if one.cost_usd is not None]
    return _Cells(
        name=f"{stem}{mark} {node}",
        who=f"{len(visits) - len(running)}{of_all}",
        tokens=_told_tokens(ui, sum(_tokens(one.usage) for one in visits)),
        cost=money(sum(costs)) if costs else "",
        rest=ui.text("graph_run.failed_of_them", count=failed) if failed else "",
    )


def _visit_cells(ui: Ui, stem: str, visit: Visit, now_ms: int) -> _Cells:
    again = [ui.text("graph_run.try", number=visit.attempt + 1)] if visit.attempt else []
    tokens, cost, time = _figures(ui, visit, now_ms)
    return _Cells(
        name=f"{stem}{MARKS[visit.state]} {visit.name}",
        who=f"@{visit.vp}" if visit.vp else "",
        tokens=tokens,
        cost=cost,
        took=time,
        rest=GAP.join([*again, *([visit.tool] if visit.tool else [])]),
    )


def _figures(ui: Ui, visit: Visit, now_ms: int = 0) -> tuple[str, str, str]:
    """Return the tokens and the cost of a step, as far as it has any, and how long it takes."""
    until = visit.ended_ms or now_ms
    tokens = _told_tokens(ui, _tokens(visit.usage)) if _tokens(visit.usage) else ""
    cost = "" if visit.cost_usd is None else money(visit.cost_usd)
    return tokens, cost, took(max(0, until - visit.began_ms))


def _told_tokens(ui: Ui, count: int) -> str:
    return ui.text("lane.tokens", tokens=short(count))


def _tokens(usage: Usage) -> int:
    return usage.sent + usage.output
