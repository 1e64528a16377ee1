"""The state of a Session: one fold over its journal, the same live and reopened."""

from collections.abc import Iterator

from yeaft.engine.state import TurnState, advance
from yeaft.events.agent import DeliveryTaken
from yeaft.events.artifact import ArtifactStored
from yeaft.events.call import AskAnswered, AskOpened, AskWithdrawn, CallFinished, CallStarted, TodoChanged, TodoItem
from yeaft.events.codec import Event, Recorded, UnknownEvent, is_core, is_newer
from yeaft.events.history import AttachmentAdded, Rewound
from yeaft.events.policy import RuleSaved
from yeaft.events.session import (
    FolderAdded,
    MessagePosted,
    MessageSettled,
    NoticePosted,
    RosterChanged,
    SessionCreated,
    SessionRenamed,
    SessionTagged,
    SettingsFrozen,
    VpFrozen,
)
from yeaft.events.turn import ReplyCheckpointed, ReplyCompleted, RequestFailed, RequestSent, TurnEnded, TurnStarted
from yeaft.events.voids import LATEST
from yeaft.events.work import WorkDrafted
from yeaft.kernel import ids
from yeaft.llm.tokens import Factors, factor_of, with_report
from yeaft.session.agents.agent_state import AgentState, fold_agents
from yeaft.session.past import Past
from yeaft.session.tasks.task_state import TaskState, fold_tasks
from yeaft.store.row import LOST_TYPE

DELIVERED_KINDS = ("user", "forward", "return", "continue")
"""Kinds of messages that start a turn of each VP they are addressed to."""
WITHIN_TURNS = frozenset(
    (TurnStarted, RequestSent, RequestFailed, ReplyCheckpointed, ReplyCompleted, CallStarted, CallFinished, TurnEnded)
)
"""What most events of a long Session are; only their turn changes by them."""


