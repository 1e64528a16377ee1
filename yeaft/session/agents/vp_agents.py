"""The sub-agents of one VP, as its tools see them: spawned within limits, its own only, told of once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from yeaft.events.agent import AgentPrompted, AgentSpawned, DeliveryTaken
from yeaft.kernel import ids
from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.pattern import Pattern
from yeaft.kernel.text import without_surrogates
from yeaft.prompts.fill import fill
from yeaft.session.agents.agent_budget import budget_of
from yeaft.session.agents.agent_envelopes import about, answer, in_full, on_one_line, refusal
from yeaft.session.agents.agent_state import AGENT_STREAMS, AgentState, live_of

if TYPE_CHECKING:
    from yeaft.session.agents.agents import Agents
    from yeaft.session.state import SessionState
    from yeaft.tools.close_agent import CloseAgent
    from yeaft.tools.list_agents import ListAgents
    from yeaft.tools.paths import Paths
    from yeaft.tools.prompt_agent import PromptAgent
    from yeaft.tools.spawn_agent import SpawnAgent
    from yeaft.tools.tool import ToolResult
    from yeaft.tools.wait_agent import WaitAgent

_NAME = Pattern(r"[\w.-]{1,40}")


class VpAgents:
    """See the protocols in `tools.spawn_agent` and its siblings. Agents of other VPs do not exist here."""

    def __init__(self, vp_id: str, *, state: SessionState, agents: Agents, paths: Paths) -> None:
        self._vp_id = vp_id
        self._state = state
        self._agents = agents
        self._paths = paths

    async def spawn(self, call_id: str, order: SpawnAgent) -> ToolResult:
        """Check an order and return the event that starts the agent."""
        try:
            spawned = self._spawned(call_id, order)
        except ToolFailed as error:
            return refusal(self._text("mend"), str(error))
        agent = AgentState(spawned=spawned, spawned_ms=0)
        return answer(self._text("spawned"), about(agent, self._agents), emits=(spawned,))

    async def prompt(self, call_id: str, order: PromptAgent) -> ToolResult:
        """Check what an agent is to be told and return the event that tells it."""
        agent = self._find(order.agent_id)
        if agent is None:
            return self._not_found(order.agent_id)
        if agent.ended is not None:
            gone = f"{agent.spawned.name} has ended ({agent.status}) and hears nothing any more; spawn another."
            return refusal(self._text("ended"), gone, agentId=agent.spawned.agent_id)
        if not order.message.strip():
            return refusal(self._text("mend"), "The message is empty.", agentId=agent.spawned.agent_id)
        prompted = AgentPrompted(
            agent_id=agent.spawned.agent_id, call_id=call_id, text=without_surrogates(order.message)
        )
        told = {**about(agent, self._agents), "status": "running"}
        return answer(self._text("prompted"), told, emits=(prompted, *self._taken(agent, call_id)))

    async def wait(self, call_id: str, order: WaitAgent) -> ToolResult:
        """Wait for an agent; its report counts as delivered when this returns it."""
        agent = self._find(order.agent_id)
        if agent is None:
            return self._not_found(order.agent_id)
        agent_id = agent.spawned.agent_id
        if agent.is_running and not self._has_heard_the_user(call_id):
            await self._agents.wait(agent_id, order.timeout_ms / 1000)
            agent = self._state.agents[agent_id]
        told = in_full(agent, self._agents)
        if agent.is_running:
            step = "waiting_human" if self._agents.is_asking(agent_id) else "running"
            return answer(self._text(step), {**told, "timedOut": True, "runningInBackground": True})
        return answer(self._text(_step_after(agent)), told, emits=self._taken(agent, call_id))

    async def close(self, call_id: str, order: CloseAgent) -> ToolResult:
        """End an agent unless it has ended, and return what it has."""
        agent = self._find(order.agent_id)
        if agent is None:
            return self._not_found(order.agent_id)
        if agent.is_live:
            await self._agents.close(agent.spawned.agent_id, without_surrogates(order.result))
            agent = self._state.agents[agent.spawned.agent_id]
        told = in_full(agent, self._agents)
        return answer(self._text("closed"), told, emits=self._taken(agent, call_id))

    async def list(self, order: ListAgents) -> ToolResult:
        """List the VP's agents, oldest first."""
        mine = [
            agent
            for agent in self._state.agents.values()
            if agent.spawned.vp_id == self._vp_id and (agent.is_live or order.include_closed)
        ]
        rows = [on_one_line(agent, self._agents) for agent in mine]
        return answer(self._text("listed" if rows else "none"), {"agents": rows})

    def _spawned(self, call_id: str, order: SpawnAgent) -> AgentSpawned:
        """Return the event that an order stands for. Raises `ToolFailed` with what is wrong with it."""
        task = without_surrogates(order.task or order.mission).strip()
        if not task:
            raise ToolFailed("Say in task what the agent is to do.")
        self._check_name(order.name)
        folder = self._paths.resolve(order.cwd) if order.cwd else self._paths.resolve(".")
        if not folder.is_dir():
            raise ToolFailed(f"cwd: {order.cwd} is no folder.")
        budget = budget_of(order.budget)
        turn = self._state.turns[self._state.turn_of_call(call_id)]
        root_id = self._state.messages[turn.started.message_id].root_id
        self._check_room(root_id)
        agent_id = ids.derive("a_", call_id)
        return AgentSpawned(
            agent_id=agent_id,
            call_id=call_id,
            vp_id=self._vp_id,
            name=order.name,
            persona=order.persona,
            mission=task + self._expected(order.expected_output),
            stream=AGENT_STREAMS + agent_id,
            folder=str(folder),
            root_id=root_id,
            budget=budget,
            stay=order.stay,
        )

    def _check_name(self, name: str) -> None:
        if not _NAME.fullmatch(name):
            raise ToolFailed("name: 1 to 40 letters, digits, '_', '-' or '.', no spaces.")
        if any(agent.spawned.name == name for agent in live_of(self._state.agents, self._vp_id)):
            raise ToolFailed(f"You have an agent named {name!r} already. PromptAgent tells it more; or choose another.")

    def _check_room(self, root_id: str) -> None:
        limits, everyone = self._agents.limits, self._state.agents
        if len(live_of(everyone, self._vp_id)) >= limits.agents_per_vp:
            raise ToolFailed(f"You have {limits.agents_per_vp} live agents, the most allowed. CloseAgent ends one.")
        if len(live_of(everyone)) >= limits.agents_per_session:
            raise ToolFailed(f"{limits.agents_per_session} agents live here, the most allowed in one Session.")
        if sum(agent.spawned.root_id == root_id for agent in everyone.values()) >= limits.agents_per_message:
            raise ToolFailed(f"This request has caused {limits.agents_per_message} agents, the most allowed.")

    def _expected(self, form: dict[str, Any]) -> str:
        if not form:
            return ""
        shown = msgspec.json.format(msgspec.json.encode(form), indent=2).decode()
        return "\n\n" + fill(self._agents.texts["expected"], {"form": shown})

    def _has_heard_the_user(self, call_id: str) -> bool:
        """Whether the user has said something that the VP has not seen yet: then it has no time to wait."""
        turn = self._state.turns[self._state.turn_of_call(call_id)]
        return any(message.kind == "steer" for message in turn.unseen)

    def _find(self, reference: str) -> AgentState | None:
        """Return the VP's agent of this id or, the newest first, of this name."""
        mine = [agent for agent in self._state.agents.values() if agent.spawned.vp_id == self._vp_id]
        fitting = [agent for agent in mine if reference in (agent.spawned.agent_id, agent.spawned.name)]
        return fitting[-1] if fitting else None

    def _not_found(self, reference: str) -> ToolResult:
        return refusal(self._text("not_found"), f"You have no agent {reference!r}.")

    def _taken(self, agent: AgentState, call_id: str) -> tuple[DeliveryTaken, ...]:
        """Return the event by which the newest report needs no message any more; none if it had one."""
        if not agent.report_id or agent.report_id in self._state.delivered:
            return ()
        return (DeliveryTaken(message_id=agent.report_id, vp_id=self._vp_id, call_id=call_id),)

    def _text(self, step: str) -> str:
        return self._agents.texts[f"next_{step}"]


def _step_after(agent: AgentState) -> str:
    match agent.status:
        case "idle":
            return "idle"
        case "completed":
            return "ended"
        case _:
            return "partial"
