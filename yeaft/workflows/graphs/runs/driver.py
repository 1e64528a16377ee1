"""Drives one run: begins what is ready, waits for what is under way, and brings it to its one end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from yeaft.events.graph import (
    EdgeClosed,
    GraphCancelled,
    GraphClaimed,
    GraphEnded,
    GraphSuspended,
    TimerFired,
    TimerSet,
)
from yeaft.kernel.errors import StoreFailed
from yeaft.workflows.graphs.runs.doing import NeedsHuman
from yeaft.workflows.graphs.runs.progress import progress_in
from yeaft.workflows.graphs.runs.run_end import DEADLINE, end_of
from yeaft.workflows.graphs.runs.visit import Visit, store_failure

if TYPE_CHECKING:
    from yeaft.kernel.clock import NowMs
    from yeaft.store.journal import Append
    from yeaft.workflows.graphs.executor.activation import Activation
    from yeaft.workflows.graphs.runs.doing import Doer
    from yeaft.workflows.graphs.runs.run_ledger import RunLedger

Hold = Callable[[], contextlib.AbstractAsyncContextManager[None]]
LONGEST_WAIT_S = 3600.0


def _never() -> bool:
    return False


class Driver:
    """One process's hold on one run. What an earlier process has begun is gone on with, never done again.

    `is_unwanted` says of a run within another whether nobody waits for it any more. `hold` is around all driving.
    """

    def __init__(
        self,
        ledger: RunLedger,
        doer: Doer,
        now_ms: NowMs,
        is_unwanted: Callable[[], bool] = _never,
        hold: Hold = contextlib.nullcontext,
    ) -> None:
        self._ledger = ledger
        self._execution = ledger.execution
        self._doer = doer
        self._now_ms = now_ms
        self._is_run_unwanted = is_unwanted
        self._hold = hold
        self._tasks: dict[str, tuple[Visit, asyncio.Task[None]]] = {}
        self._begun: list[tuple[Visit, Append]] = []
        self._changed = asyncio.Event()
        self._asked = ""
        self._is_closing = False
        self._may_begin = False

    async def drive(self) -> GraphEnded | None:
        """Go on until the run is over, and return its end; None if it waits for a human who is not there.

        Raises `StoreFailed` when its journal takes no more: nothing that was not recorded has been acted on.
        """
        execution = self._execution
        if execution.ended is not None:
            return execution.ended
        self._ledger.on_failure = self._changed.set
        async with self._hold():
            return await self._driven()

    async def _driven(self) -> GraphEnded | None:
        execution = self._execution
        try:
            await self._take_up()
            async with asyncio.TaskGroup() as group:
                await self._go_on(group)
        except asyncio.CancelledError:
            if not self._is_run_unwanted():
                self._leave()
            raise
        except ExceptionGroup as failures:
            raise store_failure(failures) or failures from failures
        if self._asked and not execution.is_stopping:
            await self._ledger.post(GraphSuspended(run_id=execution.run_id, asked=self._asked))
            return None
        for one in execution.running:  # what asks, or is detached from the rest
            await self._visit(one).settle()
        ended = end_of(execution)
        await self._ledger.post(ended, sync=True)
        return ended

    @property
    def asked(self) -> str:
        """What a human has to answer before the run can go on; empty for nothing."""
        return self._asked

    async def cancel(self, by: str, reason: str = "") -> None:
        """Let nothing new begin, and stop what is under way; a second time changes nothing."""
        commit = self._cancel(by, reason)
        self._changed.set()
        if commit is not None:
            await commit

    def _cancel(self, by: str, reason: str = "") -> Append | None:
        execution = self._execution
        if execution.cancelled is not None or execution.ended is not None:
            return None
        cancelled = GraphCancelled(run_id=execution.run_id, by=by, reason=reason)
        return self._ledger.post(cancelled, src="user" if by == "user" else "engine", sync=True)

    async def _take_up(self) -> None:
        """See to what has come to be while nobody drove the run; what is not wanted any more does not go on."""
        execution = self._execution
        self._asked, self._is_closing = "", False
        self._begun.clear()
        if self._ledger.is_inherited:
            claimed = progress_in(self._ledger.journal, self._ledger.stream)
            await self._ledger.post(GraphClaimed(run_id=execution.run_id, progress=claimed))
        self._heed_deadline()
        for one in (*execution.abandoned, *execution.running):
            visit = self._visit(one)
            if visit.is_over or execution.is_poisoned:
                await visit.settle()

    async def _go_on(self, group: asyncio.TaskGroup) -> None:
        for one in self._execution.running:
            self._start(group, self._visit(one), None)
        self._may_begin = True
        try:
            while not self._is_over:
                self._changed.clear()
                self._advance()
                self._start_begun(group)
                self._stop_unwanted()
                if not (self._changed.is_set() or self._is_over):
                    await self._wait()
                if self._ledger.failure is not None:
                    raise self._ledger.failure
        finally:
            self._may_begin = False
        self._is_closing = True
        self._stop_unwanted()

    @property
    def _is_over(self) -> bool:
        """Whether there is nothing left to do, or only a human could let the run go on."""
        return self._execution.is_quiet or (bool(self._asked) and not self._tasks and not self._begun)

    def _leave(self) -> None:
        """Note that nobody drives the run now, which is no fault of the run's."""
        with contextlib.suppress(StoreFailed):
            self._ledger.post(GraphSuspended(run_id=self._execution.run_id))

    def _visit(self, one: Activation) -> Visit:
        return Visit(
            self._ledger,
            self._doer,
            one,
            self._now_ms,
            is_unwanted=lambda: self._is_unwanted(one),
            follow=self._advance,
        )

    def _is_unwanted(self, one: Activation) -> bool:
        """Whether nobody waits for a step any more: its run is cancelled or at its end, or others were faster."""
        execution = self._execution
        is_over = self._is_closing or execution.cancelled is not None or execution.is_poisoned
        return is_over or one.act_id not in execution.pending or self._is_run_unwanted()

    def _advance(self) -> None:
        """Record whatever can begin now. The driver's own task begins it, once that is on disk."""
        execution = self._execution
        if execution.is_stopping or self._asked or not self._may_begin:
            return
        for timer in tuple(execution.timers.values()):
            self._tend(timer.timer_id, timer.from_ms + timer.delay_ms)
        visits = [self._visit(one) for one in execution.ready()]
        if visits:
            begun = self._ledger.post(*(event for visit in visits for event in visit.beginning()))
            self._begun += [(visit, begun) for visit in visits]
        for edge_id in sorted(execution.closed - execution.told_closed):
            edge = execution.topology.edges[edge_id]
            self._ledger.post(EdgeClosed(run_id=execution.run_id, edge=edge_id, source=edge.source, target=edge.target))

    def _tend(self, timer_id: str, due_ms: int) -> None:
        due = self._execution.due_ms.get(timer_id)
        if due is None:
            due = due_ms
            self._ledger.post(TimerSet(timer_id=timer_id, due_ms=due))
        if due <= self._now_ms():
            self._ledger.post(TimerFired(timer_id=timer_id, due_ms=due))
            self._changed.set()

    def _start_begun(self, group: asyncio.TaskGroup) -> None:
        while self._begun:
            self._start(group, *self._begun.pop(0))

    def _start(self, group: asyncio.TaskGroup, visit: Visit, begun: Append | None) -> None:
        task = group.create_task(self._done(visit, begun), name=f"step:{visit.one.node}")
        self._tasks[visit.one.act_id] = (visit, task)

    async def _done(self, visit: Visit, begun: Append | None) -> None:
        try:
            await visit.run(begun)
        except NeedsHuman as error:
            self._asked = self._asked or str(error) or visit.one.node
        finally:
            self._tasks.pop(visit.one.act_id, None)
            self._changed.set()

    def _stop_unwanted(self) -> None:
        """Stop what nobody waits for any more: all of a run that is cancelled, the rest where the first wins."""
        for act, (visit, task) in tuple(self._tasks.items()):
            # One that has a result is at its end; one that has not begun looks for itself.
            if visit.has_begun and act not in self._execution.finished and visit.is_over:
                task.cancel()

    async def _wait(self) -> None:
        """Wait until something is done, a time has come, or the run has had all the time it may take."""
        until = self._next_due_ms()
        if until is None:
            await self._changed.wait()
            return
        wait_s = max(0.0, (until - self._now_ms()) / 1000)
        try:
            async with asyncio.timeout(min(wait_s, LONGEST_WAIT_S)):
                await self._changed.wait()
        except TimeoutError:
            self._heed_deadline()

    def _next_due_ms(self) -> int | None:
        execution = self._execution
        if execution.cancelled is not None:
            return None
        deadline = [execution.deadline_ms] if execution.deadline_ms else []
        if execution.is_stopping or self._asked:
            return min(deadline, default=None)
        dues = [execution.due_ms[timer] for timer in execution.timers if timer in execution.due_ms]
        return min([*dues, *deadline], default=None)

    def _heed_deadline(self) -> None:
        deadline = self._execution.deadline_ms
        if deadline and self._now_ms() >= deadline:
            self._cancel(DEADLINE)
