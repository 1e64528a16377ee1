"""Facts about sub-agents: helpers that a VP spawned, and how what they found reaches it exactly once."""

from typing import ClassVar, Literal

from msgspec import Struct

from yeaft.events.fact import Fact
from yeaft.kernel.usage import Usage

AgentEnding = Literal["completed", "failed", "closed", "abandoned", "budget_exceeded", "lost"]


class Budget(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a sub-agent may use in all its turns together; None means no limit. `max_turns` counts replies."""

    max_tokens: int | None = None
    max_turns: int | None = None
    wall_time_ms: int | None = None
    max_cost_usd: float | None = None


class AgentSpawned(Fact, frozen=True, kw_only=True, tag="agent.spawned"):
    """A VP wants a helper. What the helper does is in the journal's own `stream`.

    `persona` is empty for one that works as the VP itself. `folder` is where it works. One that may `stay` waits for
    more after its report; the others end with it.
    """

    identity: ClassVar[tuple[str, ...]] = ("agent_id",)
    agent_id: str
    call_id: str
    vp_id: str
    name: str
    persona: str
    mission: str
    stream: str
    folder: str
    root_id: str
    budget: Budget = Budget()
    stay: bool = False


class AgentPrompted(Fact, frozen=True, kw_only=True, tag="agent.prompted"):
    """The VP that spawned a sub-agent tells it more."""

    identity: ClassVar[tuple[str, ...]] = ("call_id",)
    agent_id: str
    call_id: str
    text: str


class AgentReported(Fact, frozen=True, kw_only=True, tag="agent.reported"):
    """A sub-agent that may stay has done all it was told so far; `number` counts its reports from 1."""

    identity: ClassVar[tuple[str, ...]] = ("agent_id", "number")
    agent_id: str
    number: int
    result: str


class AgentEnded(Fact, frozen=True, kw_only=True, tag="agent.ended"):
    """The one end of a sub-agent. `result` is the end of its report, or of what it had said; `error` why it ended."""

    identity: ClassVar[tuple[str, ...]] = ("agent_id",)
    agent_id: str
    state: AgentEnding
    result: str = ""
    error: str = ""
    usage: Usage = Usage()
    cost_usd: float | None = None
    rounds: int = 0


class DeliveryTaken(Fact, frozen=True, kw_only=True, tag="delivery.taken"):
    """A call's result told a VP what the message `message_id` would have; so that message is not posted any more."""

    identity: ClassVar[tuple[str, ...]] = ("message_id",)
    message_id: str
    vp_id: str
    call_id: str
