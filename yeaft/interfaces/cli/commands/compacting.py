"""`yeaft session compact`: let a model sum up the earlier turns of a VP, or take that back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option
from yeaft.interfaces.cli.commands.printing import put_json
from yeaft.interfaces.cli.options import Amount
from yeaft.kernel.errors import UsageError
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.events.session import NoticePosted
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.visiting import Visit
    from yeaft.session.compacting import Compactions


class CompactRow(Struct, frozen=True, kw_only=True):
    """What was done: `turns` counts those that `text` stands for, or stood for if it was `undone`.

    `done` is False where there was nothing to sum up or it failed; `cost_usd` is null where the price is not known.
    """

    session: str
    vp: str
    done: bool
    undone: bool = False
    turns: int = 0
    text: str = ""
    model: str = ""
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None
    error: str = ""


def compact(desk: Desk, *, session: str, vp: str, undo: bool, model: str, max_cost: float | None) -> int:
    """Sum up all turns of a VP but the newest ones, or take the last such summary back."""
    if undo and model:
        raise UsageError("--undo asks no model, so -m has no meaning with it.")
    return asyncio.run(_inside(desk, session, vp, model=model, max_cost_usd=max_cost, undo=undo))


async def _inside(desk: Desk, session: str, vp: str, *, model: str, max_cost_usd: float | None, undo: bool) -> int:
    from yeaft.interfaces.cli.wishes import vp_ids
    from yeaft.interfaces.compacting import compactions, rules_alone, thinking_alone
    from yeaft.interfaces.visiting import visited

    async with AsyncExitStack() as stack:
        visit = await stack.enter_async_context(
            visited(desk.home, desk.config, session, desk.lang, take_over=desk.options.take_over)
        )
        thinking = thinking_alone(
            stack, desk.home, desk.config, environ=desk.environ, library=desk.library, lang=desk.lang
        )
        limit_usd = desk.options.max_cost_usd if max_cost_usd is None else max_cost_usd
        summing = compactions(visit.room, visit.ledger, thinking, rules_alone(desk.config, limit_usd))
        here = vp.removeprefix("@") in visit.state.turns_of
        vp_id = summing.vp_of(vp.removeprefix("@") if here else "".join(vp_ids((vp,) if vp else (), desk.library)))
        if undo:
            return await _undo(desk, visit, summing, vp_id)
        return await _compact(desk, visit, summing, vp_id, model or desk.options.model)


async def _compact(desk: Desk, visit: Visit, summing: Compactions, vp_id: str, model: str) -> int:
    from yeaft.events.turn import TurnEnded
    from yeaft.interfaces.cli.exit_codes import exit_code_of
    from yeaft.session.compacting import failed_notice, nothing_notice, reason_of

    session_id = visit.state.session_id
    plan = summing.plan(vp_id)
    if plan is None:
        if desk.as_json:
            put_json(CompactRow(session=session_id, vp=vp_id, done=False))
        _tell(desk, session_id, nothing_notice(vp_id))
        return EXIT_ANSWERED
    visit.begin()
    found = await summing.compact(plan, model)
    if isinstance(found, TurnEnded):
        if desk.as_json:
            put_json(CompactRow(session=session_id, vp=vp_id, done=False, error=reason_of(found)))
        _tell(desk, session_id, failed_notice(vp_id, found))
        return exit_code_of(found)
    if desk.as_json:
        summary = found.summary
        put_json(
            CompactRow(
                session=session_id,
                vp=vp_id,
                done=True,
                turns=len(found.event.turn_ids),
                text=summary.text,
                model=found.model,
                requests=summary.requests,
                tokens_in=summary.usage.sent,
                tokens_out=summary.usage.output,
                cost_usd=summary.cost_usd,
            )
        )
    _tell(desk, session_id, found.notice)
    return EXIT_ANSWERED


async def _undo(desk: Desk, visit: Visit, summing: Compactions, vp_id: str) -> int:
    summing.check(vp_id, undo=True)
    visit.begin()
    undone = await summing.undo(vp_id)
    turns = len(undone.turn_ids)
    if desk.as_json:
        put_json(CompactRow(session=visit.state.session_id, vp=vp_id, done=True, undone=True, turns=turns))
    desk.note("compact.undone", vp=vp_id, turns=turns)
    return EXIT_ANSWERED


def _tell(desk: Desk, session_id: str, notice: NoticePosted) -> None:
    desk.note(notice.code, session=session_id, **notice.params)


COMPACTS: Mapping[str, Action] = {
    "compact": Action(
        run=compact,
        params=(
            argument("SESSION"),
            option("--vp", default=""),
            flag("--undo"),
            option("-m", "--model", default=""),
            option("--max-cost", type=Amount(min=0)),
        ),
    ),
}
