"""What a VP is told of its sub-agents, as JSON: what to do next comes first, because long results lose their end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from yeaft.session.agents.agent_budget import told_budget
from yeaft.tools.tool import ToolResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from yeaft.session.agents.agent_state import AgentState
    from yeaft.session.agents.agents import Agents

TASK_CHARS = 200
TAIL_CHARS = 1_000


def answer(next_steps: str, fields: Mapping[str, Any], *, emits: tuple[Any, ...] = ()) -> ToolResult:
    """Return the result of a call that did what was asked."""
    told = {"next_steps": next_steps, "success": True, **fields}
    return ToolResult(text=msgspec.json.encode(told).decode(), emits=emits)


def refusal(next_steps: str, error: str, **fields: str) -> ToolResult:
    """Return the result of a call that did nothing."""
    told = {"next_steps": next_steps, "success": False, "error": error, **fields}
    return ToolResult(text=msgspec.json.encode(told).decode(), failed=True)


def about(agent: AgentState, agents: Agents) -> dict[str, Any]:
    """Return who an agent is and how it does."""
    spawned = agent.spawned
    liveness = agents.liveness(spawned.agent_id)
    told: dict[str, Any] = {
        "agentId": spawned.agent_id,
        "name": spawned.name,
        "persona": spawned.persona,
        "status": agent.status,
        "outputFile": str(agents.log_of(spawned.agent_id)),
        "stale": agents.silent_ms(agent) >= agents.limits.agent_silence_s * 1000,
    }
    if agent.ended is not None and agent.ended.error:
        told["error"] = agent.ended.error
    if limits := told_budget(spawned.budget):
        told["budget"] = limits
    if agents.is_asking(spawned.agent_id):
        told["waitsForApproval"] = True
    if liveness is not None:
        told["liveness"] = liveness
    return told


def in_full(agent: AgentState, agents: Agents) -> dict[str, Any]:
    """Return all about an agent, its whole result last."""
    told = about(agent, agents)
    ended = agent.ended
    told["messages"] = agent.prompts + 1
    if ended is not None:
        told |= {"turns": ended.rounds, "usage": ended.usage}
        told |= {"cost_usd": ended.cost_usd} if ended.cost_usd is not None else {}
    key = "partial_output" if ended is not None and ended.state == "budget_exceeded" else "result"
    return {**told, key: agent.result} if not agent.is_running else told


def on_one_line(agent: AgentState, agents: Agents) -> dict[str, Any]:
    """Return what a list says of an agent."""
    told = about(agent, agents) | {"task": agent.spawned.mission[:TASK_CHARS]}
    return told if agent.is_running else {**told, "resultTail": agent.result[-TAIL_CHARS:]}
