"""Runs of graphs for Python programs: begun in a Session of the user's, watched, waited for, stopped, forked."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from yeaft.config.settings import Mode
from yeaft.interfaces.assemble import Opened, opened
from yeaft.interfaces.flow_arguments import budget_of
from yeaft.interfaces.graphing import Graphing, with_params
from yeaft.interfaces.ground import Wish
from yeaft.kernel.errors import NotFound, YeaftError
from yeaft.kernel.usage import Usage
from yeaft.llm.model import Substitute
from yeaft.session.opening import Wanted
from yeaft.workflows.graphs.conditions import text_of
from yeaft.workflows.graphs.graph import Graph, VpTask
from yeaft.workflows.graphs.runs.forking import Anew, at_step, failed_at
from yeaft.workflows.graphs.runs.session_runs import Run

if TYPE_CHECKING:
    from yeaft.events.codec import Recorded
    from yeaft.events.graph import GraphEnded
    from yeaft.workflows.graphs.executor.execution import Execution
    from yeaft.workflows.patterns.pattern import Budget

NO_LIMITS: Mapping[str, Any] = {}
Begin = Callable[[Opened, Graphing], Awaitable[Run]]
"""Begins a run in an open Session. Raises `YeaftError`."""


class Where(Struct, frozen=True, kw_only=True):
    """In which folder a run works, in which Session (a new one if none is named), and under which rules.

    `answers` are given to what the graph asks, in turn; a question without one ends the run with `needs_human`.
    A `substitute` stands in for the models, such as a cassette.
    """

    folder: str | Path = ""
    session: str = ""
    model: str = ""
    effort: str = ""
    mode: Mode | None = None
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    lang: str = ""
    settings: tuple[str, ...] = ()
    substitute: Substitute | None = None

    def wish(self) -> Wish:
        """Return the Session to open."""
        folder = Path(self.folder or Path.cwd()).resolve()
        return Wish(
            environ=os.environ,
            folder=folder,
            wanted=Wanted(ref=self.session),
            model=self.model,
            effort=self.effort,
            mode=self.mode,
            allow=self.allow,
            deny=self.deny,
            lang=self.lang,
            settings=self.settings,
            substitute=self.substitute,
        )


class RunResult(Struct, frozen=True, kw_only=True):
    """What came of a run: `value` is its result or, if nothing reached the end, what a step gave last.

    `outputs` are what each step gave last, by its id. `outcome` is completed, failed, cancelled, limit or needs_human;
    `error` says why if it is not completed.
    """

    outcome: str
    value: Any
    outputs: Mapping[str, Any]
    error: str = ""
    limit: str = ""
    usage: Usage = Usage()
    cost: float | None = None
    steps: int = 0
    run: str = ""
    session: str = ""

    @property
    def text(self) -> str:
        """The value as text."""
        return "" if self.value is None else text_of(self.value)


class RunHandle:
    """A run that goes on while its program waits for something. End with `result()`, or leave its `async with`."""

    def __init__(self, where: Where, begin: Begin) -> None:
        self._where = where
        self._begin = begin
        self._run: Run | None = None
        self._session = ""
        self._heard: list[Recorded] = []
        self._changed = asyncio.Event()
        self._is_over = False
        self._begun = asyncio.Event()
        self._task: asyncio.Task[RunResult] | None = None

    @classmethod
    async def begun(cls, where: Where, begin: Begin) -> Self:
        """Open the Session and begin the run. Raises `YeaftError` if it cannot be begun."""
        handle = cls(where, begin)
        handle._task = asyncio.create_task(handle._drive(), name="flow")
        await handle._begun.wait()
        if handle._run is None:
            await handle.result()
        return handle

    @property
    def run_id(self) -> str:
        """The id of the run, as `yeaft graph ls` lists it."""
        assert self._run is not None
        return self._run.execution.run_id

    @property
    def execution(self) -> Execution:
        """The state of the run as far as it has come."""
        assert self._run is not None
        return self._run.execution

    @property
    def session_id(self) -> str:
        """The Session that holds the run."""
        return self._session

    async def result(self) -> RunResult:
        """Wait for the end and return what came of it. Raises `YeaftError` if the Session failed."""
        assert self._task is not None
        return await self._task

    async def events(self) -> AsyncGenerator[Recorded]:
        """Yield everything that is recorded of the run and of those within it, from its start to its end."""
        at = 0
        while True:
            while at < len(self._heard):
                at += 1
                yield self._heard[at - 1]
            if self._is_over:
                return
            self._changed.clear()
            await self._changed.wait()

    async def cancel(self, reason: str = "") -> None:
        """Let the run stop in good order; `result()` then says `cancelled`."""
        if self._run is not None and not self._is_over:
            await self._run.driver.cancel("user", reason)

    async def fork(self, at: str, *, model: str = "", limits: Mapping[str, Any] = NO_LIMITS) -> RunHandle:
        """Wait for the end, then begin a run that does the step `at` and all that depends on it anew.

        With `model` its VPs use that one; for `limits` see `retry`. Raises `NotFound` for a step that is not there, or
        `YeaftError`.
        """
        budget = budget_of(limits, "limits")
        return await self._again(
            at, lambda _: at_step(at), lambda graph: _limited(_with_model(graph, model) if model else graph, budget)
        )

    async def retry(self, step: str, *, limits: Mapping[str, Any] = NO_LIMITS, **params: Any) -> RunHandle:
        """Wait for the end, then begin a run that does what failed at a step anew, or else its last visit.

        All before it is taken over and not paid again. `params` are parameters of the graph that are to be other ones:
        `await handle.retry("weigh", rounds=6)` lets a critic go on for more rounds. `limits` stand in place of those
        that this run had, by the names they have in `yeaft.flows`: `limits={"cost": 2.0}`. What is taken over counts,
        but for time. Raises as `fork`, and `BadData` for a parameter that the graph has not.
        """
        budget = budget_of(limits, "limits")
        given = {key: msgspec.json.encode(value).decode() for key, value in params.items()}
        return await self._again(
            step, partial(failed_at, step), lambda graph: _limited(with_params(graph, given), budget)
        )

    async def _again(
        self, step: str, anew: Callable[[Execution], Anew], changed: Callable[[Graph], Graph]
    ) -> RunHandle:
        await self.result()
        run_id, run = self.run_id, self._run
        assert run is not None
        steps = [one.id for one in run.frozen.graph.steps]
        if step not in steps:
            raise NotFound(f"The graph {run.frozen.graph.name!r} has no step {step!r}. It has {', '.join(steps)}.")

        async def begin(here: Opened, graphing: Graphing) -> Run:
            del here
            again, _ = await graphing.runs.fork(
                run_id, anew, lambda frozen: replace(frozen, graph=changed(frozen.graph))
            )
            return again

        return await RunHandle.begun(replace(self._where, session=self._session), begin)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait((self._task,))

    async def _drive(self) -> RunResult:
        try:
            async with opened(self._where.wish()) as here:
                graphing = Graphing(
                    here, answers=self._where.answers, hear_run=self._hear, hear_step=_unheard, is_program=True
                )
                self._session = here.state.session_id
                self._run = run = await self._begin(here, graphing)
                self._begun.set()
                return _result(self._session, run, await run.driver.drive())
        except* YeaftError as group:
            raise _first(group) from group
        finally:
            self._is_over = True
            self._begun.set()
            self._changed.set()

    def _hear(self, run_id: str, recorded: Recorded) -> None:
        del run_id
        self._heard.append(recorded)
        self._changed.set()


def _unheard(act_id: str, heard: object) -> None:
    """What happens in a step is in the journal; who reads events hears only what comes of it."""
    del act_id, heard


def _result(session_id: str, run: Run, ended: GraphEnded | None) -> RunResult:
    execution = run.execution
    outputs = {name: value for name, value in execution.seen_from(()).items() if "~" not in name}
    waiting = RunResult(
        outcome="needs_human",
        value=execution.last_output,
        outputs=outputs,
        error=run.driver.asked,
        run=execution.run_id,
        session=session_id,
    )
    if ended is None:
        return waiting
    return replace(
        waiting,
        outcome=ended.outcome,
        value=msgspec.json.decode(ended.value),
        error=ended.error,
        limit=ended.limit,
        usage=ended.usage,
        cost=ended.cost_usd,
        steps=ended.steps,
    )


def _limited(graph: Graph, budget: Budget) -> Graph:
    """The graph with what is set in `budget` in place of its own limits."""
    given = {
        "cost_usd": budget.cost,
        "tokens": budget.tokens,
        "minutes": budget.minutes,
        "max_parallel": budget.max_parallel,
    }
    changed = {name: value for name, value in given.items() if value is not None}
    return replace(graph, limits=replace(graph.limits, **changed))


def _with_model(graph: Graph, model: str) -> Graph:
    """The graph with a model for all its VPs, those of the graphs within it too."""
    steps = (
        replace(step, task=replace(step.task, model=model)) if isinstance(step.task, VpTask) else step
        for step in graph.steps
    )
    return replace(
        graph, steps=tuple(steps), graphs={name: _with_model(one, model) for name, one in graph.graphs.items()}
    )


def _first(group: BaseExceptionGroup[YeaftError]) -> YeaftError:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
