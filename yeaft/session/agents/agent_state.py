"""What the journal says of sub-agents: who runs, who is idle, how each ended, and whether its VP has been told."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from yeaft.events.agent import AgentEnded, AgentEnding, AgentPrompted, AgentReported, AgentSpawned
from yeaft.events.codec import Event
from yeaft.kernel import ids

AGENT_STREAMS = "agent/"
"""What the names of the streams of sub-agents begin with; the rest is the agent's id."""

AgentStatus = Literal["running", "idle"] | AgentEnding


class AgentState(Struct, frozen=True, kw_only=True):
    """One sub-agent. `reports` counts what its VP was or is to be told; times are UTC milliseconds, 0 for not yet."""

    spawned: AgentSpawned
    spawned_ms: int
    prompts: int = 0
    reports: int = 0
    reported: AgentReported | None = None
    ended: AgentEnded | None = None
    ended_ms: int = 0

    @property
    def status(self) -> AgentStatus:
        """What it does, or how it ended."""
        if self.ended is not None:
            return self.ended.state
        return "running" if self.reported is None else "idle"

    @property
    def is_running(self) -> bool:
        """Whether it works on something."""
        return self.ended is None and self.reported is None

    @property
    def is_live(self) -> bool:
        """Whether it works or could be told more."""
        return self.ended is None

    @property
    def result(self) -> str:
        """What it reported last."""
        if self.ended is not None and (self.ended.result or self.reported is None):
            return self.ended.result
        return self.reported.result if self.reported else ""

    @property
    def report_id(self) -> str:
        """The id of the message that tells its VP of the newest report; empty while there is nothing to tell."""
        return ids.derive("m_", self.spawned.agent_id, "report", self.reports) if not self.is_running else ""


Agents = Mapping[str, AgentState]


def fold_agents(agents: dict[str, AgentState], event: Event, ts: int) -> None:
    """Take one more event into `agents`, which are by id."""
    match event:
        case AgentSpawned(agent_id=agent_id):
            agents[agent_id] = AgentState(spawned=event, spawned_ms=ts)
        case AgentPrompted(agent_id=agent_id) if agent_id in agents:
            agent = agents[agent_id]
            agents[agent_id] = replace(agent, prompts=agent.prompts + 1, reported=None)
        case AgentReported(agent_id=agent_id) if agent_id in agents:
            agents[agent_id] = replace(agents[agent_id], reports=event.number, reported=event)
        case AgentEnded(agent_id=agent_id) if agent_id in agents:
            agent = agents[agent_id]
            reports = agent.reports + 1 if agent.is_running else agent.reports
            agents[agent_id] = replace(agent, reports=reports, ended=event, ended_ms=ts)
        case _:
            pass


def live_of(agents: Agents, vp_id: str = "") -> list[AgentState]:
    """The agents of a VP, or of all, that have not ended, oldest first."""
    return [agent for agent in agents.values() if agent.is_live and vp_id in ("", agent.spawned.vp_id)]


def untold(agents: Agents, delivered: AbstractSet[str], vp_id: str = "") -> list[AgentState]:
    """The agents of a VP, or of all, whose newest report has not been delivered."""
    return [
        agent
        for agent in agents.values()
        if vp_id in ("", agent.spawned.vp_id) and agent.report_id and agent.report_id not in delivered
    ]
