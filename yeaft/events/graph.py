"""Facts about runs of graphs: each run is a stream `graph/<run>` of its own, from its start to its one end."""

from typing import ClassVar, Literal

from msgspec import Raw, Struct

from yeaft.events.fact import BlobRef, Fact
from yeaft.kernel.usage import Usage

StepStatus = Literal["ok", "failed", "timed_out", "cancelled", "declined"]
GraphOutcome = Literal["completed", "failed", "cancelled", "limit", "needs_human"]


class Frame(Struct, frozen=True, kw_only=True):
    """One element of a list that an edge spread: the one at `index` of `count`.

    `visit` is how many lists had gone over that edge before. `edge` is its id; all three count from 0.
    """

    edge: int
    visit: int
    index: int
    count: int


class GraphStarted(Fact, frozen=True, kw_only=True, tag="graph.started"):
    """A run began. `graph` is the checked graph as JSON, `source` the file it was read from, `input` what it is given.

    A run that goes on from a step of another names that run. A run within a run has its step as `parent_act`, one that
    a VP has begun the call in which it did.
    """

    identity: ClassVar[tuple[str, ...]] = ("run_id",)
    run_id: str
    name: str
    graph: BlobRef
    input: Raw
    source: str = ""
    parent_run: str = ""
    parent_act: str = ""
    forked_from: str = ""
    deadline_ms: int = 0
    call_id: str = ""


class StepReady(Fact, frozen=True, kw_only=True, tag="step.ready"):
    """A value has reached a step: this is what will be done once, however often it is tried."""

    identity: ClassVar[tuple[str, ...]] = ("act_id",)
    act_id: str
    node: str
    visit: int
    scope: tuple[Frame, ...] = ()


class StepStarted(Fact, frozen=True, kw_only=True, tag="step.started"):
    """A step is about to be tried, for the `attempt`-th time from 0; what happens in it is in `child_stream`.

    `usage` and `cost_usd` are those of the attempts before; `error` is how the last of them failed.
    """

    identity: ClassVar[tuple[str, ...]] = ("act_id", "attempt")
    act_id: str
    attempt: int
    child_stream: str = ""
    error: str = ""
    usage: Usage = Usage()
    cost_usd: float | None = None


class StepFinished(Fact, frozen=True, kw_only=True, tag="step.finished"):
    """A step has its one result; `value` is JSON. `usage` and `cost_usd` are those of all attempts.

    `left_out_bytes` is how much of what a command printed the value has not; the file `log` has it all.
    """

    identity: ClassVar[tuple[str, ...]] = ("act_id",)
    act_id: str
    status: StepStatus
    value: Raw = Raw(b"null")
    error: str = ""
    artifacts: tuple[str, ...] = ()
    usage: Usage = Usage()
    cost_usd: float | None = None
    duration_ms: int = 0
    left_out_bytes: int = 0
    log: str = ""


class EdgeClosed(Fact, frozen=True, kw_only=True, tag="edge.closed"):
    """The stop condition of an edge held: nothing goes over it any more."""

    identity: ClassVar[tuple[str, ...]] = ("run_id", "edge")
    run_id: str
    edge: int
    source: str
    target: str


class TimerSet(Fact, frozen=True, kw_only=True, tag="timer.set"):
    """Something goes on at `due_ms`, however often the process ends before."""

    identity: ClassVar[tuple[str, ...]] = ("timer_id",)
    timer_id: str
    due_ms: int


class TimerFired(Fact, frozen=True, kw_only=True, tag="timer.fired"):
    """The time of a timer has come."""

    identity: ClassVar[tuple[str, ...]] = ("timer_id", "due_ms")
    timer_id: str
    due_ms: int


class GraphCancelled(Fact, frozen=True, kw_only=True, tag="graph.cancelled"):
    """Somebody wants the run to stop: nothing new begins, what runs is ended."""

    run_id: str
    by: str
    reason: str = ""


class GraphClaimed(Fact, frozen=True, kw_only=True, tag="graph.claimed"):
    """Another owner of the Session goes on with a run. `progress` counts what had been achieved in it by then."""

    run_id: str
    progress: int = 0


class GraphSuspended(Fact, frozen=True, kw_only=True, tag="graph.suspended"):
    """The owner has left a run in good order before its end; `asked` is what a human has to answer first, if that."""

    run_id: str
    asked: str = ""


class GraphEnded(Fact, frozen=True, kw_only=True, tag="graph.ended"):
    """The one end of a run; `value` is its result as JSON or, if nothing reached the end, what a step gave last."""

    identity: ClassVar[tuple[str, ...]] = ("run_id",)
    run_id: str
    outcome: GraphOutcome
    value: Raw = Raw(b"null")
    error: str = ""
    limit: str = ""
    usage: Usage = Usage()
    cost_usd: float | None = None
    steps: int = 0
