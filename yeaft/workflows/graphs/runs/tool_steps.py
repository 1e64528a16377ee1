"""Steps that a tool does without any model: called under the user's rules, recorded as every call is."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from yeaft.engine.calls import Refused
from yeaft.events.call import CallFinished, CallOutput, CallStarted
from yeaft.kernel.errors import BadArguments, ToolFailed
from yeaft.kernel.messages import Call
from yeaft.kernel.nearness import nearest
from yeaft.kernel.tool_names import BUILT_IN, OUTSIDE_PREFIX
from yeaft.prompts.fill import fill
from yeaft.session.ledger import Ledger
from yeaft.session.live_toolbox import with_served
from yeaft.session.state import SessionState
from yeaft.tools.tool import ToolResult
from yeaft.vp.persona import Vp
from yeaft.workflows.graphs.conditions import read_json
from yeaft.workflows.graphs.runs.asking import tool_call_id
from yeaft.workflows.graphs.runs.doing import Done, Work
from yeaft.workflows.graphs.runs.tool_gate import ToolGate

if TYPE_CHECKING:
    from yeaft.session.agents.agent_session import Means
    from yeaft.tools.tool import BoundCall, Toolbox
    from yeaft.workflows.graphs.runs.vp_steps import Hear

USER = Vp(id="user", name="user")


class ToolSteps:
    """Calls the Session's tools in `folder`. A call that an earlier process began is run again only if that is safe."""

    def __init__(self, means: Means, folder: Path, hear: Hear) -> None:
        self._means = means
        self._folder = folder
        self._hear = hear

    async def use(self, work: Work, name: str, args: Mapping[str, Any]) -> Done:
        """Call a tool and return what it gave. Raises `NeedsHuman` if the rules want somebody asked."""
        ledger = self._ledger(work)
        toolbox = self._toolbox(ledger.state)
        tool = toolbox.get(name)
        if tool is None and name.startswith(OUTSIDE_PREFIX):
            try:
                await self._means.reach(name)
            except ToolFailed as error:
                return _failed(str(error))
            tool = toolbox.get(name)
        if tool is None:
            near = nearest(name, tuple(toolbox))
            hint = " `yeaft tool ls` says why it cannot work here." if name in BUILT_IN else ""
            hint = f" Did you mean {near!r}?" if near else hint
            return _failed(f"There is no tool {name!r}.{hint}")
        try:
            bound = tool.bind(msgspec.json.encode(args).decode())
        except BadArguments as error:
            return _failed(str(error))
        call_id = tool_call_id(work.act.act_id, work.attempt)
        before = self._earlier(work, call_id)
        ended = await self._found_out(work, ledger, before) if isinstance(before, CallStarted) else before
        if ended is not None:
            return _done(work, ended)
        refused = await self._let_in(work, ledger, bound, call_id)
        return refused or await self._run(work, ledger, bound, call_id, has_started=before is not None)

    def _ledger(self, work: Work) -> Ledger:
        means = self._means
        state = SessionState(work.stream)
        for recorded in means.journal.read(work.stream) if work.is_resumed else ():  # a new stream has nothing yet
            state.apply(recorded)
        parent = means.parent
        ledger = Ledger(means.journal, state, means.now_ms, parent.epoch, stream=work.stream, purse=parent.purse)
        ledger.listen(means.traces)
        ledger.listen(lambda heard: self._hear(work.act.act_id, heard))
        return ledger

    def _toolbox(self, state: SessionState) -> Toolbox:
        means = self._means
        return with_served(means.equip(USER.id, state, self._folder), means.serve(USER.id, USER, state, self._folder))

    def _earlier(self, work: Work, call_id: str) -> CallStarted | CallFinished | None:
        """How far an earlier process has come with the call; None if it has not begun."""
        found: CallStarted | CallFinished | None = None
        for recorded in self._means.journal.read(work.stream) if work.is_resumed else ():
            match recorded.event:
                case CallStarted(call_id=one) | CallFinished(call_id=one) if one == call_id:
                    found = recorded.event
                case _:
                    pass
        return found

    async def _found_out(self, work: Work, ledger: Ledger, started: CallStarted) -> CallFinished | None:
        """Record what became of a call that an earlier process has begun; None if it is to be run now."""
        known = self._means.inquiry.of_call(started)
        if known is None:
            return None
        # A command that went well without anybody listening: what it printed may be lost, and that is what steps give.
        is_heard = started.tool != "Bash" or known.status != "ok" or bool(known.facts.exit_code)
        finished = CallFinished(
            call_id=started.call_id,
            turn_id="",
            tool=started.tool,
            status=known.status if is_heard else "unknown",
            text=known.text,
            facts=known.facts,
        )
        await ledger.post((finished,), src=f"tool:{started.tool}", cause=work.act.act_id)
        return finished

    async def _let_in(self, work: Work, ledger: Ledger, bound: BoundCall, call_id: str) -> Done | None:
        """Ask rules and hooks, and the human where they say so; None if the call may run."""
        own_gate, hooks = ToolGate(self._means, work.step.id), self._means.hooks
        gate = hooks.gate(own_gate, ledger.state, self._folder) if hooks else own_gate
        verdict = gate.judge(bound)
        if verdict.allowed:
            return None
        why = verdict.denied
        if not why:
            call = Call(call_id=call_id, wire_id="", tool=bound.tool, args_raw=bytes(bound.args).decode())
            refused = await gate.ask(call, bound)
            if not isinstance(refused, Refused):
                return None
            why = refused.text
        return Done(status="declined", error=why, reason="tool_error")

    async def _run(self, work: Work, ledger: Ledger, bound: BoundCall, call_id: str, *, has_started: bool) -> Done:
        try:
            intents = bound.intend()
        except ToolFailed as error:
            return _failed(str(error))
        started = CallStarted(
            call_id=call_id, turn_id="", tool=bound.tool, args=bound.args, guard=bound.guard, intents=intents
        )
        if not has_started:  # what an earlier process has recorded is recorded once
            await ledger.post((started,), src="engine", cause=work.act.act_id, sync=bound.guard == "unsafe")
        began_ms = self._means.now_ms()
        patience = asyncio.timeout(bound.timeout_s)
        try:
            async with patience:
                found = await bound.start(_RunningTool(ledger, call_id, work.step.id))
            result = ToolResult(text=found) if isinstance(found, str) else found
        except ToolFailed as error:
            result = ToolResult(text=str(error), failed=True)
        except TimeoutError:
            if not patience.expired():
                raise
            spent = {"tool": bound.tool, "seconds": f"{bound.timeout_s:g}"}
            result = ToolResult(text=fill(self._means.thinking.phrases["call_timed_out"], spent), failed=True)
        finished = CallFinished(
            call_id=call_id,
            turn_id="",
            tool=bound.tool,
            status="failed" if result.failed else "ok",
            text=result.text,
            facts=result.facts,
            duration_ms=self._means.now_ms() - began_ms,
        )
        await ledger.post((finished, *result.emits), src=f"tool:{bound.tool}", cause=work.act.act_id)
        return _done(work, finished)