class SessionState:
    """What a Session's events add up to. Only `apply` changes it; it does no I/O and asks no clock."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.head = 0
        self.created: SessionCreated | None = None
        self.created_ms = 0
        self.last_active_ms = 0
        self.name = ""
        self.folders: list[str] = []
        self.roster: tuple[str, ...] = ()
        self.default_vp = ""
        self.archived = False
        self.labels: tuple[str, ...] = ()
        self.attachments: dict[str, AttachmentAdded] = {}
        self.artifacts: dict[str, ArtifactStored] = {}
        self.messages: dict[str, MessagePosted] = {}
        self.posted_at: dict[str, int] = {}
        self.root_at: dict[str, int] = {}
        self.turns: dict[str, TurnState] = {}
        self.turns_of: dict[str, list[str]] = {}
        self.started_at: dict[str, int] = {}
        self.ended_at: dict[str, int] = {}
        self.began_ms: dict[str, int] = {}
        self.ended_ms: dict[str, int] = {}
        self.waiting: dict[str, list[str]] = {}
        self.returns: dict[str, str] = {}
        self.settled: set[str] = set()
        self.frozen: set[str] = set()
        self.frozen_vps: dict[str, str] = {}
        self.told: set[tuple[str, ...]] = set()
        self.open_asks: dict[str, AskOpened] = {}
        self.answers: dict[str, AskAnswered] = {}
        self.rules: list[RuleSaved] = []
        self.todos: dict[str, tuple[TodoItem, ...]] = {}
        self.drafts: dict[str, WorkDrafted] = {}
        self.files_read: dict[str, dict[str, str]] = {}
        self.tasks: dict[str, TaskState] = {}
        self.agents: dict[str, AgentState] = {}
        self.delivered: set[str] = set()
        self.past = Past()
        self.ratios: dict[str, tuple[float, ...]] = {}
        self.ratios_at: dict[str, dict[str, tuple[float, ...]]] = {}
        self.unknown_events = 0
        self.needs_upgrade = False
        self._turn_of_call: dict[str, str] = {}
        self.asked: dict[str, AskOpened] = {}

    def apply(self, recorded: Recorded) -> None:
        """Take in one more event, in order. Unknown ones are counted and change nothing else."""
        self.head = recorded.seq
        self.last_active_ms = max(self.last_active_ms, recorded.ts)
        event = recorded.event
        if isinstance(event, UnknownEvent):
            if is_newer(event) or not (is_core(event.type) or event.type == LOST_TYPE):  # else it is damaged
                self.unknown_events += 1
            self.needs_upgrade |= is_newer(event) and bool(event.raw)
            return
        if type(event) not in WITHIN_TURNS:
            self._apply_to_session(event, recorded)
            fold_tasks(self.tasks, event, recorded.seq)
            fold_agents(self.agents, event, recorded.ts)
            self.past = self.past.after(event, recorded)
            if isinstance(event, Rewound) and self.past.rosters:
                self.roster, self.default_vp = self.past.roster(self.is_void)
                self.todos = self.past.todo_lists(self.is_void)
        self._apply_to_turn(event, recorded)

    def root_seq(self, message_id: str) -> int:
        """Where the user message stands that `message_id` goes back to; orders causes."""
        return self.root_at[message_id]

    def is_void(self, message_id: str, at: int = LATEST) -> bool:
        """Whether the user went back to before a message, for whoever reads the journal up to `at`."""
        voids = self.past.voids
        return bool(voids.changes) and message_id in self.messages and voids.hide(self.root_seq(message_id), at)

    def turns_of_root(self, root_id: str) -> Iterator[TurnState]:
        """All turns that a user message has caused so far."""
        for turn in self.turns.values():
            if self.messages[turn.started.message_id].root_id == root_id:
                yield turn

    def turn_for(self, message_id: str, vp_id: str) -> TurnState | None:
        """The turn in which a VP took up a message, if it has."""
        return self.turns.get(ids.turn_id(message_id, vp_id))

    def open_turns(self) -> list[TurnState]:
        """Turns that have not ended, oldest first."""
        return [self.turns[turn_id] for turn_id in self.turns if turn_id not in self.ended_at]

    def turn_of_call(self, call_id: str) -> str:
        """The id of the turn that a call belongs to; empty if there is no such call."""
        return self._turn_of_call.get(call_id, "")

    def factors(self, turn_id: str, model: str) -> Factors:
        """What estimates for `model` (`provider/model`) have to be multiplied by in the requests of a turn."""
        at_start = self.ratios_at.get(turn_id, self.ratios)
        return Factors(at_start=factor_of(at_start.get(model, ())), now=factor_of(self.ratios.get(model, ())))

    def return_to(self, turn_id: str) -> MessagePosted | None:
        """The message that brought the answers back to a turn that handed on, if they are there."""
        message_id = self.returns.get(turn_id)
        return self.messages[message_id] if message_id else None

    def unsettled_roots(self) -> list[str]:
        """User messages whose turns are not known to be over."""
        return [m.message_id for m in self.messages.values() if m.kind == "user" and m.message_id not in self.settled]

    def _apply_to_session(self, event: Event, recorded: Recorded) -> None:
        match event:
            case SessionCreated():
                self.created, self.created_ms, self.name = event, recorded.ts, event.name
                self.roster, self.default_vp = event.roster, event.default_vp
            case SessionRenamed(name=name):
                self.name = name
            case SessionTagged(archived=archived, labels=labels):
                self.archived, self.labels = archived, labels
            case RosterChanged(roster=roster, default_vp=default_vp):
                self.roster, self.default_vp = roster, default_vp
            case FolderAdded(path=path):
                self.folders.append(path)
            case AttachmentAdded() | MessagePosted():
                self._post(event, recorded)
            case MessageSettled(message_id=message_id):
                self.settled.add(message_id)
            case SettingsFrozen(digest=digest):
                self.frozen.add(digest)
            case VpFrozen(vp_id=vp_id, digest=digest):
                self.frozen_vps[vp_id] = digest
            case NoticePosted(code=code, params=params):
                self.told.add((code, *params.values()))
            case TodoChanged(vp_id=vp_id, items=items):
                self.todos[vp_id] = items
            case WorkDrafted() | ArtifactStored():
                self._apply_to_outputs(event)
            case DeliveryTaken(message_id=message_id):
                self.delivered.add(message_id)
            case AskOpened() | AskAnswered() | AskWithdrawn() | RuleSaved():
                self._apply_to_asks(event)
            case _:
                pass

    def _apply_to_asks(self, event: AskOpened | AskAnswered | AskWithdrawn | RuleSaved) -> None:
        if isinstance(event, RuleSaved):
            self.rules.append(event)
            return
        if isinstance(event, AskOpened):
            self.open_asks[event.ask_id] = event
            self.asked[event.ask_id] = event
            return
        self.open_asks.pop(event.ask_id, None)
        if isinstance(event, AskAnswered):
            self.answers[event.ask_id] = event

    def _apply_to_outputs(self, event: WorkDrafted | ArtifactStored) -> None:
        if isinstance(event, WorkDrafted):
            self.drafts[event.work_item_id] = event
        else:
            self.artifacts[event.path] = event

    def _post(self, message: AttachmentAdded | MessagePosted, recorded: Recorded) -> None:
        if isinstance(message, AttachmentAdded):
            self.attachments[message.attachment_id] = message
            return
        self.messages[message.message_id] = message
        self.posted_at[message.message_id] = recorded.seq
        self.began_ms[message.message_id] = recorded.ts
        self.root_at[message.message_id] = self.posted_at.get(message.root_id, recorded.seq)
        if message.kind == "notice":
            self.delivered.add(message.message_id)
        if message.kind == "return":
            self.returns[self.turn_of_call(message.call_id)] = message.message_id
        if message.kind in DELIVERED_KINDS:
            for vp_id in message.to:
                self.waiting.setdefault(vp_id, []).append(message.message_id)

    def _apply_to_turn(self, event: Event, recorded: Recorded) -> None:
        if isinstance(event, TurnStarted):
            if event.message_id not in self.messages:
                return  # only where a damaged journal has lost the message: nobody can say what the turn answers
            if event.turn_id not in self.turns:
                self.turns_of.setdefault(event.vp_id, []).append(event.turn_id)
            self.turns[event.turn_id] = TurnState(started=event)
            self.started_at[event.turn_id] = recorded.seq
            self.began_ms[event.turn_id] = recorded.ts
            self.ratios_at[event.turn_id] = self.ratios
            queue = self.waiting.get(event.vp_id, [])
            if event.message_id in queue:
                queue.remove(event.message_id)
            return
        turn_id = getattr(event, "turn_id", "") if type(event) in WITHIN_TURNS else self._turn_id(event)
        turn = self.turns.get(turn_id)
        if turn is None:
            return
        self.turns[turn_id] = advance(turn, event)
        match event:
            case ReplyCompleted(calls=calls):
                self._learn(turn, event)
                self._turn_of_call.update((call.call_id, turn_id) for call in calls)
            case CallFinished(facts=facts):
                seen = self.files_read.setdefault(turn.started.vp_id, {})
                seen.update((fact.path, fact.sha256) for fact in facts.files)
            case TurnEnded():
                self.ended_at[turn_id] = recorded.seq
                self.ended_ms[turn_id] = recorded.ts
                self.ratios_at.pop(turn_id, None)
            case _:
                pass

    def _learn(self, turn: TurnState, reply: ReplyCompleted) -> None:
        """Compare what a provider has counted with the estimate; what others hold of the ratios is never changed."""
        if turn.last is not None and turn.last.sent.request_id == reply.request_id:
            known = self.ratios.get(reply.model, ())
            learnt = with_report(known, turn.last.sent.window.tokens_est, reply.usage.sent)
            if learnt != known:
                self.ratios = {**self.ratios, reply.model: learnt}

    def _turn_id(self, event: Event) -> str:
        match event:
            case MessagePosted(kind="steer" | "notice", turn_id=turn_id):
                return turn_id
            case MessagePosted(kind="forward", call_id=call_id) | AskOpened(call_id=call_id):
                return self._turn_of_call.get(call_id, "")
            case AskAnswered(ask_id=ask_id) | AskWithdrawn(ask_id=ask_id):
                ask = self.asked.get(ask_id)
                return self._turn_of_call.get(ask.call_id, "") if ask else ""
            case _:
                return getattr(event, "turn_id", "")
