"""The calls of a reply: judged, started, run, and each given exactly one result."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, structs

from yeaft.engine.changed import Changed, misfit, with_change
from yeaft.events.call import CallFinished, CallOutput, CallStarted
from yeaft.events.fact import BlobRef
from yeaft.events.session import MessagePosted
from yeaft.kernel.cancelling import is_being_cancelled
from yeaft.kernel.errors import BadArguments, StoreFailed, ToolFailed
from yeaft.kernel.outcome import CallStatus
from yeaft.kernel.text import without_surrogates
from yeaft.prompts.fill import fill
from yeaft.tools.tool import BoundCall, Toolbox, ToolResult

if TYPE_CHECKING:
    from yeaft.engine.state import CallState
    from yeaft.engine.turn import TurnLog
    from yeaft.events.codec import Event
    from yeaft.kernel.messages import Call

PARALLEL_READS = 4
logger = logging.getLogger(__name__)


class Verdict(Struct, frozen=True, kw_only=True):
    """Whether a call may run: yes, no with a reason for the model, or only if the human says so."""

    allowed: bool = False
    denied: str = ""


class Refused(Struct, frozen=True, kw_only=True):
    """The human's no, or that nobody is there (`status` `not_run`, which ends the turn)."""

    status: CallStatus
    text: str


class Gate(Protocol):
    """Stands between a call and its effects."""

    def judge(self, bound: BoundCall) -> Verdict:
        """Judge a call by rules and mode alone; neither `allowed` nor `denied` means: ask."""
        ...

    async def ask(self, call: Call, bound: BoundCall) -> Refused | Changed | None:
        """Ask the human; None means yes. Posts the question and its answer.

        A call that was `Changed` is judged anew, and asked about once more if that is needed: then the same answer
        stands, and everybody else who has a say sees what is really going to run.
        """
        ...


Keep = Callable[[bytes, str], BlobRef]
"""Keeps content of a media type beside the journal; raises `StoreFailed`."""