class _RunningTool:
    """The side of a running call that its tool sees."""

    def __init__(self, ledger: Ledger, call_id: str, step_id: str) -> None:
        self.call_id = call_id
        self._ledger = ledger
        self._step_id = step_id

    def show(self, chunk: str) -> None:
        self._ledger.show(CallOutput(call_id=self.call_id, vp_id=self._step_id, chunk=chunk))


def _done(work: Work, finished: CallFinished) -> Done:
    """What a call comes to for its step; a command that ends with another exit code than 0 has failed, as in CI.

    So has one whose output was cut, if it is to be of a type: a part of it may be something else.
    """
    if finished.status != "ok" or finished.facts.exit_code:
        return replace(_failed(finished.text), may_have_happened=finished.status == "unknown")
    text, out, facts = finished.text, work.step.out, finished.facts
    if not facts.left_out_bytes:
        return Done(value=read_json(text) if out in ("json", "list") else text)
    if out == "text":
        return Done(value=text, left_out_bytes=facts.left_out_bytes, log=facts.log)
    size = f"{facts.left_out_bytes:,}"
    return _failed(f"{size} bytes of what it printed were left out, so it is no whole {out}. All of it: {facts.log}")


def _failed(error: str) -> Done:
    return Done(status="failed", error=error, reason="tool_error")
