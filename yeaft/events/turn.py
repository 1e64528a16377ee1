"""Facts about turns: requests to a model, replies, failures, retries and the one end."""

from typing import ClassVar, Literal

from msgspec import Struct

from yeaft.events.fact import Fact, Passing
from yeaft.kernel.messages import Call, ReplyItem
from yeaft.kernel.outcome import Limit, TurnOutcome
from yeaft.kernel.usage import Usage

RetryHow = Literal["restart", "continue", "shrink"]


class Limits(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a turn may use; None means no limit. `deadline_ms` is a time since the epoch."""

    rounds: int | None = None
    cost_usd: float | None = None
    tokens: int | None = None
    deadline_ms: int | None = None


class TurnStarted(Fact, frozen=True, kw_only=True, tag="turn.started"):
    """A VP took up a message."""

    identity: ClassVar[tuple[str, ...]] = ("turn_id",)
    turn_id: str
    message_id: str
    vp_id: str
    mode: str
    limits: Limits = Limits()


class TurnContinued(Fact, frozen=True, kw_only=True, tag="turn.continued"):
    """A turn that an earlier process left open goes on in this one."""

    turn_id: str


class WindowCut(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the request left out to fit, and the estimate of what was sent, not yet multiplied by `factor`.

    Units are messages and turns. `bare` counts earlier requests of which only the words were sent, `left_out` those
    that were not sent at all though their turn was, `stubbed` results and `shortened` texts.
    """

    units: int = 0
    dropped: int = 0
    stubbed: int = 0
    bare: int = 0
    left_out: int = 0
    shortened: int = 0
    tokens_est: int = 0
    factor: float = 1.0


class RequestSent(Fact, frozen=True, kw_only=True, tag="request.sent"):
    """A request whose exact body has this SHA-256 is about to leave; round and attempt count from 0."""

    identity: ClassVar[tuple[str, ...]] = ("request_id",)
    request_id: str
    turn_id: str
    round: int
    attempt: int
    model: str
    protocol: str
    digest: str
    settings: str
    vp: str
    how: RetryHow = "restart"
    window: WindowCut = WindowCut()


class ReplyCheckpointed(Fact, frozen=True, kw_only=True, tag="reply.checkpointed"):
    """What had been said some seconds into a reply; void once the reply is complete."""

    request_id: str
    turn_id: str
    text: str


class ReplyCompleted(Fact, frozen=True, kw_only=True, tag="reply.completed"):
    """A whole reply. `stop` is end, calls, max_tokens, refusal, pause, context, filtered, cut or `other:<raw>`."""

    identity: ClassVar[tuple[str, ...]] = ("request_id",)
    request_id: str
    turn_id: str
    model: str
    items: tuple[ReplyItem, ...] = ()
    calls: tuple[Call, ...] = ()
    stop: str
    usage: Usage = Usage()
    cost_usd: float | None = None


class Failure(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a request failed; `kind` is a `ModelErrorKind` or `bug`."""

    kind: str
    message: str
    status: int | None = None
    wire_type: str = ""
    retry_after_s: float | None = None
    calls_seen: bool = False


class RequestFailed(Fact, frozen=True, kw_only=True, tag="request.failed"):
    """A request ended without a whole reply; `text_so_far` had been shown."""

    identity: ClassVar[tuple[str, ...]] = ("request_id",)
    request_id: str
    turn_id: str
    error: Failure
    text_so_far: str = ""


class RetryScheduled(Fact, frozen=True, kw_only=True, tag="retry.scheduled"):
    """The request will be tried again, not before `due_ms`."""

    identity: ClassVar[tuple[str, ...]] = ("turn_id", "round", "attempt")
    turn_id: str
    round: int
    attempt: int
    due_ms: int
    reason: str
    how: RetryHow


class ModelSwitched(Fact, frozen=True, kw_only=True, tag="model.switched"):
    """The rest of the turn uses another model (`provider/model`)."""

    turn_id: str
    from_model: str
    to_model: str
    reason: str


class TurnEnded(Fact, frozen=True, kw_only=True, tag="turn.ended"):
    """The one end of a turn."""

    identity: ClassVar[tuple[str, ...]] = ("turn_id",)
    turn_id: str
    vp_id: str
    outcome: TurnOutcome
    error: Failure | None = None
    limit: Limit | None = None
    usage: Usage = Usage()
    cost_usd: float | None = None
    rounds: int = 0


class TextStreamed(Passing, frozen=True, kw_only=True, tag="text.streamed"):
    """Pieces of what a VP is saying, in order; one event per network chunk."""

    request_id: str
    vp_id: str
    pieces: tuple[str, ...]


class ThinkingStreamed(Passing, frozen=True, kw_only=True, tag="thinking.streamed"):
    """Pieces of what a VP is thinking."""

    request_id: str
    vp_id: str
    pieces: tuple[str, ...]


class CallStreamed(Passing, frozen=True, kw_only=True, tag="call.streamed"):
    """Pieces of the arguments of the `index`-th call of a reply."""

    request_id: str
    vp_id: str
    index: int
    tool: str
    pieces: tuple[str, ...]


class RetryWaiting(Passing, frozen=True, kw_only=True, tag="retry.waiting"):
    """A turn waits before it tries again."""

    turn_id: str
    vp_id: str
    left_s: float
    reason: str = ""
    attempt: int = 0


class ProgressShown(Passing, frozen=True, kw_only=True, tag="progress.shown"):
    """Something is under way that leaves no trace in the journal."""

    code: str
    params: dict[str, str] = {}
