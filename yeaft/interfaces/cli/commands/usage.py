"""`yeaft usage`: tokens and money that the Sessions of a folder have used, by day, VP, model or Session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

import click
from msgspec import Struct, field

from yeaft.interfaces.cli.commands.moments import Moment
from yeaft.interfaces.cli.commands.parsing import Action, flag, option, run_action
from yeaft.interfaces.cli.commands.printing import STDOUT, flush_right, put, put_json, put_table, table
from yeaft.interfaces.cli.terminal_text import padded, terminal_columns, width
from yeaft.kernel.outcome import EXIT_ANSWERED
from yeaft.kernel.usage import Usage
from yeaft.store.directory import find_session

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options
    from yeaft.session.spending import Spent

By = Literal["day", "vp", "model", "session"]
GROUPS: tuple[By, ...] = ("day", "vp", "model", "session")


class UsageRow(Struct, frozen=True, kw_only=True):
    """What one group has used. `cost` counts the replies whose price is known; `unpriced` are those without one.

    `in` tokens were neither read from nor written to the provider's cache; `reasoning` is part of `out`.
    """

    group: str
    replies: int
    input: int = field(name="in")
    cache_read: int
    cache_write: int
    output: int = field(name="out")
    reasoning: int
    cost: float
    unpriced: int


class UsageTold(Struct, frozen=True, kw_only=True):
    """All groups in order, and their sum."""

    by: str
    rows: tuple[UsageRow, ...]
    total: UsageRow


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft usage ...` and return the exit code."""
    return run_action("usage", ACTION, options, words)


def usage(desk: Desk, *, by: By, since_ms: int | None, session: str, everywhere: bool) -> int:
    """Show what was used."""
    from yeaft.session.spending import spending

    only = find_session(desk.home, session, folder=str(desk.folder)).session_id if session else ""
    found = spending(desk.home)
    folder = str(desk.folder)
    replies = [
        spent
        for spent in found.replies
        if spent.at_ms >= (since_ms or 0)
        and (spent.session_id == only if only else everywhere or spent.folder == folder)
    ]
    groups: dict[str, list[Spent]] = {}
    for spent in replies:
        groups.setdefault(_group(spent, by), []).append(spent)
    rows = tuple(_row(group, groups[group]) for group in sorted(groups))
    told = UsageTold(by=by, rows=rows, total=_row("", replies))
    for session_id in found.unread:
        desk.note("usage.unread", session=session_id)
    if desk.as_json:
        put_json(told)
    elif not rows:
        desk.note("usage.none" if everywhere else "usage.none_here", folder=folder)
    else:
        _put(desk, told)
    return EXIT_ANSWERED


def _group(spent: Spent, by: By) -> str:
    match by:
        case "day":
            return f"{datetime.fromtimestamp(spent.at_ms / 1000, UTC).astimezone():%Y-%m-%d}"
        case "vp":
            return f"@{spent.vp}"
        case "model":
            return spent.model
        case "session":
            return spent.session_id


def _row(group: str, replies: Iterable[Spent]) -> UsageRow:
    total, cost, unpriced, count = Usage(), 0.0, 0, 0
    for spent in replies:
        total, count = total + spent.usage, count + 1
        cost += spent.cost_usd or 0.0
        unpriced += spent.cost_usd is None
    return UsageRow(
        group=group,
        replies=count,
        input=total.input,
        cache_read=total.cache_read,
        cache_write=total.cache_write,
        output=total.output,
        reasoning=total.reasoning,
        cost=round(cost, 6),
        unpriced=unpriced,
    )


def _put(desk: Desk, told: UsageTold) -> None:
    keys = ("replies", "in", "cache_read", "cache_write", "out", "cost")
    headings = [desk.text(f"usage.by_{told.by}"), *(desk.text(f"usage.{key}") for key in keys)]
    total = desk.text("usage.total")
    rows = [_cells(desk, row, row.group or total) for row in (*told.rows, told.total)]
    columns = terminal_columns(STDOUT)
    if columns is None or max(map(width, table(headings, rows, columns, figures_from=1))) <= columns:
        put_table(headings, rows, figures_from=1)
    else:
        _put_below(headings, rows)
    if told.total.unpriced:
        desk.note("usage.unpriced", count=told.total.unpriced)


def _put_below(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Put what stands in each row line by line below its name: there is no room for it beside each other."""
    widest = max(map(width, headings[1:]))
    figures = max(width(cell) for row in rows for cell in row[1:])
    for name, *cells in rows:
        put(name)
        for heading, cell in zip(headings[1:], cells, strict=True):
            put(f"  {padded(heading, widest)}  {flush_right(cell, figures)}")


def _cells(desk: Desk, row: UsageRow, name: str) -> tuple[str, ...]:
    counts = (row.replies, row.input, row.cache_read, row.cache_write, row.output)
    return (name, *(f"{count:,}" for count in counts), _cost(desk, row))


def _cost(desk: Desk, row: UsageRow) -> str:
    if row.unpriced == row.replies:
        return desk.text("usage.unknown")
    return f"${row.cost:.4f}" + (f" + {desk.text('usage.unknown')}" if row.unpriced else "")


ACTION = Action(
    run=usage,
    params=(
        option("--by", type=click.Choice(GROUPS), default="day"),
        option("--since", "since_ms", type=Moment()),
        option("--session", default=""),
        flag("--all", "everywhere"),
    ),
)
