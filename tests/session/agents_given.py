"""What stories about sub-agents begin with: orders to spawn and wait, and what became of them."""

import json
from typing import Any

from tests.session.session_given import Talk, calls, system_of
from yeaft.events.agent import AgentEnded, AgentSpawned
from yeaft.events.session import MessagePosted
from yeaft.llm.scripted.script import Calls
from yeaft.llm.scripted.server import Received
from yeaft.session.agents.agent_state import AgentState


def spawns(name: str, wire_id: str = "s1", **args: Any) -> Calls:
    return calls("SpawnAgent", wire_id, name=name, **{"task": "Do it.", **args})


def waits(name: str, wire_id: str = "w1", timeout_ms: int = 20_000) -> Calls:
    return calls("WaitAgent", wire_id, agent_id=name, timeout_ms=timeout_ms)


def agent(talk: Talk, name: str = "ann") -> AgentState:
    """The newest agent of this name."""
    return [one for one in talk.state.agents.values() if one.spawned.name == name][-1]


def envelope(talk: Talk, wire_id: str) -> dict[str, Any]:
    """What a call told the model, which begins with what to do next."""
    told: dict[str, Any] = json.loads(talk.result(wire_id).text)
    assert next(iter(told)) == "next_steps"
    return told


def notices(talk: Talk) -> list[str]:
    return [message.text for message in talk.all_of(MessagePosted) if message.kind == "notice"]


def requests_of(talk: Talk, label: str) -> list[Received]:
    return [received for received in talk.server.requests if f"(@{label})" in system_of(received)]


async def ended(talk: Talk, name: str = "ann") -> AgentEnded:
    return await talk.until(lambda: agent(talk, name).ended if talk.all_of(AgentSpawned) else None)
