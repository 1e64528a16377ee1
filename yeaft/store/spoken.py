"""What was said in a Session, one thing after the other, as a search looks through it."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from yeaft.events.agent import AgentPrompted, AgentSpawned
from yeaft.events.codec import Recorded
from yeaft.events.history import Rewound
from yeaft.events.session import MessagePosted
from yeaft.events.turn import ReplyCompleted, RequestFailed, TurnStarted
from yeaft.events.voids import Voids
from yeaft.kernel.messages import text_of
from yeaft.store.meta import SAID_KINDS


class Spoken(Struct, frozen=True, kw_only=True):
    """One thing that was said. `source` is `user`, `vp:<id>`, `agent:<name>` or `task:<id>`; `ts` UTC milliseconds.

    `message_id` names it in its Session and in every copy of that. `within` is the id of the sub-agent or task that it
    was said by or to, empty in the conversation itself; `seq` is its place in the stream or log. `root_id` is the user
    message that it goes back to.
    """

    message_id: str
    seq: int
    ts: int
    source: str
    text: str
    within: str = ""
    turn_id: str = ""
    mode: str = ""
    root_id: str = ""
    is_void: bool = False


class Conversation:
    """What the events of the stream `session` tell: who spoke, which turn answers what, and what is void by now."""

    def __init__(self, records: Sequence[Recorded]) -> None:
        self._records = records
        self._turns: dict[str, TurnStarted] = {}
        self._roots: dict[str, str] = {}
        self._posted_at: dict[str, int] = {}
        self._voids = Voids()
        self.agents: dict[str, AgentSpawned] = {}
        for recorded in records:
            self._take(recorded)

    def said(self) -> Iterator[Spoken]:
        """What users and VPs said, oldest first, without the results of tools."""
        for recorded in self._records:
            match recorded.event:
                case MessagePosted() as message if message.kind in SAID_KINDS:
                    yield self._message(recorded, message)
                case ReplyCompleted() | RequestFailed() as reply:
                    if text := _text(reply):
                        yield self._reply(recorded, reply, text)
                case AgentSpawned() | AgentPrompted() as told if told.agent_id in self.agents:
                    yield self._told(recorded, told)
                case _:
                    pass

    def said_by_agent(self, spawned: AgentSpawned, records: Iterable[Recorded]) -> Iterator[Spoken]:
        """What a sub-agent said by the events of its own stream."""
        for recorded in records:
            reply = recorded.event
            if isinstance(reply, ReplyCompleted | RequestFailed) and (text := _text(reply)):
                yield Spoken(
                    message_id=reply.request_id,
                    seq=recorded.seq,
                    ts=recorded.ts,
                    source=f"agent:{spawned.name or spawned.agent_id}",
                    text=text,
                    within=spawned.agent_id,
                    turn_id=reply.turn_id,
                    root_id=spawned.root_id,
                    is_void=self._is_void(spawned.root_id),
                )

    def root_of_call(self, call_id: str) -> str:
        """The user message that a tool call goes back to; empty if nobody knows it."""
        for recorded in reversed(self._records):
            event = recorded.event
            if isinstance(event, ReplyCompleted) and any(call.call_id == call_id for call in event.calls):
                return recorded.corr
        return ""

    def _take(self, recorded: Recorded) -> None:
        match recorded.event:
            case TurnStarted() as started:
                self._turns[started.turn_id] = started
            case MessagePosted() as message:
                self._roots[message.message_id] = message.root_id
                self._posted_at[message.message_id] = recorded.seq
            case AgentSpawned() as spawned:
                self.agents[spawned.agent_id] = spawned
            case Rewound() as rewound:
                self._voids = self._voids.after(rewound, recorded.seq)
            case _:
                pass

    def _is_void(self, root_id: str) -> bool:
        return self._voids.hide(self._posted_at.get(root_id, 0))

    def _message(self, recorded: Recorded, message: MessagePosted) -> Spoken:
        return Spoken(
            message_id=message.message_id,
            seq=recorded.seq,
            ts=recorded.ts,
            source=message.sender,
            text=message.text,
            turn_id=message.turn_id,
            root_id=message.root_id,
            is_void=self._is_void(message.root_id),
        )

    def _reply(self, recorded: Recorded, reply: ReplyCompleted | RequestFailed, text: str) -> Spoken:
        turn = self._turns.get(reply.turn_id)
        root_id = self._roots.get(turn.message_id, recorded.corr) if turn else recorded.corr
        return Spoken(
            message_id=reply.request_id,
            seq=recorded.seq,
            ts=recorded.ts,
            source=f"vp:{turn.vp_id}" if turn else recorded.src,
            text=text,
            turn_id=turn.turn_id if turn else "",
            mode=turn.mode if turn else "",
            root_id=root_id,
            is_void=self._is_void(root_id),
        )

    def _told(self, recorded: Recorded, told: AgentSpawned | AgentPrompted) -> Spoken:
        spawned = self.agents[told.agent_id]
        return Spoken(
            message_id=recorded.id,
            seq=recorded.seq,
            ts=recorded.ts,
            source=f"vp:{spawned.vp_id}",
            text=told.mission if isinstance(told, AgentSpawned) else told.text,
            within=spawned.agent_id,
            root_id=spawned.root_id,
            is_void=self._is_void(spawned.root_id),
        )


def _text(reply: ReplyCompleted | RequestFailed) -> str:
    return text_of(reply.items) if isinstance(reply, ReplyCompleted) else reply.text_so_far
