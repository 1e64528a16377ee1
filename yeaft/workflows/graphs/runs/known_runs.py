"""The runs that a journal holds, as lists show them, and which of them a word on the command line means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from yeaft.events.graph import (
    GraphCancelled,
    GraphEnded,
    GraphStarted,
    GraphSuspended,
    StepFinished,
    StepReady,
    StepStarted,
)
from yeaft.kernel.errors import NotFound
from yeaft.kernel.usage import Usage
from yeaft.workflows.graphs.runs.run_ledger import STREAM

if TYPE_CHECKING:
    from collections.abc import Iterable

    from yeaft.events.codec import Recorded
    from yeaft.store.journal import Journal

RunState = Literal["open", "completed", "failed", "cancelled", "limit", "needs_human"]
LAST = "last"
PREFIX = "r_"
LEAST_PREFIX = 3
SHOWN = 5
SHORT_DIGITS = 8


class KnownRun(Struct, frozen=True, kw_only=True):
    """What can be told of a run from its events alone; `open` is one that has not ended, whether it goes on or not.

    `steps` have ended, `running` are nodes that were begun and have not. `asked` is what it waits for a
    human to say, if that is all that holds it up, `call_id` the call in which a VP has begun it. Times are UTC
    milliseconds.
    """

    run_id: str
    name: str
    source: str
    parent_run: str
    forked_from: str
    state: RunState
    started_ms: int
    last_ms: int
    steps: int
    running: tuple[str, ...]
    usage: Usage
    cost_usd: float | None
    error: str
    head: int
    asked: str = ""
    call_id: str = ""


def short(run_id: str) -> str:
    """Return so much of a run's id that it can be typed."""
    return run_id[: len(PREFIX) + max(SHORT_DIGITS, LEAST_PREFIX)]


def known_run(records: Sequence[Recorded]) -> KnownRun | None:
    """Return what the events of one run tell; None if it did not even begin."""
    if not records or not isinstance(records[0].event, GraphStarted):
        return None
    started = records[0].event
    nodes: dict[str, str] = {}
    running: dict[str, str] = {}
    usage, cost, steps = Usage(), None, 0
    state: RunState = "open"
    error = asked = ""
    for recorded in records:
        asked = recorded.event.asked if isinstance(recorded.event, GraphSuspended) else ""
        match event := recorded.event:
            case StepReady():
                nodes[event.act_id] = event.node
            case StepStarted(act_id=act):
                running[act] = nodes.get(act, "")
            case StepFinished(act_id=act):
                running.pop(act, None)
                steps += 1
                usage += event.usage
                cost = cost if event.cost_usd is None else (cost or 0.0) + event.cost_usd
            case GraphCancelled(by=by):
                error = by
            case GraphEnded():
                state, error = event.outcome, event.error or event.limit
            case _:
                pass
    return KnownRun(
        run_id=started.run_id,
        name=started.name,
        source=started.source,
        parent_run=started.parent_run,
        forked_from=started.forked_from,
        state=state,
        started_ms=records[0].ts,
        last_ms=records[-1].ts,
        steps=steps,
        running=tuple(running.values()),
        usage=usage,
        cost_usd=cost,
        error=error,
        head=records[-1].seq,
        asked=asked,
        call_id=started.call_id,
    )


def known_runs(journal: Journal) -> Iterator[KnownRun]:
    """Yield all runs of a journal, those within others too."""
    for stream in journal.streams():
        if stream.startswith(STREAM) and (found := known_run(journal.read(stream))) is not None:
            yield found


def meant(runs: Iterable[KnownRun], word: str) -> KnownRun:
    """Return the run with this id, the newest for `last`, or the one whose id begins so. Raises `NotFound`."""
    everything = sorted(runs, key=lambda one: (one.started_ms, one.run_id))
    outermost = [one for one in everything if not one.parent_run]
    if word == LAST and outermost:
        return outermost[-1]
    digits = word.strip().lower().removeprefix(PREFIX)
    fitting = [one for one in everything if one.run_id == PREFIX + digits]
    if not fitting and len(digits) >= LEAST_PREFIX:
        fitting = [one for one in everything if one.run_id.startswith(PREFIX + digits)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        shown = ", ".join(f"{one.run_id} ({one.name})" for one in fitting[:SHOWN])
        raise NotFound(f"{word!r} fits {len(fitting)} runs: {shown}. Give more of the id.")
    if not outermost:
        raise NotFound(f"There is no run {word!r}; no graph has been run yet.")
    newest = ", ".join(f"{one.run_id} ({one.name})" for one in outermost[-SHOWN:][::-1])
    raise NotFound(f"There is no run {word!r}. The newest are: {newest}. `yeaft graph ls` lists them.")
