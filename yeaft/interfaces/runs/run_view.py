"""How far a run has come, as screens show it: a fold over its events and those of its steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from yeaft.events.call import CallFinished, CallStarted
from yeaft.events.codec import Recorded, Transient
from yeaft.events.graph import GraphEnded, GraphStarted, StepFinished, StepReady, StepStarted
from yeaft.events.turn import Failure, ReplyCompleted, TurnEnded, TurnStarted
from yeaft.kernel.usage import Usage
from yeaft.workflows.graphs.graph import HIDDEN, VpTask
from yeaft.workflows.graphs.runs.asking import tool_call_id

if TYPE_CHECKING:
    from yeaft.events.call import AskOpened
    from yeaft.workflows.graphs.graph import Graph

VisitState = Literal["running", "ok", "failed", "timed_out", "cancelled", "declined"]


class Visit(Struct, frozen=True, kw_only=True):
    """One visit of a step. `place` is its element of each list around it, from 1, with how many there are.

    `vp` is empty for what no VP does; `tool` is the one that runs just now. `streams` are where in the journal what
    happened is kept, one for each attempt. `artifacts` are ids. `left_out_bytes` of what a command printed are in the
    file `log` alone. Times are UTC milliseconds.
    """

    run_id: str
    act_id: str
    node: str
    number: int
    place: tuple[tuple[int, int], ...] = ()
    state: VisitState = "running"
    attempt: int = 0
    vp: str = ""
    tool: str = ""
    usage: Usage = Usage()
    cost_usd: float | None = None
    began_ms: int = 0
    ended_ms: int = 0
    error: str = ""
    failure: Failure | None = None
    streams: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    left_out_bytes: int = 0
    log: str = ""

    @property
    def name(self) -> str:
        """The step, with its element and how often it has been visited where that says something."""
        place = "".join(f"[{index}/{count}]" for index, count in self.place)
        return f"{self.node}{place}" + (f" #{self.number + 1}" if self.number else "")


class Totals(Struct, frozen=True, kw_only=True):
    """What the steps that a run has done add up to, which is what its limits are held against.

    `steps` are those that somebody has written. Runs may be long, so that this is never counted anew.
    """

    steps: int = 0
    tokens: int = 0
    cost_usd: float = 0.0

    def with_one(self, node: str, step: StepFinished) -> Totals:
        """Add a step; one that nobody has written counts with what it cost."""
        return Totals(
            steps=self.steps + (HIDDEN not in node),
            tokens=self.tokens + step.usage.sent + step.usage.output,
            cost_usd=self.cost_usd + (step.cost_usd or 0.0),
        )


class RunView:
    """The run with this id and those within it; `graph` is what it goes through."""

    def __init__(self, run_id: str, graph: Graph) -> None:
        self.run_id = run_id
        self.graph = graph
        self.visits: dict[str, Visit] = {}
        self.began_ms = 0
        self.now_ms = 0
        self.ended: GraphEnded | None = None
        self.changes = 0
        self.done = Totals()
        self._vps = {step.id: step.task.vp_id for step in graph.steps if isinstance(step.task, VpTask)}
        self._turns: dict[str, str] = {}
        self._calls: dict[str, str] = {}

    def hear_run(self, run_id: str, recorded: Recorded) -> Visit | None:
        """Take in an event of a run; return the visit that began or ended with it, if people are to hear of it."""
        self.changes += 1
        self.now_ms = recorded.ts
        match event := recorded.event:
            case GraphStarted() if run_id == self.run_id:
                self.began_ms = recorded.ts
            case GraphEnded() if run_id == self.run_id:
                self.ended = event
            case StepReady():
                self.visits[event.act_id] = Visit(
                    run_id=run_id,
                    act_id=event.act_id,
                    node=event.node,
                    number=event.visit,
                    place=tuple((frame.index + 1, frame.count) for frame in event.scope),
                    began_ms=recorded.ts,
                    vp=self._vps.get(event.node, "") if run_id == self.run_id else "",
                )
            case StepStarted(act_id=act_id, attempt=attempt) if act_id in self.visits:
                streams = self.visits[act_id].streams
                streams = streams if event.child_stream in (*streams, "") else (*streams, event.child_stream)
                self._calls[tool_call_id(act_id, attempt)] = act_id
                return self._shown(self._change(act_id, attempt=attempt, streams=streams))
            case StepFinished(act_id=act_id) if act_id in self.visits:
                if run_id == self.run_id:
                    self.done = self.done.with_one(self.visits[act_id].node, event)
                return self._shown(
                    self._change(
                        act_id,
                        state=event.status,
                        usage=event.usage,
                        cost_usd=event.cost_usd,
                        ended_ms=recorded.ts,
                        error=event.error,
                        artifacts=event.artifacts,
                        tool="",
                        left_out_bytes=event.left_out_bytes,
                        log=event.log,
                    )
                )
            case _:
                pass
        return None

    def hear_step(self, act_id: str, heard: Recorded | Transient) -> None:
        """Take in what happens in a step."""
        visit = self.visits.get(act_id)
        if visit is None or not isinstance(heard, Recorded):
            return
        self.changes += 1
        match heard.event:
            case TurnStarted(vp_id=vp_id, turn_id=turn_id):
                self._turns[turn_id] = act_id
                self._change(act_id, vp=vp_id)
            case CallStarted(tool=tool):
                self._change(act_id, tool=tool)
            case CallFinished():
                self._change(act_id, tool="")
            case ReplyCompleted(usage=usage, cost_usd=cost_usd):
                cost = visit.cost_usd if cost_usd is None else (visit.cost_usd or 0.0) + cost_usd
                self._change(act_id, usage=visit.usage + usage, cost_usd=cost)
            case TurnEnded(error=error) if error is not None:
                self._change(act_id, failure=error)
            case _:
                pass

    def of(self, node: str) -> list[Visit]:
        """The visits of a step of the run itself, in the order in which they began."""
        return [one for one in self.visits.values() if one.node == node and one.run_id == self.run_id]

    def asking(self, ask: AskOpened) -> Visit | None:
        """Return the visit that a question comes from, if it is one of these."""
        act_id = self._turns.get(ask.turn_id) or self._calls.get(ask.call_id) or ask.call_id
        return self.visits.get(act_id)

    @property
    def passed(self) -> tuple[int, int]:
        """How many of the steps that somebody has written are done with for now, and how many there are."""
        written = {step.id for step in self.graph.steps if HIDDEN not in step.id}
        own = [one for one in self.own if one.node in written]
        under_way = {one.node for one in own if one.state == "running"}
        return len({one.node for one in own} - under_way), len(written)

    @property
    def own(self) -> Sequence[Visit]:
        """The visits of all steps of the run itself that somebody has written."""
        return [one for one in self.visits.values() if one.run_id == self.run_id and HIDDEN not in one.node]

    @property
    def usage(self) -> Usage:
        """What has been used so far."""
        return sum((one.usage for one in self._leaves()), Usage())

    @property
    def cost_usd(self) -> float | None:
        """What has been spent so far; None if no price is known."""
        costs = [one.cost_usd for one in self._leaves() if one.cost_usd is not None]
        return sum(costs) if costs else None

    @property
    def failure(self) -> Failure | None:
        """Why the turn failed that failed last."""
        failures = [one.failure for one in self.visits.values() if one.failure and one.state not in ("ok", "running")]
        return failures[-1] if failures else None

    def _leaves(self) -> Sequence[Visit]:
        """The visits of the run itself; while a run goes on within one, what has been used there counts."""
        everything = tuple(self.visits.values())
        own = [one for one in everything if one.run_id == self.run_id]
        is_open = any(one.state == "running" for one in everything if one.run_id != self.run_id)
        return everything if is_open else own

    def _change(self, act_id: str, **fields: object) -> Visit:
        self.visits[act_id] = changed = replace(self.visits[act_id], **fields)
        return changed

    def _shown(self, visit: Visit) -> Visit | None:
        return None if HIDDEN in visit.node else visit
