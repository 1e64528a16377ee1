"""Stands between calls and their effects: rules first, then the human, and where there is none, an honest end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from yeaft.engine.calls import Refused, Verdict
from yeaft.engine.changed import Changed
from yeaft.events.call import AskAnswered, AskOpened, AskWithdrawn
from yeaft.events.policy import RuleSaved
from yeaft.events.session import NoticePosted
from yeaft.kernel import ids
from yeaft.kernel.errors import BadArguments, BadData, ConfigError, NotFound, ToolFailed
from yeaft.prompts.fill import fill
from yeaft.session.asked import Asked, Caller, subject
from yeaft.session.ledger import Ledger
from yeaft.session.permits import Permits
from yeaft.tools.ask_user import AskUser
from yeaft.tools.policy.rules import rule
from yeaft.tools.tool import arguments

if TYPE_CHECKING:
    from yeaft.config.settings import Mode
    from yeaft.events.codec import Event
    from yeaft.events.ops import Answer
    from yeaft.kernel.messages import Call
    from yeaft.session.state import SessionState
    from yeaft.tools.policy.read_denials import Withheld
    from yeaft.tools.policy.verdict import Verdict as Permission
    from yeaft.tools.tool import BoundCall

QUESTION_TOOL = "AskUser"


class Approvals:
    """One Session's permissions and open questions. `has_human` says whether anybody could answer one.

    `save` writes a rule to where it holds for good, which is the file `kept_in`, and returns that; it may block and
    raises `ConfigError`.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        permits: Permits,
        phrases: Mapping[str, str],
        has_human: bool,
        save: Callable[[str], Path],
        kept_in: Path | None = None,
    ) -> None:
        self._ledger = ledger
        self._permits = permits
        self._phrases = phrases
        self._save = save
        self._waiting: dict[str, asyncio.Future[AskAnswered]] = {}
        self._callers: dict[str, Caller] = {}
        self._asked: dict[str, Asked] = {}
        self.has_human = has_human
        self.kept_in = kept_in
        for saved in ledger.state.rules:
            if saved.scope == "session":
                permits.allow(saved.rule)

    def mode_of(self, vp_id: str) -> Mode:
        """The approval mode that a VP works in, or a sub-agent by its label."""
        return self._permits.policy(vp_id.partition("/")[0]).mode

    def choose_mode(self, mode: Mode) -> None:
        """Let another mode hold from the next call on."""
        self._permits.choose(mode)

    def add_folder(self, path: str) -> None:
        """Treat another folder like the work folder."""
        self._permits.add_folder(Path(path))

    def may_visit(self, vp_id: str, tool: str, domain: str) -> bool:
        """Whether a tool that a VP uses may go on to another domain than the one it was let out to."""
        return self._permits.policy(vp_id.partition("/")[0]).may_visit(tool, domain)

    def withheld(self, vp_id: str, work_folder: Path, folder: Path) -> Withheld:
        """What the rules of a VP that works in `work_folder` keep from being read below `folder`, both absolute."""
        return self._permits.policy(vp_id.partition("/")[0], work_folder).withheld(folder)

    def verdict_on(self, bound: BoundCall) -> Permission:
        """What the user's rules and mode say about a call that the user starts, rather than a VP."""
        return self._permits.policy("").judge(bound)

    def judge(self, bound: BoundCall, vp_id: str, caller: Caller | None = None) -> Verdict:
        """Judge a call of a VP, or of its sub-agent `caller`, by rules and mode alone."""
        if caller is None and not self._permits.has_tool(vp_id, bound.tool):
            return Verdict(denied=fill(self._phrases["call_not_yours"], {"tool": bound.tool, "vp": vp_id}))
        if bound.tool == QUESTION_TOOL:
            return Verdict(allowed=self.has_human)
        verdict = self._permits.policy(vp_id, caller.folder if caller else None).judge(bound)
        if verdict.decision == "deny":
            return Verdict(denied=fill(self._phrases["call_denied"], {"reason": verdict.reason}))
        return Verdict(allowed=verdict.decision == "allow")

    def asks_by_mode(self, bound: BoundCall, vp_id: str, caller: Caller | None = None) -> bool:
        """Whether a call has to be asked about only because of the mode: in mode auto it would not be."""
        policy = self._permits.policy(vp_id, caller.folder if caller else None)
        if policy.mode == "plan" or bound.tool == QUESTION_TOOL:
            return False
        return replace(policy, mode="auto").judge(bound).decision == "allow"

    async def ask(
        self, call: Call, bound: BoundCall, vp_id: str, caller: Caller | None = None, *, reason: str = ""
    ) -> Refused | Changed | None:
        """Put a call to the human. None means it may run; it counts as refused when nobody is there.

        `Changed` means that another one may run instead; asked about that one, the answer is None.

        Any number of VPs and sub-agents may wait here at once; the question and its answer stand in the Session's
        stream, and in the `caller`'s own. With a `reason` of somebody else's, no rule is offered that would answer
        for good.
        """
        policy = self._permits.policy(vp_id, caller.folder if caller else None)
        opened = self._opened(call, bound, policy.judge(bound), caller)
        if reason and opened.kind == "approval":
            opened = replace(opened, text=subject(bound, reason), rule="", flag="")
        self._asked[opened.ask_id] = Asked(
            call=call, bound=bound, paths=policy.paths, verdict=policy.judge(bound), why=reason
        )
        try:
            answered = await self._answer(opened, caller)
        finally:
            del self._asked[opened.ask_id]
        if answered is None:
            text = fill(self._phrases["call_needs_human"], {"reason": opened.text})
            return Refused(status="not_run", text=text)
        if answered.decision == "deny":
            return Refused(
                status="denied", text=fill(self._phrases["call_denied_by_user"], {"text": answered.text}).strip()
            )
        if answered.decision in ("session", "always"):
            await self._keep(answered, answered.rule or opened.rule)
        if answered.changed and answered.changed.encode() != bytes(bound.args):
            return Changed(args_raw=answered.changed)
        return None

    def is_waiting(self, ask_id: str) -> bool:
        """Whether somebody waits for the answer; nobody does for what a dead process has asked."""
        return ask_id in self._waiting

    def asked(self, ask_id: str) -> Asked | None:
        """What an open question is about; None for one that no call waits with, as those that a VP or server puts."""
        return self._asked.get(ask_id)

    def give_up(self, call: Call, bound: BoundCall, vp_id: str, caller: Caller | None = None, *, reason: str) -> None:
        """Have the turn of a call end here, because somebody else than the human wants that for a `reason`."""
        verdict = self._permits.policy(vp_id, caller.folder if caller else None).judge(bound)
        opened = replace(
            self._opened(call, bound, verdict, caller), kind="approval", text=subject(bound, reason), rule="", flag=""
        )
        if caller is not None:
            self._callers[opened.ask_id] = caller
        self._post(opened, opened)
        self._post(opened, AskWithdrawn(ask_id=opened.ask_id, reason="headless"))

    async def _keep(self, answered: AskAnswered, text: str) -> None:
        """Let the rule that the human agreed to hold; where it cannot be written, it holds for this Session."""
        if not text or any(saved.ask_id == answered.ask_id for saved in self._ledger.state.rules):
            return
        self._permits.allow(text)
        saved: list[Event] = [RuleSaved(rule=text, scope="session", ask_id=answered.ask_id)]
        if answered.decision == "always":
            try:
                path = await asyncio.to_thread(self._save, text)
                saved = [RuleSaved(rule=text, scope="always", ask_id=answered.ask_id, path=str(path))]
            except (ConfigError, OSError) as error:
                params = {"rule": text, "reason": str(error)}
                saved.append(NoticePosted(code="rule.not_written", params=params, level="warn"))
        self._ledger.post(saved, src="user", cause=answered.ask_id)

    async def question(self, call_id: str, question: str, options: Sequence[str], number: int = 0) -> str | None:
        """Put a question of a VP, or of what it calls, to the human; the `number`-th of this call.

        Returns None if the human does not want to answer. Raises `ToolFailed` when nobody is there.
        """
        opened = AskOpened(
            ask_id=ids.ask_id(call_id, number),
            turn_id=self._ledger.state.turn_of_call(call_id),
            call_id=call_id,
            vp_id=self._vp_of(call_id),
            kind="choice" if options else "question",
            text=question,
            options=tuple(options),
        )
        answered = await self._answer(opened)
        if answered is None:
            raise ToolFailed("Nobody is here to answer. Do without the answer, or say what you need to know.")
        return None if answered.decision == "deny" else ", ".join(answered.choice) or answered.text

    async def put(self, opened: AskOpened) -> AskAnswered | None:
        """Put a question to the human that no turn waits with; None when nobody is there to answer.

        A rule that was agreed to is kept. Cancelling withdraws the question.
        """
        try:
            answered = await self._answer(opened)
        except asyncio.CancelledError:
            if opened.ask_id in self._ledger.state.open_asks:
                self._post(opened, AskWithdrawn(ask_id=opened.ask_id, reason="aborted"))
            raise
        if answered is not None and answered.decision in ("session", "always"):
            await self._keep(answered, answered.rule or opened.rule)
        return answered

    def answer(self, op: Answer) -> None:
        """Take the human's answer.

        Raises `NotFound` if the question is not open, `BadData` for a rule that is none or arguments that are none.
        """
        opened = self._ledger.state.open_asks.get(op.ask_id)
        if opened is None:
            raise NotFound(f"No question {op.ask_id} is open; it was answered or withdrawn.")
        if op.rule:
            _check_rule(op.rule)
        answered = AskAnswered(
            ask_id=op.ask_id,
            decision=op.decision,
            choice=op.choice,
            text=op.text,
            rule=op.rule,
            changed=_arguments(op.changed) if op.changed and opened.kind == "approval" else "",
        )
        self._post(opened, answered)
        waiting = self._waiting.get(op.ask_id)
        if waiting is not None and not waiting.done():
            waiting.set_result(answered)

    def leave(self) -> None:
        """Note that the human has gone: every open question is withdrawn, and new ones are not waited for."""
        self.has_human = False
        for ask_id, waiting in self._waiting.items():
            if not waiting.done():
                waiting.cancel()
            opened = self._ledger.state.open_asks.get(ask_id)
            if opened is not None:
                self._post(opened, AskWithdrawn(ask_id=ask_id, reason="headless"))

    async def _answer(self, opened: AskOpened, caller: Caller | None = None) -> AskAnswered | None:
        """Wait for the answer to a question; None when nobody is there to give one.

        A turn that goes on after a crash may come here again with a question that was answered before.
        """
        if (answered := self._ledger.state.answers.get(opened.ask_id)) is not None:
            return answered
        if caller is not None:
            self._callers[opened.ask_id] = caller
        if opened.ask_id not in self._ledger.state.open_asks:
            self._post(opened, opened)
        if not self.has_human:
            self._post(opened, AskWithdrawn(ask_id=opened.ask_id, reason="headless"))
            return None
        waiting: asyncio.Future[AskAnswered] = asyncio.get_running_loop().create_future()
        self._waiting[opened.ask_id] = waiting
        try:
            answered = await waiting
        except asyncio.CancelledError:
            if not self.has_human and not _is_being_cancelled():
                return None
            self._withdraw(opened)
            raise
        finally:
            del self._waiting[opened.ask_id]
        await self._ledger.flushed()  # what a human has said is kept, whatever it lets happen next
        return answered

    def _withdraw(self, opened: AskOpened) -> None:
        """Take back the question of a sub-agent that is being stopped; what closes a turn does so in its own stream."""
        caller = self._callers.get(opened.ask_id)
        if caller is not None and opened.ask_id in self._ledger.state.open_asks:
            withdrawn = AskWithdrawn(ask_id=opened.ask_id, reason="aborted")
            self._ledger.post((withdrawn,), src="engine", cause=opened.call_id, corr=caller.root_id)

    def _opened(self, call: Call, bound: BoundCall, verdict: Permission, caller: Caller | None) -> AskOpened:
        state = caller.ledger.state if caller else self._ledger.state
        turn_id = state.turn_of_call(call.call_id)
        label = state.turns[turn_id].started.vp_id
        if bound.tool == QUESTION_TOOL:
            args = msgspec.json.decode(bound.args, type=AskUser, strict=False)
            return AskOpened(
                ask_id=self._ask_id(call.call_id),
                turn_id=turn_id,
                call_id=call.call_id,
                vp_id=label,
                kind="choice" if args.options else "question",
                text=args.question,
                options=tuple(args.options),
            )
        return AskOpened(
            ask_id=self._ask_id(call.call_id),
            turn_id=turn_id,
            call_id=call.call_id,
            vp_id=label,
            kind="approval",
            text=subject(bound, verdict.reason),
            rule=verdict.offer,
            flag=verdict.flag,
        )

    def _ask_id(self, call_id: str) -> str:
        """Return the id under which a call is put to the human: a new one if it was put and then withdrawn.

        A step of a graph can go on with a turn whose question went with the process that had put it.
        """
        state, ask_id, number = self._ledger.state, ids.ask_id(call_id, 0), 0
        while ask_id in state.asked and ask_id not in state.open_asks and ask_id not in state.answers:
            number += 1
            ask_id = ids.derive("k_", call_id, "ask again", number)
        return ask_id

    def _vp_of(self, call_id: str) -> str:
        state = self._ledger.state
        return state.turns[state.turn_of_call(call_id)].started.vp_id

    def _post(self, opened: AskOpened, event: Event) -> None:
        src = "user" if isinstance(event, AskAnswered) else f"vp:{opened.vp_id}"
        caller = self._callers.get(opened.ask_id)
        root_id = caller.root_id if caller else _root_of(self._ledger.state, opened)
        self._ledger.post((event,), src=src, cause=opened.call_id, corr=root_id)
        if caller is not None:
            own_root_id = _root_of(caller.ledger.state, opened)
            caller.ledger.post((event,), src=src, cause=opened.call_id, corr=own_root_id)