class Hands:
    """What a VP acts with: its tools, the gate before them, and where the pictures of results are kept."""

    def __init__(self, toolbox: Toolbox, gate: Gate, phrases: Mapping[str, str], keep: Keep) -> None:
        self._toolbox = toolbox
        self._gate = gate
        self._phrases = phrases
        self._keep = keep

    async def admit(self, log: TurnLog, calls: Sequence[CallState]) -> None:
        """Start the calls that may run next: a run of permitted reads, or the one call at the front.

        A call that cannot or may not run gets its result at once. Started calls are committed, those with effects
        that nothing could undo are on disk, before this returns.
        """
        events: list[Event] = []
        for place, state in enumerate(calls):
            bound = self._bound(state.call)
            alone = isinstance(bound, BoundCall) and not self._runs_beside_others(bound)
            if alone and place > 0:
                break
            events.append(await self._examined(log, state, bound))
            if alone or not isinstance(events[-1], CallStarted):
                break
        unsafe = any(isinstance(event, CallStarted) and event.guard == "unsafe" for event in events)
        await log.post(*events, sync=unsafe)

    async def run(self, log: TurnLog, calls: Sequence[CallState]) -> None:
        """Run started calls and post their results together, in the order the provider gave.

        When cancelled, the results that are there are posted, but for hand-offs, because nobody is to begin anything
        now; the others are left to whoever closes the turn.
        """
        results: dict[str, tuple[CallFinished, tuple[Event, ...]]] = {}
        slots = asyncio.Semaphore(PARALLEL_READS)
        stopped = True

        async def one(state: CallState) -> None:
            async with slots:
                results[state.call.call_id] = await self._run_one(log, state)

        try:
            async with asyncio.TaskGroup() as group:
                for state in calls:
                    group.create_task(one(state), name=f"call:{state.call.tool}")
            stopped = False
        finally:
            done = [results[state.call.call_id] for state in calls if state.call.call_id in results]
            if stopped:
                done = [
                    (finished, emits)
                    for finished, emits in done
                    if not any(isinstance(event, MessagePosted) for event in emits)
                ]
            if done:
                log.post(*(event for finished, emits in done for event in (finished, *emits)))

    def _bound(self, call: Call) -> BoundCall | BadArguments:
        if not call.complete:
            return BadArguments(fill(self._phrases["call_incomplete"], {"tool": call.tool}))
        tool = self._toolbox.get(call.tool)
        if tool is None:
            names = {"tool": repr(call.tool), "tools": ", ".join(sorted(self._toolbox)) or "none"}
            return BadArguments(fill(self._phrases["call_unknown_tool"], names))
        try:
            return tool.bind(call.args_raw)
        except BadArguments as error:
            return error

    def _started(self, state: CallState) -> BoundCall | BadArguments:
        """Return the call that was let in and recorded; its arguments need not be those that the model gave."""
        bound = self._bound(state.call)
        started = state.started
        if started is None or isinstance(bound, BadArguments) or bytes(started.args) == bytes(bound.args):
            return bound
        return self._bound(structs.replace(state.call, args_raw=bytes(started.args).decode()))

    def _runs_beside_others(self, bound: BoundCall) -> bool:
        return bound.guard == "read" and self._gate.judge(bound).allowed

    async def _examined(self, log: TurnLog, state: CallState, bound: BoundCall | BadArguments) -> Event:
        turn_id = log.state.started.turn_id
        if isinstance(bound, BadArguments):
            return _result(turn_id, state.call, "failed", str(bound))
        let_in = await self._let_in(state.call, bound)
        if isinstance(let_in, Refused):
            return _result(turn_id, state.call, let_in.status, let_in.text)
        try:
            intents = let_in.intend()
        except ToolFailed as error:
            return _result(turn_id, state.call, "failed", str(error))
        return CallStarted(
            call_id=state.call.call_id,
            turn_id=turn_id,
            tool=let_in.tool,
            args=let_in.args,
            guard=let_in.guard,
            intents=intents,
        )

    async def _let_in(self, call: Call, bound: BoundCall, *, is_changed: bool = False) -> BoundCall | Refused:
        """Return the call that may run: this one, or what the human has made of it, which is judged in its turn."""
        verdict = self._gate.judge(bound)
        if verdict.denied:
            return Refused(status="denied", text=verdict.denied)
        if verdict.allowed:
            return bound
        answer = await self._gate.ask(call, bound)
        if not isinstance(answer, Changed):
            return bound if answer is None else answer
        changed = self._bound(structs.replace(call, args_raw=answer.args_raw))
        if is_changed or isinstance(changed, BadArguments) or misfit(bound, changed):
            return Refused(status="denied", text=fill(self._phrases["call_changed_badly"], {"tool": call.tool}))
        return await self._let_in(call, changed, is_changed=True)

    async def _run_one(self, log: TurnLog, state: CallState) -> tuple[CallFinished, tuple[Event, ...]]:
        began = time.monotonic()
        running = _RunningCall(log, state.call.call_id)
        bound = self._started(state)
        if isinstance(bound, BadArguments):  # started by a process that had this tool
            return _result(log.state.started.turn_id, state.call, "failed", str(bound)), ()
        result, images = self._with_pictures_kept(await self._outcome(bound, running))
        text = without_surrogates(result.text) or self._phrases["no_output"]
        if bound.unknown_keys:
            text += "\n" + fill(self._phrases["unknown_arguments"], {"names": ", ".join(bound.unknown_keys)})
        text = with_change(text, state, self._phrases)
        finished = CallFinished(
            call_id=state.call.call_id,
            turn_id=log.state.started.turn_id,
            tool=bound.tool,
            status="failed" if result.failed else "ok",
            text=text,
            images=images,
            facts=result.facts,
            duration_ms=round((time.monotonic() - began) * 1000),
        )
        return finished, result.emits

    async def _outcome(self, bound: BoundCall, running: _RunningCall) -> ToolResult:
        limit = asyncio.timeout(bound.timeout_s)
        try:
            async with limit:
                found = await bound.start(running)
        except ToolFailed as error:
            return ToolResult(text=str(error), failed=True)
        except (Exception, asyncio.CancelledError) as error:  # a bug in a tool is logged and told, and ends no turn
            if isinstance(error, asyncio.CancelledError) and is_being_cancelled():
                raise
            if limit.expired():
                spent = {"tool": bound.tool, "seconds": f"{bound.timeout_s:g}"}
                return ToolResult(text=fill(self._phrases["call_timed_out"], spent), failed=True)
            logger.exception("%s failed", bound.tool)
            what = {"tool": bound.tool, "error": repr(error)}
            return ToolResult(text=fill(self._phrases["call_crashed"], what), failed=True)
        return ToolResult(text=found) if isinstance(found, str) else found

    def _with_pictures_kept(self, result: ToolResult) -> tuple[ToolResult, tuple[BlobRef, ...]]:
        try:
            return result, tuple(self._keep(picture.content, picture.mime) for picture in result.images)
        except StoreFailed as error:
            return ToolResult(text=str(error), failed=True, facts=result.facts, emits=result.emits), ()


class _RunningCall:
    """The side of a running call that its tool sees."""

    def __init__(self, log: TurnLog, call_id: str) -> None:
        self.call_id = call_id
        self._log = log

    def show(self, chunk: str) -> None:
        self._log.show(CallOutput(call_id=self.call_id, vp_id=self._log.state.started.vp_id, chunk=chunk))


def _result(turn_id: str, call: Call, status: CallStatus, text: str) -> CallFinished:
    return CallFinished(call_id=call.call_id, turn_id=turn_id, tool=call.tool, status=status, text=text)
