"""Whether anything is at work in a Session: turns, sub-agents, hooks that hold a turn up, changes of what was said."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from yeaft.session.agents.agent_state import live_of

if TYPE_CHECKING:
    from yeaft.events.agent import AgentSpawned
    from yeaft.session.agents.agents import Agents
    from yeaft.session.hooks.stop_hooks import StopHooks
    from yeaft.session.rewinding_ops import RewindOps
    from yeaft.session.state import SessionState


def turns_rest(state: SessionState, hooks: StopHooks | None, vp_id: str = "") -> bool:
    """Whether no turn of a VP, or of any, runs or waits, and no hook holds up the end of any."""
    is_open = any(vp_id in ("", turn.started.vp_id) for turn in state.open_turns())
    is_waited = any(queue for waiting_vp, queue in state.waiting.items() if vp_id in ("", waiting_vp))
    return not is_open and not is_waited and (hooks is None or not hooks.has_running)


class Rest:
    """Tells of one Session what is at work in it, turns or what follows them."""

    def __init__(self, state: SessionState, hooks: StopHooks | None, past: RewindOps | None) -> None:
        self._state = state
        self._hooks = hooks
        self._past = past

    def is_complete(self, vp_id: str = "") -> bool:
        """Whether a VP, or all, have no turn and no sub-agent, and nothing that was said is being changed."""
        is_past_still = self._past is None or not self._past.are_under_way
        return turns_rest(self._state, self._hooks, vp_id) and is_past_still and not live_of(self._state.agents, vp_id)

    @property
    def are_answers_judged(self) -> bool:
        """Whether hooks hold up the end of a turn."""
        return self._hooks is not None and self._hooks.has_running

    @property
    def are_summing_up(self) -> bool:
        """Whether earlier turns are being summed up."""
        return self._past is not None and self._past.are_summing_up

    @property
    def working_agents(self) -> tuple[AgentSpawned, ...]:
        """The sub-agents that work on something, oldest first."""
        return tuple(agent.spawned for agent in self._state.agents.values() if agent.is_running)


async def until_quiet(
    busy: Mapping[str, asyncio.Task[None]], agents: Agents | None, hooks: StopHooks | None, past: RewindOps | None
) -> None:
    """Wait until none of it is at work any more; `busy` are the VPs that are, as they come and go."""
    while True:
        if busy:
            await asyncio.wait(busy.values())
        elif agents is not None and agents.has_running:
            await agents.next_change()
        elif hooks is not None and hooks.has_running:
            await hooks.next_change()
        elif past is not None and past.are_under_way:
            await past.ended()
        else:
            return
