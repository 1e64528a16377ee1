"""How alive a sub-agent is: counted from its events, by the process that runs it as by one that only reads along."""

from msgspec import Struct, field

from yeaft.events.call import CallStarted
from yeaft.events.codec import Recorded, Transient, type_of
from yeaft.events.turn import ReplyCompleted
from yeaft.kernel.usage import Usage

RECENT_TOOLS = 5


class Liveness(Struct, frozen=True, kw_only=True):
    """Counts so far; times are UTC milliseconds."""

    tool_uses: int = field(default=0, name="toolUseCount")
    tokens: int = field(default=0, name="tokenCount")
    events: int = field(default=0, name="eventCount")
    last_event_ms: int = field(default=0, name="lastEventAt")
    last_event: str = field(default="", name="lastEventType")
    recent_tools: tuple[str, ...] = field(default=(), name="recentTools")


class Pulse:
    """Takes in an agent's events; what it used is summed up over all its turns."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.cost_usd: float | None = None
        self.rounds = 0
        self._events = 0
        self._tool_uses = 0
        self._recent_tools: tuple[str, ...] = ()
        self._last_ms = 0
        self._last = ""

    @property
    def last_ms(self) -> int:
        """When anything was last heard of the agent."""
        return self._last_ms

    @property
    def tokens(self) -> int:
        """All tokens sent and received."""
        return self.usage.sent + self.usage.output

    @property
    def liveness(self) -> Liveness:
        """The counts as they are now."""
        return Liveness(
            tool_uses=self._tool_uses,
            tokens=self.tokens,
            events=self._events,
            last_event_ms=self._last_ms,
            last_event=self._last,
            recent_tools=self._recent_tools,
        )

    def touch(self, now_ms: int) -> None:
        """Count a sign of life that is no event."""
        self._last_ms = now_ms

    def feel(self, heard: Recorded | Transient, now_ms: int) -> None:
        """Take in one event, heard at `now_ms`."""
        event = heard.event if isinstance(heard, Recorded) else heard
        self._events += 1
        self._last_ms, self._last = now_ms, type_of(event)
        match event:
            case CallStarted(tool=tool):
                self._tool_uses += 1
                self._recent_tools = (*self._recent_tools, tool)[-RECENT_TOOLS:]
            case ReplyCompleted(usage=usage, cost_usd=cost_usd):
                self.rounds += 1
                self.usage += usage
                if cost_usd is not None:
                    self.cost_usd = (self.cost_usd or 0.0) + cost_usd
            case _:
                pass
