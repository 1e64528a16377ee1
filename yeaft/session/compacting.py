"""Sums up the earlier turns of a VP because its user asked for it, and takes that back."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.engine.transcript import packed, spoken
from yeaft.engine.view import Own, Summed, Unit
from yeaft.engine.window.room import room_for
from yeaft.engine.window.summary import shortened
from yeaft.events.history import HistoryCompacted
from yeaft.events.session import NoticePosted
from yeaft.events.turn import TurnEnded
from yeaft.kernel import ids
from yeaft.kernel.errors import BadData, ConfigError, NotFound, YeaftError
from yeaft.prompts.find import read_template
from yeaft.prompts.phrases import sections
from yeaft.session.history import units_next
from yeaft.session.last_sent import last_sent
from yeaft.session.summing_up import Piece, Summary, SummingUp, summing_model

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from yeaft.engine.settings import Settings
    from yeaft.events.ops import Compact
    from yeaft.session.state import SessionState
    from yeaft.session.summing_up import Means

KEPT_TURNS = 3
"""So many of the newest turns always stay as they are."""
WORTHWHILE_TURNS = 3
"""Without being asked for, no fewer turns than these are summed up."""
MOST_PIECES = 16
PIECE_SHARE, SUMMARY_SHARE = 2, 4
"""A piece may take half of the model's room, the summary so far a quarter."""
MOST_PIECE_TOKENS, LEAST_PIECE_TOKENS = 48_000, 256


class Plan(Struct, frozen=True, kw_only=True):
    """What is to be summed up: `units` after the summary `so_far`, which stands for the turns before them."""

    vp_id: str
    turn_ids: tuple[str, ...]
    units: tuple[Unit, ...]
    so_far: str = ""


class Done(Struct, frozen=True, kw_only=True):
    """A compaction that holds from now on, with what it took."""

    event: HistoryCompacted
    model: str
    summary: Summary
    notice: NoticePosted


