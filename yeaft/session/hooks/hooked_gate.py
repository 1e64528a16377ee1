"""Lets hooks have a say before a call runs: they can tighten what rules and mode say, and hardly ever loosen it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from yeaft.engine.calls import Gate, Refused, Verdict
from yeaft.engine.changed import Changed
from yeaft.prompts.fill import fill
from yeaft.session.hooks.hook_names import KNOWN_AS

if TYPE_CHECKING:
    from msgspec import Raw

    from yeaft.kernel.messages import Call
    from yeaft.session.hooks.hook_runs import Facts, HookRuns, Scene
    from yeaft.tools.tool import BoundCall


class AskingGate(Gate, Protocol):
    """A gate that can be told why the human is to be asked."""

    async def ask(self, call: Call, bound: BoundCall, reason: str = "") -> Refused | Changed | None:
        """Ask the human; a `reason` stands in for the one that rules and mode have."""
        ...

    def give_up(self, call: Call, bound: BoundCall, reason: str) -> None:
        """Have the turn end here; the human is told the reason."""
        ...

    def asks_by_mode(self, bound: BoundCall) -> bool:
        """Whether a call has to be asked about only because of the mode: in mode auto it would not be."""
        ...


class HookedGate:
    """`gate` with the hooks of `PreToolUse` before it; `scene_of` says what a call belongs to.

    A call that a hook listens to is never run beside others, because its hooks run while it waits to be let in. What
    a rule denies is denied without asking any hook.
    """

    def __init__(
        self, gate: AskingGate, runs: HookRuns, scene_of: Callable[[str], Scene], phrases: Mapping[str, str]
    ) -> None:
        self._gate = gate
        self._runs = runs
        self._scene_of = scene_of
        self._phrases = phrases

    def judge(self, bound: BoundCall) -> Verdict:
        """See `engine.calls.Gate`; a call that hooks listen to has to be asked about, at least of them."""
        verdict = self._gate.judge(bound)
        return verdict if verdict.denied or not self._runs.has("PreToolUse", bound.tool) else Verdict()

    async def ask(self, call: Call, bound: BoundCall) -> Refused | Changed | None:
        """Ask the hooks, then the human where that is needed still."""
        if not self._runs.has("PreToolUse", bound.tool):
            return await self._gate.ask(call, bound)
        facts = told_of(call.call_id, bound)
        heard = await self._runs.run("PreToolUse", bound.tool, facts, self._scene_of(call.call_id))
        if heard.stop is not None:
            self._gate.give_up(call, bound, heard.stop or self._phrases["hook_no_reason"])
            return Refused(status="not_run", text=self._said("call_stopped_by_hook", heard.stop))
        if heard.denial is not None:
            return Refused(status="denied", text=self._said("call_denied_by_hook", heard.denial))
        if heard.context:
            self._runs.notes[call.call_id] = heard.context
        verdict = self._gate.judge(bound)  # rules and mode may have changed meanwhile
        if verdict.denied:
            return Refused(status="denied", text=verdict.denied)
        if heard.question is not None:
            return await self._gate.ask(call, bound, heard.question or self._phrases["hook_asks"])
        if verdict.allowed or (heard.is_allowed and self._gate.asks_by_mode(bound)):
            return None
        return await self._gate.ask(call, bound)

    def _said(self, phrase: str, reason: str) -> str:
        return fill(self._phrases[phrase], {"reason": reason or self._phrases["hook_no_reason"]})


def told_of(call_id: str, bound: BoundCall) -> Facts:
    """What hooks are told of a call."""
    facts: dict[str, Any] = {"tool_name": bound.tool, "tool_input": plain(bound.args), "tool_use_id": call_id}
    if bound.tool in KNOWN_AS:
        facts["tool_known_as"] = list(KNOWN_AS[bound.tool])
    return facts


def plain(raw: Raw) -> Facts:
    """Arguments that were encoded as JSON, as JSON again."""
    return msgspec.json.decode(raw, type=dict[str, Any])
