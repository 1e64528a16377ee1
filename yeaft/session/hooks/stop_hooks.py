"""Lets hooks say that a VP is not done yet when it has answered: it is then told so, and goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from yeaft.events.codec import Recorded
from yeaft.events.session import MessagePosted
from yeaft.events.turn import TurnEnded
from yeaft.prompts.fill import fill
from yeaft.session.agents.agent_notices import awaits_agents, further_message_id

if TYPE_CHECKING:
    from yeaft.engine.state import TurnState
    from yeaft.session.hooks.hook_runs import Facts, HookRuns, Scene
    from yeaft.session.hooks.prompt_hooks import PromptHooks
    from yeaft.session.ledger import Ledger

Start = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]
MOST_BLOCKS = 3
"""How often a VP can be sent back to work for one user message."""


class StopHooks:
    """The hooks that run when a VP has answered, or a sub-agent: while they do, the user's message is not settled.

    `react` takes the events of the stream that `ledger` posts to; `facts` is what hooks are told besides.
    """

    def __init__(
        self,
        runs: HookRuns,
        ledger: Ledger,
        scene_of: Callable[[TurnState], Scene],
        phrases: Mapping[str, str],
        *,
        event: Literal["Stop", "SubagentStop"] = "Stop",
        facts: Facts | None = None,
        prompts: PromptHooks | None = None,
    ) -> None:
        self._runs = runs
        self._ledger = ledger
        self._scene_of = scene_of
        self._phrases = phrases
        self._event: Literal["Stop", "SubagentStop"] = event
        self._facts = facts or {}
        self._prompts = prompts
        self._start: Start | None = None
        self._follow_up: Callable[[str], None] | None = None
        self._running: dict[str, asyncio.Task[None]] = {}
        self._blocks: dict[tuple[str, str], int] = {}

    @property
    def has_running(self) -> bool:
        """Whether anything is held up."""
        return bool(self._running)

    def attach(self, start: Start, follow_up: Callable[[str], None]) -> None:
        """Take what starts tasks, whose owner waits for them, and what is to be called when a message is free again."""
        self._start, self._follow_up = start, follow_up

    def react(self, recorded: Sequence[Recorded]) -> None:
        """Let hooks run for each turn that has ended with an answer."""
        for one in recorded:
            event = one.event
            if not isinstance(event, TurnEnded) or event.outcome != "answered" or not self._runs.has(self._event):
                continue
            turn = self._ledger.state.turns[event.turn_id]
            if self._start is not None and not awaits_agents(self._ledger.state, event.vp_id, one.corr):
                self._running[event.turn_id] = self._start(self._judge(turn, one.corr))

    def holds(self, root_id: str) -> bool:
        """Whether a user message waits for hooks."""
        state = self._ledger.state
        turns = (state.turns[turn_id] for turn_id in self._running)
        return any(state.messages[turn.started.message_id].root_id == root_id for turn in turns)

    async def next_change(self) -> None:
        """Wait until some hooks have ended."""
        await asyncio.wait(tuple(self._running.values()), return_when=asyncio.FIRST_COMPLETED)

    def stop(self, vp_id: str = "") -> None:
        """End what runs for one VP, or for all; what was answered counts then."""
        if self._prompts is not None:
            self._prompts.stop()
        state = self._ledger.state
        for turn_id, task in tuple(self._running.items()):
            started = state.turns[turn_id].started
            if vp_id in ("", started.vp_id):
                task.cancel()  # which may be before its first step, so it cannot be left to it to let go
                self._let_go(turn_id, state.messages[started.message_id].root_id)

    async def _judge(self, turn: TurnState, root_id: str) -> None:
        turn_id, vp_id = turn.started.turn_id, turn.started.vp_id
        blocks = self._blocks.get((root_id, vp_id), 0)
        facts = {**self._facts, "stop_hook_active": blocks > 0, "last_assistant_message": turn.final_text}
        heard = await self._runs.run(self._event, "", facts, self._scene_of(turn))
        reason = None if heard.stop is not None else heard.denial
        if reason is not None and blocks >= MOST_BLOCKS:
            self._runs.tell("hook.stop_ignored", {"vp": vp_id, "times": str(MOST_BLOCKS), "reason": reason})
            reason = None
        further_id = further_message_id(turn_id)
        if reason is None or further_id in self._ledger.state.messages:
            self._let_go(turn_id, root_id)
            return
        self._blocks[root_id, vp_id] = blocks + 1
        del self._running[turn_id]
        message = MessagePosted(
            message_id=further_id,
            sender="system",
            to=(vp_id,),
            kind="continue",
            text=fill(self._phrases["hook_go_on"], {"reason": reason or self._phrases["hook_no_reason"]}),
            root_id=root_id,
            hops=self._ledger.state.messages[turn.started.message_id].hops,
        )
        self._ledger.post((message,), src="engine", cause=turn_id, corr=root_id)

    def _let_go(self, turn_id: str, root_id: str) -> None:
        del self._running[turn_id]
        assert self._follow_up is not None
        self._follow_up(root_id)