class Compactions:
    """Makes and undoes the compactions of one Session, in which no turn may run meanwhile."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._ledger = means.parent

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        return sections(read_template("prompts/compaction", self._means.thinking.lang))

    def vp_of(self, vp_id: str) -> str:
        """The VP that is meant; the default one if `vp_id` is empty. Raises `NotFound`, `BadData`."""
        state = self._ledger.state
        if state.created is None:
            raise BadData("Nothing has been said in this Session yet, so there is nothing to sum up.")
        vp_id = vp_id or state.default_vp
        if vp_id not in state.turns_of and vp_id not in state.roster:
            known = ", ".join(f"@{one}" for one in state.turns_of or state.roster)
            raise NotFound(f"@{vp_id} takes no part in this Session; there are {known}.")
        return vp_id

    def check(self, vp_id: str, *, undo: bool) -> None:
        """Raise `NotFound` for a VP that takes no part, `BadData` if there is nothing to undo."""
        vp_id = self.vp_of(vp_id)
        if undo:
            self._to_undo(vp_id)

    async def do(self, op: Compact) -> None:
        """Do what is asked for; what comes of it is heard as events, a failure as a notice `compact.failed`."""
        vp_id = self.vp_of(op.vp_id)
        plan = self.plan(vp_id)
        try:
            if op.undo:
                await self.undo(vp_id, op.op_id)
                return
            if plan is None:
                notice = nothing_notice(vp_id, op.op_id)
            else:
                turns = str(len(plan.turn_ids))
                began = NoticePosted(code="compact.began", params={"vp": vp_id, "turns": turns}, op_id=op.op_id)
                await self._ledger.post((began,), src="engine")
                found = await self.compact(plan, op_id=op.op_id)
                if not isinstance(found, TurnEnded):
                    return
                notice = failed_notice(vp_id, found, op.op_id)
        except asyncio.CancelledError:
            self._ledger.post(
                (NoticePosted(code="compact.stopped", params={"vp": vp_id}, op_id=op.op_id),), src="engine"
            )
            raise
        except YeaftError as error:
            notice = failed_notice(vp_id, error, op.op_id)
        await self._ledger.post((notice,), src="engine")

    def plan(self, vp_id: str) -> Plan | None:
        """What there is to sum up of a VP's turns; None if nothing is old enough."""
        return plan_of(self._ledger.state, vp_id)

    def overflowed(self, vp_ids: Sequence[str]) -> list[str]:
        """Those VPs whose last request left out earlier turns, if there are enough of them to be summed up."""
        state, found = self._ledger.state, list[str]()
        for vp_id in vp_ids:
            sent = last_sent(state, vp_id)
            if sent is None or not sent.window.dropped:
                continue
            plan = self.plan(vp_id)
            if plan is not None and sum(isinstance(unit, Own) for unit in plan.units) >= WORTHWHILE_TURNS:
                found.append(vp_id)
        return found

    async def compact(self, plan: Plan, model: str = "", op_id: str = "") -> Done | TurnEnded:
        """Sum up; then, and only then, the summary takes the place of the turns. How asking ended if it failed.

        Raises `NotFound`, `ConfigError` or `NoCredentials` if there is no such model or it takes too little.
        """
        vp_id, state = plan.vp_id, self._ledger.state
        sent = last_sent(state, vp_id)
        chosen = summing_model(self._means.thinking, vp_id, sent.model if sent else "", model)
        compaction_id = "h_" + ids.new_ulid(self._means.now_ms())
        summing = SummingUp(self._means, compaction_id, vp_id, chosen, self._texts)
        settings, _ = summing.mind.settings()
        pieces, so_far = self._pieces(plan, settings)
        found = await summing.sum_up(pieces, so_far)
        if isinstance(found, TurnEnded):
            return found
        event = HistoryCompacted(
            compaction_id=compaction_id,
            vp_id=vp_id,
            turn_ids=plan.turn_ids,
            text=found.text,
            request_id=found.request_id,
        )
        notice = _done_notice(event, settings.entry.ref, found, op_id)
        await self._ledger.post((event, notice), src="engine", sync=True)
        return Done(event=event, model=settings.entry.ref, summary=found, notice=notice)

    async def undo(self, vp_id: str, op_id: str = "") -> HistoryCompacted:
        """Let the VP have the turns back that its newest summary stands for. Raises `BadData` if there is none."""
        last = self._to_undo(vp_id)
        event = HistoryCompacted(compaction_id=last.compaction_id, vp_id=vp_id, undone=True)
        params = {"vp": vp_id, "turns": str(len(last.turn_ids))}
        notice = NoticePosted(code="compact.undone", params=params, op_id=op_id)
        await self._ledger.post((event, notice), src="user", sync=True)
        return last

    def _to_undo(self, vp_id: str) -> HistoryCompacted:
        last = next(self._ledger.state.past.compactions_of(vp_id), None)
        if last is None:
            raise BadData(f"No turns of @{vp_id} are summed up in this Session, so there is nothing to take back.")
        return last

    def _pieces(self, plan: Plan, settings: Settings) -> tuple[list[Piece], str]:
        room = room_for(settings, self._ledger.state.factors("", settings.entry.ref))
        limit_tokens = min(room.limit // PIECE_SHARE, MOST_PIECE_TOKENS)
        if limit_tokens < LEAST_PIECE_TOKENS:
            raise ConfigError(
                f"{settings.entry.ref} takes too little at once to sum anything up; choose another model with -m, or "
                "set models.fast in config.toml."
            )
        phrases = self._means.thinking.phrases
        texts, is_all = packed(tuple(spoken(plan.units, plan.vp_id)), limit_tokens, MOST_PIECES, phrases)
        if not is_all:
            texts[0] = f"{self._texts['left_out']}\n\n{texts[0]}"
        so_far = shortened(plan.so_far, room.limit // SUMMARY_SHARE) if plan.so_far else ""
        return [Piece(text=text, number=n, count=len(texts)) for n, text in enumerate(texts, start=1)], so_far


def plan_of(state: SessionState, vp_id: str) -> Plan | None:
    """All turns of the VP but the newest, in what it sees, with what was said before them; None without any."""
    units = units_next(state, vp_id)
    places = [place for place, unit in enumerate(units) if isinstance(unit, Own)]
    if len(places) <= KEPT_TURNS:
        return None
    end = places[-KEPT_TURNS - 1] + 1
    turn_ids = tuple(unit.turn.started.turn_id for unit in units[:end] if isinstance(unit, Own))
    first = units[0]
    if not isinstance(first, Summed):
        return Plan(vp_id=vp_id, turn_ids=turn_ids, units=units[:end])
    before = next(state.past.compactions_of(vp_id))
    return Plan(vp_id=vp_id, turn_ids=(*before.turn_ids, *turn_ids), units=units[1:end], so_far=first.text)


def reason_of(ended: TurnEnded) -> str:
    """Why there is no summary, in words."""
    if ended.error is not None:
        return ended.error.message
    return f"{ended.outcome} ({ended.limit})" if ended.limit else ended.outcome


def failed_notice(vp_id: str, why: TurnEnded | YeaftError, op_id: str = "") -> NoticePosted:
    """What is told where summing up has failed; everything is as it was."""
    reason = reason_of(why) if isinstance(why, TurnEnded) else str(why)
    params = {"vp": vp_id, "reason": reason}
    return NoticePosted(code="compact.failed", params=params, level="error", op_id=op_id)


def nothing_notice(vp_id: str, op_id: str = "") -> NoticePosted:
    """What is told where there is nothing to sum up."""
    return NoticePosted(code="compact.nothing", params={"vp": vp_id, "kept": str(KEPT_TURNS)}, op_id=op_id)


def _done_notice(event: HistoryCompacted, model: str, summary: Summary, op_id: str) -> NoticePosted:
    usage = summary.usage
    params = {
        "vp": event.vp_id,
        "turns": str(len(event.turn_ids)),
        "model": model,
        "requests": str(summary.requests),
        "sent": str(usage.sent),
        "received": str(usage.output),
        "usd": f"{summary.cost_usd:.4f}" if summary.cost_usd is not None else "",
    }
    code = "compact.done" if summary.cost_usd is not None else "compact.done_unpriced"
    return NoticePosted(code=code, params=params, op_id=op_id)
