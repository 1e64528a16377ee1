"""Steps that a VP does: a turn that is taken, gone on with after an interruption, and held to what it has to give."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec.structs import replace

from yeaft.engine.closing import Ending
from yeaft.events.ops import ContinueTurn, Say
from yeaft.events.session import NoticePosted
from yeaft.kernel import ids
from yeaft.kernel.errors import BadData, ToolFailed
from yeaft.kernel.usage import Usage
from yeaft.workflows.graphs.conditions import read_json, text_of
from yeaft.workflows.graphs.graph import RetryReason, VpTask
from yeaft.workflows.graphs.outputs import misfits
from yeaft.workflows.graphs.runs.doing import Done, NeedsHuman, Work
from yeaft.workflows.graphs.runs.finish_step import FINISH_STEP, FinishStep, finished_value
from yeaft.workflows.graphs.runs.kept_outputs import HANDED, handed_schema
from yeaft.workflows.graphs.runs.step_sessions import StepSessions
from yeaft.workflows.graphs.saying import said_to

if TYPE_CHECKING:
    from yeaft.engine.state import TurnState
    from yeaft.events.codec import Recorded, Transient
    from yeaft.session.agents.agent_session import Means
    from yeaft.session.ledger import Ledger
    from yeaft.session.session import Session
    from yeaft.session.state import SessionState
    from yeaft.vp.persona import Vp
    from yeaft.workflows.graphs.graph import Agent
    from yeaft.workflows.graphs.runs.isolated import IsolatedFolders
    from yeaft.workflows.graphs.runs.kept_outputs import KeptOutputs

MOST_REMINDERS = 2
ANY: Mapping[str, Any] = {}
LIST: Mapping[str, Any] = {"type": "array"}
_REASONS: Mapping[str, RetryReason] = {"rate_limit": "rate_limit", "overloaded": "rate_limit", "idle": "timeout"}
STOPPED = ("aborted", "needs_human", "lost")
"""How a turn ended that can be gone on with."""
Hear = Callable[[str, "Recorded | Transient"], None]
"""Hears what happens in a step: the id of its visit, and the event."""


class VpSteps:
    """Does the steps of VPs in `folder`, or in one of their own. `agents` are those that came with the graph."""

    def __init__(
        self,
        means: Means,
        agents: Mapping[str, Agent],
        folder: Path,
        texts: Mapping[str, str],
        hear: Hear,
        *,
        kept: KeptOutputs,
        isolated: IsolatedFolders,
    ) -> None:
        self._means = means
        self._sessions = StepSessions(means, agents)
        self._folder = folder
        self._texts = texts
        self._hear = hear
        self._kept = kept
        self._isolated = isolated

    async def do(self, work: Work, task: VpTask) -> Done:
        """Let the VP take a turn, and return what it gave. Raises `NeedsHuman`."""
        try:
            prompt = self._prompt(work, task)
        except ValueError as error:
            return Done(status="failed", error=f"The prompt of step {work.step.id!r}: {error}", reason="tool_error")
        vp = self._sessions.vp(task.vp_id)
        if vp is None:
            return Done(status="failed", error=f"There is no VP @{task.vp_id} any more.")
        if task.workspace != "isolated":
            return await self._done_in(work, task, vp, self._folder, prompt)
        name = f"graph-{work.act.act_id.removeprefix('x_')}" + (f"-{work.attempt}" if work.attempt else "")
        await work.has_begun()
        try:
            folder = await self._isolated.make(name)
        except ToolFailed as error:
            return Done(status="failed", error=str(error), reason="tool_error")
        done = await self._done_in(work, task, vp, folder, prompt)
        if branch := await self._isolated.settle(name):
            params = {"step": work.step.id, "branch": branch, "folder": str(folder)}
            self._means.parent.post(
                (NoticePosted(code="graph_run.changed", params=params, level="info"),), src="engine"
            )
        return done

    async def _done_in(self, work: Work, task: VpTask, vp: Vp, folder: Path, prompt: str) -> Done:
        schema = _schema(work, task)
        finish = FinishStep(schema, self._texts["finished"]) if schema is not None else None
        session, ledger = self._sessions.make(work, task, vp, folder, finish)
        ledger.listen(lambda heard: self._hear(work.act.act_id, heard))
        visit = _Visit(work, schema, self._kept, f"vp:{vp.id}", folder)
        try:
            async with session:
                try:
                    await self._turns(visit, task.vp_id, session, ledger, prompt)
                except asyncio.CancelledError:
                    session.interrupt(Ending(outcome="aborted"))
                    raise
        except asyncio.CancelledError:
            spent = _spent(ledger.state)
            work.pay(spent.usage, spent.cost_usd)
            raise
        return visit.done(ledger.state)

    async def _turns(self, visit: _Visit, vp_id: str, session: Session, ledger: Ledger, prompt: str) -> None:
        """Take the turn that is to be taken, or go on with what was begun; remind of the result."""
        state, work = ledger.state, visit.work

        async def say(text: str, *place: str | int) -> None:
            op_id = ids.derive("", work.act.act_id, *place, work.attempt)
            session.send(Say(text=text, to=(vp_id,), op_id=op_id, verbatim=True))
            await session.quiet()

        if not state.messages:
            await say(prompt, "say")
        elif state.open_turns() or any(state.waiting.values()):
            session.send(ContinueTurn())
            await session.quiet()
        elif work.is_resumed and (turn := _newest(state)) and turn.ended and turn.ended.outcome in STOPPED:
            await say(self._texts["go_on"], "go on", len(state.turns))
        for number in range(MOST_REMINDERS + 1):
            turn = _newest(state)
            if turn is None or turn.ended is None or turn.ended.outcome != "answered":
                return
            if not await visit.misfit_of(turn) or number == MOST_REMINDERS:
                return
            text = self._texts["reminder" if visit.schema is not None else "reminder_text"]
            await say(text.replace("{{misfit}}", visit.misfit), "remind", number)

    def _prompt(self, work: Work, task: VpTask) -> str:
        left = [text_of(value) for value in work.act.inbox]
        parts = [*left, said_to(task.prompt, task.shared, work.names, task.extra)]
        if work.step.out in HANDED and not task.schema:
            parts.append(self._texts["hand_file"])
        elif _schema(work, task) is not None:
            parts.append(self._texts["finish"])
        elif task.answer:
            parts.append(self._texts["answer_form"].replace("{{schema}}", task.answer))
        return "\n\n".join(part for part in parts if part.strip())


class _Visit:
    """What one visit gives, once it fits: `value` with its `artifacts`; until then `misfit` says why it does not."""

    def __init__(
        self, work: Work, schema: Mapping[str, Any] | None, kept: KeptOutputs, made_by: str, folder: Path
    ) -> None:
        self.work = work
        self.schema = schema
        self.misfit = ""
        self._kept = kept
        self._made_by = made_by
        self._folder = folder
        self._value: Any = None
        self._artifacts: tuple[str, ...] = ()

    async def misfit_of(self, turn: TurnState) -> str:
        """Say why what a turn gave is not what the step has to give; empty if it is, and then it is kept."""
        if self.schema is None:
            self.misfit = self._unfitting(turn)
        else:
            self.misfit = await asyncio.to_thread(self._unfitting, turn)  # which may have to wait for a slow pattern
        if not self.misfit:
            value = self._given(turn)
            try:
                self._value, self._artifacts = await self._kept.keep(self.work, self._made_by, value, self._folder)
            except BadData as error:
                self.misfit = str(error)
        return self.misfit

    def done(self, state: SessionState) -> Done:
        """Return what has come of it. Raises `NeedsHuman`."""
        turn = _newest(state)
        if turn is None or turn.ended is None:
            return Done(status="failed", error="The turn was not begun.")
        spent, ended = _spent(state), turn.ended
        match ended.outcome:
            case "answered":
                if self.misfit:
                    return replace(spent, status="failed", error=self.misfit, reason="tool_error")
                return replace(spent, value=self._value, artifacts=self._artifacts)
            case "needs_human":
                ask = next(iter(state.open_asks.values()), state.asked.get(turn.unmet))
                raise NeedsHuman(ask.text if ask is not None else turn.unmet)
            case "aborted":
                return replace(spent, status="cancelled", error="stopped")
            case _:
                failure = ended.error
                reason = _REASONS.get(failure.kind, "any") if failure else "any"
                said = failure.message if failure else (ended.limit or ended.outcome)
                return replace(spent, status="failed", error=str(said), reason=reason)

    def _unfitting(self, turn: TurnState) -> str:
        if self.schema is None:
            return "" if turn.final_text.strip() else "the answer is empty"
        has_value, value = finished_value(turn)
        if not has_value:
            value = self._given(turn)
            if isinstance(value, str) and self.work.step.out != "text":
                return f"{FINISH_STEP} was not called, and the answer is no JSON"
        return " ".join(misfits(value, self.schema))

    def _given(self, turn: TurnState) -> Any:
        has_value, value = finished_value(turn)
        if has_value:
            return value
        if self.work.step.out in ("json", "list"):
            return read_json(turn.final_text)
        if self.work.step.out in HANDED:
            found: Any = read_json(turn.final_text)
            return cast("Any", found) if isinstance(found, dict) else {"content": turn.final_text.strip()}
        return turn.final_text


def _schema(work: Work, task: VpTask) -> Mapping[str, Any] | None:
    """What a step has to give, as JSON Schema; None for text."""
    if task.schema:
        return msgspec.json.decode(task.schema, type=dict[str, Any])
    match work.step.out:
        case "json":
            return ANY
        case "list":
            return LIST
        case "text":
            return None
        case out:
            return handed_schema(out)


def _spent(state: SessionState) -> Done:
    """What the turns of a step have used and cost so far."""
    turns = list(state.turns.values())
    costs = [one.cost_usd for one in turns if one.cost_usd is not None]
    usage = sum((one.usage for one in turns), start=Usage())
    return Done(usage=usage, cost_usd=sum(costs) if costs else None)


def _newest(state: SessionState) -> TurnState | None:
    return next(reversed(state.turns.values()), None)