class VpGate:
    """Stands between the calls of one VP and their effects; see `engine.calls.Gate`."""

    def __init__(self, approvals: Approvals, vp_id: str) -> None:
        self._approvals = approvals
        self._vp_id = vp_id

    def judge(self, bound: BoundCall) -> Verdict:
        """Judge a call by the rules and the mode that hold for the VP, and by what its file lets it use."""
        return self._approvals.judge(bound, self._vp_id)

    def asks_by_mode(self, bound: BoundCall) -> bool:
        """See `session.hooks.hooked_gate`."""
        return self._approvals.asks_by_mode(bound, self._vp_id)

    async def ask(self, call: Call, bound: BoundCall, reason: str = "") -> Refused | Changed | None:
        """Put a call to the human, for a `reason` of somebody else's if there is one."""
        return await self._approvals.ask(call, bound, self._vp_id, reason=reason)

    def give_up(self, call: Call, bound: BoundCall, reason: str) -> None:
        """See `session.hooks.hooked_gate`."""
        self._approvals.give_up(call, bound, self._vp_id, reason=reason)


class Questions:
    """The side of `Approvals` that a VP's own questions go through; see `tools.ask_user.Asker`."""

    def __init__(self, approvals: Approvals) -> None:
        self._approvals = approvals

    async def ask(self, call_id: str, question: str, options: tuple[str, ...], number: int = 0) -> str | None:
        """Return what the human answered, None for no answer; raises `ToolFailed` when nobody is there to answer."""
        return await self._approvals.question(call_id, question, options, number)


def _check_rule(text: str) -> None:
    try:
        rule(text)
    except ConfigError as error:
        raise BadData(str(error)) from error


def _arguments(text: str) -> str:
    """Return arguments as they will stand in the journal, so that they can be compared with those of a call."""
    try:
        return msgspec.json.encode(arguments("The changed call", text)).decode()
    except BadArguments as error:
        raise BadData(str(error)) from error


def _root_of(state: SessionState, opened: AskOpened) -> str:
    """The message that a question goes back to; empty for one that no turn has put."""
    if opened.turn_id not in state.turns:
        return ""
    return state.messages[state.turns[opened.turn_id].started.message_id].root_id


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
