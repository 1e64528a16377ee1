"""What stands between the call of a step that a tool does and its effect: the user's rules, and the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.engine.calls import Refused, Verdict
from yeaft.events.call import AskOpened
from yeaft.session.asked import subject
from yeaft.workflows.graphs.runs.asking import open_ask_id
from yeaft.workflows.graphs.runs.doing import NeedsHuman

if TYPE_CHECKING:
    from yeaft.kernel.messages import Call
    from yeaft.session.agents.agent_session import Means
    from yeaft.tools.tool import BoundCall


class ToolGate:
    """The gate of one step; see `engine.calls.Gate` and `session.hooks.hooked_gate.AskingGate`."""

    def __init__(self, means: Means, step_id: str) -> None:
        self._means = means
        self._step_id = step_id

    def judge(self, bound: BoundCall) -> Verdict:
        """Judge the call as one that the user starts."""
        verdict = self._means.approvals.verdict_on(bound)
        if verdict.decision == "deny":
            return Verdict(denied=f"{bound.tool} is denied: {verdict.reason}")
        return Verdict(allowed=verdict.decision == "allow")

    def asks_by_mode(self, bound: BoundCall) -> bool:
        """Whether only the mode has it asked about."""
        return self._means.approvals.asks_by_mode(bound, "")

    async def ask(self, call: Call, bound: BoundCall, reason: str = "") -> Refused | None:
        """Put the call to the human, for a `reason` of somebody else's if there is one. Raises `NeedsHuman`."""
        approvals, parent = self._means.approvals, self._means.parent
        verdict = approvals.verdict_on(bound)
        opened = AskOpened(
            ask_id=open_ask_id(parent.state, call.call_id, parent.epoch),
            turn_id="",
            call_id=call.call_id,
            vp_id=self._step_id,
            kind="approval",
            text=subject(bound, reason or verdict.reason),
            rule="" if reason else verdict.offer,
            flag="" if reason else verdict.flag,
        )
        answered = await approvals.put(opened)
        if answered is None:
            raise NeedsHuman(opened.text)
        if answered.decision == "deny":
            return Refused(status="denied", text=answered.text or f"{bound.tool} was not allowed")
        return None

    def give_up(self, call: Call, bound: BoundCall, reason: str) -> None:
        """Do nothing more than what follows from the refusal: the step fails."""
