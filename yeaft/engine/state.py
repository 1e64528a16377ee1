"""The state of one turn: a fold over its events, the same for a running turn and for one read from the journal."""

from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from yeaft.events.call import AskAnswered, AskOpened, AskWithdrawn, CallFinished, CallStarted
from yeaft.events.codec import Event, UnknownEvent
from yeaft.events.session import MessagePosted
from yeaft.events.turn import (
    ModelSwitched,
    ReplyCheckpointed,
    ReplyCompleted,
    RequestFailed,
    RequestSent,
    RetryScheduled,
    TurnEnded,
    TurnStarted,
)
from yeaft.kernel.messages import Call, text_of
from yeaft.kernel.usage import Usage

T = TypeVar("T")


class CallState(Struct, frozen=True, kw_only=True):
    """A call from the moment a reply asked for it; `ask` is the question it waits with, while that is open."""

    call: Call
    started: CallStarted | None = None
    finished: CallFinished | None = None
    ask: AskOpened | None = None


class Attempt(Struct, frozen=True, kw_only=True):
    """One request and all that came of it. `steers` is what was added since the last: by the user, or as notices."""

    sent: RequestSent
    steers: tuple[MessagePosted, ...] = ()
    checkpoint: str = ""
    reply: ReplyCompleted | None = None
    failure: RequestFailed | None = None
    retry: RetryScheduled | None = None
    switched: bool = False
    calls: tuple[CallState, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether it is not known how the request ended."""
        return self.reply is None and self.failure is None


class TurnState(Struct, frozen=True, kw_only=True):
    """One turn. `unseen` are steers and notices that no request has carried yet, `unmet` the ask nobody could meet."""

    started: TurnStarted
    attempts: tuple[Attempt, ...] = ()
    model: str = ""
    unseen: tuple[MessagePosted, ...] = ()
    handed_off: bool = False
    unmet: str = ""
    usage: Usage = Usage()
    cost_usd: float | None = None
    ended: TurnEnded | None = None

    @property
    def last(self) -> Attempt | None:
        """The newest request, if any was sent."""
        return self.attempts[-1] if self.attempts else None

    @property
    def rounds(self) -> int:
        """How many rounds were begun; further attempts at the same round do not count."""
        return self.attempts[-1].sent.round + 1 if self.attempts else 0

    @property
    def open_calls(self) -> tuple[CallState, ...]:
        """Calls without a result, in the provider's order."""
        last = self.last
        return tuple(state for state in last.calls if state.finished is None) if last else ()

    @property
    def final_text(self) -> str:
        """What the VP said last: its answer, or as much of one as there is, with all the pieces it came in."""
        said = [text_of(attempt.reply.items) if attempt.reply else partial_text(attempt) for attempt in self.attempts]
        end = next((number for number in reversed(range(len(said))) if said[number].strip()), 0)
        start = end
        while start and _goes_on(self.attempts[start - 1], self.attempts[start]):
            start -= 1
        return "".join(said[start : end + 1])


def partial_text(attempt: Attempt) -> str:
    """What had been said when the request ended without a whole reply."""
    return attempt.failure.text_so_far if attempt.failure else attempt.checkpoint


def _goes_on(before: Attempt, after: Attempt) -> bool:
    """Whether `after` takes up the text of `before` where that broke off."""
    if before.reply is None:
        return after.sent.how == "continue"
    return before.reply.stop in ("max_tokens", "pause") and not before.calls


def advance(state: TurnState, event: Event | UnknownEvent) -> TurnState:
    """`state` after one more event of this turn; events that do not concern it change nothing."""
    match event:
        case RequestSent():
            attempt = Attempt(sent=event, steers=state.unseen)
            return replace(state, attempts=(*state.attempts, attempt), unseen=())
        case ReplyCompleted():
            calls = tuple(CallState(call=call) for call in event.calls)
            cost = _sum(state.cost_usd, event.cost_usd)
            return replace(_with_last(state, reply=event, calls=calls), usage=state.usage + event.usage, cost_usd=cost)
        case ReplyCheckpointed():
            return _with_last(state, checkpoint=event.text)
        case RequestFailed():
            return _with_last(state, failure=event)
        case RetryScheduled():
            return _with_last(state, retry=event)
        case ModelSwitched():
            return replace(_with_last(state, switched=True), model=event.to_model)
        case CallStarted() | CallFinished() | AskOpened():
            return _with_call(state, event)
        case AskAnswered():
            return _without_ask(state, event.ask_id)
        case AskWithdrawn():
            unmet = event.ask_id if event.reason == "headless" else state.unmet
            return replace(_without_ask(state, event.ask_id), unmet=unmet)
        case MessagePosted() if event.kind in ("steer", "notice"):
            return replace(state, unseen=(*state.unseen, event))
        case MessagePosted() if event.kind == "forward":
            return replace(state, handed_off=True)
        case TurnEnded():
            return replace(state, ended=event)
        case _:
            return state


def _with_last(state: TurnState, **changes: object) -> TurnState:
    if not state.attempts:
        return state
    return replace(state, attempts=(*state.attempts[:-1], replace(state.attempts[-1], **changes)))


def _with_call(state: TurnState, event: CallStarted | CallFinished | AskOpened) -> TurnState:
    last = state.last
    if last is None:
        return state
    name = {CallStarted: "started", CallFinished: "finished", AskOpened: "ask"}[type(event)]
    calls = tuple(
        replace(known, **{name: event}) if known.call.call_id == event.call_id else known for known in last.calls
    )
    return _with_last(state, calls=calls)


def _without_ask(state: TurnState, ask_id: str) -> TurnState:
    last = state.last
    if last is None:
        return state
    calls = tuple(
        replace(known, ask=None) if known.ask is not None and known.ask.ask_id == ask_id else known
        for known in last.calls
    )
    return _with_last(state, calls=calls)


def _sum(first: float | None, second: float | None) -> float | None:
    return second if first is None else first if second is None else first + second
