"""The runs of graphs that a Session holds: begun, gone on with, and found again in its journal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw, Struct

from yeaft.artifacts.store import ArtifactStore
from yeaft.events.codec import Recorded
from yeaft.events.graph import GraphStarted
from yeaft.kernel import ids
from yeaft.kernel.errors import NotFound, StoreFailed
from yeaft.llm.credentials import scrubbed
from yeaft.tools.worktrees.git import Git
from yeaft.workflows.graphs.executor.execution import Execution
from yeaft.workflows.graphs.executor.topology import Topology
from yeaft.workflows.graphs.expressions import evaluated
from yeaft.workflows.graphs.given_values import given_value
from yeaft.workflows.graphs.graph import Agent, Graph
from yeaft.workflows.graphs.runs.doing import Done, NeedsHuman, Work
from yeaft.workflows.graphs.runs.driver import Driver
from yeaft.workflows.graphs.runs.forking import Anew, take_over
from yeaft.workflows.graphs.runs.isolated import IsolatedFolders
from yeaft.workflows.graphs.runs.kept_outputs import KeptOutputs
from yeaft.workflows.graphs.runs.lease import held
from yeaft.workflows.graphs.runs.progress import run_within
from yeaft.workflows.graphs.runs.run_ledger import STREAM, RunLedger
from yeaft.workflows.graphs.runs.steps import Ask, Steps
from yeaft.workflows.graphs.runs.tool_steps import ToolSteps
from yeaft.workflows.graphs.runs.vp_steps import Hear, VpSteps

if TYPE_CHECKING:
    from yeaft.events.artifact import ArtifactStored
    from yeaft.session.agents.agent_session import Means
    from yeaft.store.journal import Blobs, Journal

JSON_MIME = "application/json"
MINUTE_MS = 60_000
PARENT = "parent"
"""Who cancels a run within another one that nobody waits for any more."""


class Frozen(Struct, frozen=True, kw_only=True):
    """What a run is made of, as it was when the run began: nothing that is changed later changes the run.

    `mentions` has the lines of `file` that name functions, by import path; a graph that no file holds has none.
    """

    graph: Graph
    agents: dict[str, Agent] = {}
    folder: str = ""
    file: str = ""
    mentions: dict[str, tuple[int, ...]] = {}


class Run(Struct, frozen=True, kw_only=True):
    """A run with all it takes to drive it."""

    ledger: RunLedger
    frozen: Frozen
    driver: Driver

    @property
    def execution(self) -> Execution:
        """The state of the run."""
        return self.ledger.execution


class Surroundings(Struct, frozen=True, kw_only=True):
    """What runs have to do with outside: who answers questions, who hears what happens, and what VPs are told.

    `check` raises `YeaftError` for a run that must not begin here, or go on.
    """

    ask: Ask
    hear_step: Hear
    hear_run: Callable[[str, Recorded], None]
    texts: Mapping[str, str]
    artifacts: ArtifactStore
    check: Callable[[Frozen], None]


class Runs:
    """Makes runs in the journal of the Session whose `means` these are; its VPs do the steps in `folder`."""

    def __init__(self, means: Means, folder: Path, around: Surroundings) -> None:
        self._means = means
        self._folder = folder
        self._around = around
        self._kept = KeptOutputs(around.artifacts, lambda fact: _note(means, fact))
        environ = scrubbed(means.thinking.environ, means.thinking.config)
        self._isolated = IsolatedFolders(folder, Git(environ))

    async def start(
        self, frozen: Frozen, given: Any, *, source: str = "", forked_from: str = "", call_id: str = ""
    ) -> Run:
        """Begin a run, in a call of a VP's if one is named. Its id is new, and nothing but this is on disk yet.

        The Session must have begun (`Session.begin`). Raises `BadData` if `given` is not what the graph takes, or what
        `Surroundings.check` does.
        """
        self._around.check(frozen)
        given = given_value(frozen.graph, given)
        run_id = ids.derive("r_", ids.new_ulid(self._means.now_ms()))
        run = self._run(run_id, frozen)
        minutes = frozen.graph.limits.minutes
        started = GraphStarted(
            run_id=run_id,
            name=frozen.graph.name,
            graph=self._means.blobs.put(msgspec.json.encode(frozen), JSON_MIME),
            input=Raw(msgspec.json.encode(given)),
            source=source,
            forked_from=forked_from,
            call_id=call_id,
            deadline_ms=self._means.now_ms() + round(minutes * MINUTE_MS) if minutes else 0,
        )
        await run.ledger.post(started, src="user", sync=True)
        return run

    def resume(self, run_id: str, *, is_unwanted: bool = False) -> Run:
        """Return a run as its journal has it; one that `is_unwanted` is only to be cancelled.

        Raises `NotFound`, `StoreFailed` if what it is made of is gone, or what `Surroundings.check` does.
        """
        frozen = frozen_of(started_in(self._means.journal, run_id), self._means.blobs)
        if not is_unwanted:
            self._around.check(frozen)
        run = self._run(run_id, frozen)
        run.ledger.load()
        return run

    async def fork(
        self, run_id: str, anew: Callable[[Execution], Anew], change: Callable[[Frozen], Frozen]
    ) -> tuple[Run, int]:
        """Begin a run that takes over the results of another but for what `anew` says; return how many it took.

        `anew` is asked with that run as far as it went, `change` says what is different about the new one, whose
        steps must stay the same. Raises `NotFound`, or `StoreFailed` if what it is made of is gone.
        """
        journal = self._means.journal
        started = started_in(journal, run_id)
        frozen = frozen_of(started, self._means.blobs)
        records = journal.read(STREAM + run_id)
        topology = Topology(frozen.graph)
        whole, old = Execution(run_id, topology, evaluated), Execution(run_id, topology, evaluated)
        for recorded in records:
            whole.apply(recorded)
        run = await self.start(
            change(frozen), msgspec.json.decode(started.input), source=started.source, forked_from=run_id
        )
        return run, await take_over(records, old, run.ledger, anew(whole))

    def _run(self, run_id: str, frozen: Frozen, work: Work | None = None) -> Run:
        means = self._means
        topology = Topology(frozen.graph)
        ledger = RunLedger(means.journal, Execution(run_id, topology, evaluated), means.parent.epoch, means.now_ms)
        ledger.listen(lambda recorded: self._around.hear_run(run_id, recorded))
        vps = VpSteps(
            means,
            frozen.agents,
            self._folder,
            self._around.texts,
            self._around.hear_step,
            kept=self._kept,
            isolated=self._isolated,
        )

        async def within(work: Work, graph: Graph) -> Done:
            return await self._within(work, Frozen(graph=graph, agents=frozen.agents, folder=frozen.folder))

        steps = Steps(
            topology,
            vps,
            Path(frozen.folder or self._folder),
            within=within,
            ask=self._around.ask,
            use_tool=ToolSteps(means, self._folder, self._around.hear_step).use,
            kept=self._kept,
            work_folder=self._folder,
        )
        if work is not None:  # who drives the run around it drives it too
            return Run(ledger=ledger, frozen=frozen, driver=Driver(ledger, steps, means.now_ms, work.is_unwanted))
        root = self._around.artifacts.out.parent
        driver = Driver(ledger, steps, means.now_ms, hold=lambda: held(root, run_id, ledger.fail))
        return Run(ledger=ledger, frozen=frozen, driver=driver)

    async def _within(self, work: Work, frozen: Frozen) -> Done:
        """Run a graph for a step of another; the same visit always has the same run."""
        run_id = run_within(work.run_id, work.act.act_id, work.attempt)
        run = self._run(run_id, frozen, work)
        run.ledger.load()
        if run.execution.started is None:
            if work.is_unwanted():
                return Done(status="cancelled")
            await run.ledger.post(self._started(run_id, frozen, work), cause=work.act.act_id)
        try:
            if work.is_unwanted():
                await run.driver.cancel(PARENT)
            ended = await run.driver.drive()
        except asyncio.CancelledError:
            if work.is_unwanted():
                await run.driver.cancel(PARENT)
                if (stopped := await run.driver.drive()) is not None:
                    work.pay(stopped.usage, stopped.cost_usd)
            raise
        if ended is None:
            raise NeedsHuman(run.driver.asked)
        value = msgspec.json.decode(ended.value)
        if ended.outcome == "completed":
            return Done(value=value, usage=ended.usage, cost_usd=ended.cost_usd)
        said = ended.error or ended.limit or ended.outcome
        return Done(status="failed", error=f"{frozen.graph.name}: {said}", usage=ended.usage, cost_usd=ended.cost_usd)

    def _started(self, run_id: str, frozen: Frozen, work: Work) -> GraphStarted:
        now_ms, minutes = self._means.now_ms(), frozen.graph.limits.minutes
        return GraphStarted(
            run_id=run_id,
            name=frozen.graph.name,
            graph=self._means.blobs.put(msgspec.json.encode(frozen), JSON_MIME),
            input=Raw(msgspec.json.encode(work.names["input"])),
            parent_run=work.run_id,
            parent_act=work.act.act_id,
            deadline_ms=now_ms + round(minutes * MINUTE_MS) if minutes else 0,
        )


def _note(means: Means, fact: ArtifactStored) -> None:
    """Let the Session know of an artifact, unless it does already."""
    if means.parent.state.artifacts.get(fact.path) != fact:
        means.parent.post((fact,), src=f"step:{fact.provenance.step}")


def started_in(journal: Journal, run_id: str) -> GraphStarted:
    """Return how a run began. Raises `NotFound`."""
    first = next(iter(journal.read(STREAM + run_id)), None)
    if first is None or not isinstance(first.event, GraphStarted):
        raise NotFound(f"There is no run {run_id!r}; `yeaft graph ls` lists those there are.")
    return first.event


def frozen_of(started: GraphStarted, blobs: Blobs) -> Frozen:
    """Return what a run is made of. Raises `StoreFailed`."""
    content = blobs.get(started.graph.sha256)
    if content is None:
        raise StoreFailed(
            f"What run {started.run_id} is made of (blob {started.graph.sha256[:12]}) is gone or damaged."
        )
    return msgspec.json.decode(content, type=Frozen)


def run_ids(journal: Journal) -> Iterator[str]:
    """Yield the ids of all runs in a journal, those within others too."""
    for stream in journal.streams():
        if stream.startswith(STREAM):
            yield stream.removeprefix(STREAM)
