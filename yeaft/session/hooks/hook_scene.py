"""Lets hooks hear that the human is wanted, and that a Session is left; waits for them, but not for long."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

from yeaft.events.call import AskOpened
from yeaft.events.codec import Recorded, Transient
from yeaft.events.turn import TurnEnded
from yeaft.kernel.errors import StoreFailed
from yeaft.prompts.fill import fill
from yeaft.session.hooks.hook_runs import Scene

if TYPE_CHECKING:
    from types import TracebackType

    from yeaft.session.hooks.hook_runs import Facts, HookRuns
    from yeaft.session.hooks.hooks_file import HookEvent
    from yeaft.session.hooks.prompt_hooks import PromptHooks

LEAVE_WITHIN_S = 5.0


class HookScene:
    """Runs the hooks of `Notification` while a Session is open, and of `SessionEnd` when it is left.

    Use it as an async context manager around the Session; `hear` is a listener of its ledger.
    """

    def __init__(self, runs: HookRuns, prompts: PromptHooks, phrases: Mapping[str, str], *, has_human: bool) -> None:
        self._runs = runs
        self._prompts = prompts
        self._phrases = phrases
        self._has_human = has_human
        self._running: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._prompts.has_started and self._runs.has("SessionEnd", "exit"):
            self._begin("SessionEnd", "exit", {"reason": "exit"}, Scene())
        if not self._running:
            return
        _, late = await asyncio.wait(self._running, timeout=LEAVE_WITHIN_S)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late)

    def hear(self, heard: Recorded | Transient) -> None:
        """Take in one event."""
        event = heard.event if isinstance(heard, Recorded) else None
        match event:
            case AskOpened(text=text, kind=kind, vp_id=vp_id, turn_id=turn_id, call_id=call_id) if self._has_human:
                name = "permission_prompt" if kind == "approval" else "question"
                scene = Scene(vp=vp_id, turn_id=turn_id, call_id=call_id)
            case TurnEnded(outcome="needs_human", vp_id=vp_id, turn_id=turn_id):
                name, text = "needs_human", fill(self._phrases["hook_needs_human"], {"vp": vp_id})
                scene = Scene(vp=vp_id, turn_id=turn_id)
            case _:
                return
        if self._runs.has("Notification", name):
            self._begin("Notification", name, {"message": text, "notification_type": name}, scene)

    def _begin(self, event: HookEvent, name: str, facts: Facts, scene: Scene) -> None:
        task = asyncio.create_task(self._run(event, name, facts, scene), name=f"hooks:{event}")
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _run(self, event: HookEvent, name: str, facts: Facts, scene: Scene) -> None:
        with contextlib.suppress(StoreFailed):  # whoever works in the Session hears of it
            await self._runs.run(event, name, facts, scene)
