"""One visit of a step, from its first attempt to its one result, whichever processes that takes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from yeaft.events.graph import StepFinished, StepReady, StepStarted, TimerSet
from yeaft.kernel import ids
from yeaft.kernel.errors import StoreFailed
from yeaft.kernel.usage import Usage
from yeaft.workflows.graphs.graph import GraphTask
from yeaft.workflows.graphs.plain_values import MOST_NESTED, is_nested_too_deep
from yeaft.workflows.graphs.runs.doing import Doer, Done, NeedsHuman, Work

if TYPE_CHECKING:
    from yeaft.events.codec import Event
    from yeaft.kernel.clock import NowMs
    from yeaft.store.journal import Append
    from yeaft.workflows.graphs.executor.activation import Activation
    from yeaft.workflows.graphs.runs.run_ledger import RunLedger

STEP_STREAM = "step/"
STOPPED = "stopped"
logger = logging.getLogger(__name__)


class Visit:
    """Does what one visit is for: again if it may be tried again, not at all any more if nobody waits for it.

    What an earlier process has begun is gone on with. `is_unwanted` says whether anybody still waits. `follow` is
    called with every result that is recorded: what it records then is committed together with the result.
    """

    def __init__(
        self,
        ledger: RunLedger,
        doer: Doer,
        one: Activation,
        now_ms: NowMs,
        *,
        is_unwanted: Callable[[], bool],
        follow: Callable[[], None],
    ) -> None:
        execution = ledger.execution
        self.one = one
        self.has_begun = False
        self._begun: Append | None = None
        self._ledger = ledger
        self._execution = execution
        self._doer = doer
        self._now_ms = now_ms
        self._is_unwanted = is_unwanted
        self._follow = follow
        self._step = execution.topology.steps[one.node]
        self._attempt = execution.attempts.get(one.act_id, 0)
        self._is_resumed = one.act_id in execution.attempts
        self._began_ms = now_ms()
        before = execution.spent.get(one.act_id)
        self._usage = before.usage if before else Usage()
        self._cost_usd = before.cost_usd if before else None

    @property
    def is_over(self) -> bool:
        """Whether what is under way is to be stopped: nobody waits for it, or it waits to be tried again in vain."""
        return self._is_unwanted() or (self._execution.is_stopping and self._wait_ms() > 0)

    def beginning(self) -> tuple[Event, ...]:
        """What is to be recorded before it may begin; nothing if an earlier process has begun it."""
        one = self.one
        if self._is_resumed:
            return ()
        ready = StepReady(act_id=one.act_id, node=one.node, visit=one.visit, scope=one.scope)
        return (ready, StepStarted(act_id=one.act_id, attempt=0, child_stream=self._stream()))

    async def run(self, begun: Append | None = None) -> None:
        """Do it, and record what came of it. `begun` is the record that it begins. Raises `NeedsHuman`, `StoreFailed`.

        Nobody has to wait for the result to be on disk: what it leads to is recorded behind it.
        """
        self.has_begun, self._begun = True, begun
        try:
            done = Done(status="cancelled", error=STOPPED) if self.is_over else await self._tried()
        except asyncio.CancelledError:
            if self.is_over:
                self._finish(Done(status="cancelled", error=STOPPED))
            raise
        self._finish(done)

    async def settle(self) -> None:
        """Record that nobody waits any more for what an earlier process has begun, and let it end what runs within."""
        if isinstance(self._step.task, GraphTask) and self._is_unwanted():
            self._pay(await self._tried_once())
        await self._finish(Done(status="cancelled", error=STOPPED))

    async def _tried(self) -> Done:
        while True:
            if (wait_ms := self._wait_ms()) > 0:
                await asyncio.sleep(wait_ms / 1000)
            done = await self._tried_once()
            self._pay(done)
            if not self._may_retry(done):
                return done
            self._attempt, self._is_resumed = self._attempt + 1, False
            await self._ledger.post(*self._again(done), cause=self.one.act_id)

    def _again(self, failed: Done) -> tuple[Event, ...]:
        """What is recorded before another attempt: what the earlier ones have cost, and when this one is due."""
        started = StepStarted(
            act_id=self.one.act_id,
            attempt=self._attempt,
            child_stream=self._stream(),
            error=failed.error,
            usage=self._usage,
            cost_usd=self._cost_usd,
        )
        delay_ms = self._step.retries.delay_ms
        if not delay_ms:
            return (started,)
        return (started, TimerSet(timer_id=self._timer(), due_ms=self._now_ms() + delay_ms))

    async def _tried_once(self) -> Done:
        """Make one attempt. A mistake in what does it is its failure, as any other."""
        timeout_s = self._step.timeout_ms / 1000 if self._step.timeout_ms else None
        patience = asyncio.timeout(timeout_s)
        try:
            async with patience:
                return _with_json(await self._doer.do(self._work()))
        except (NeedsHuman, StoreFailed):
            raise
        except ExceptionGroup as group:
            if (refused := store_failure(group)) is not None:
                raise refused from group
            logger.exception("step %s of run %s", self.one.node, self._execution.run_id)
            return self._failed(group)
        except Exception as error:
            if isinstance(error, TimeoutError) and patience.expired():
                return Done(status="timed_out", error=f"it took longer than {timeout_s:g} s", reason="timeout")
            logger.exception("step %s of run %s", self.one.node, self._execution.run_id)
            return self._failed(error)

    def _failed(self, error: Exception) -> Done:
        return Done(status="failed", error=str(error) or type(error).__name__)

    def _work(self) -> Work:
        execution, one = self._execution, self.one
        graph = execution.topology.graph
        most = graph.limits.cost_usd
        return Work(
            run_id=execution.run_id,
            act=one,
            step=self._step,
            attempt=self._attempt,
            stream=self._stream(),
            names={
                "input": one.value,
                "start": execution.input,
                "steps": execution.seen_from(one.scope),
                "params": graph.params,
                "inbox": list(one.inbox),
                "visit": one.visit,
                "index": one.scope[-1].index if one.scope else 0,
            },
            is_resumed=self._is_resumed,
            cost_left_usd=None if most is None else max(0.0, most - execution.cost_usd - (self._cost_usd or 0.0)),
            artifacts=execution.artifacts_before(one),
            is_unwanted=self._is_unwanted,
            pay=self._note,
            begun=self._begun,
        )

    def _may_retry(self, done: Done) -> bool:
        retries = self._step.retries
        is_meant = "any" in retries.on or done.reason in retries.on
        failed = done.status in ("failed", "timed_out") and not done.may_have_happened
        return failed and self._attempt < retries.max and is_meant and not self._execution.is_stopping

    def _wait_ms(self) -> int:
        """How long it is until the next attempt is due."""
        due_ms = self._execution.due_ms.get(self._timer(), 0) if self._attempt else 0
        return max(0, due_ms - self._now_ms()) if due_ms else 0

    def _timer(self) -> str:
        return ids.derive("w_", self.one.act_id, "retry", self._attempt)

    def _stream(self) -> str:
        return f"{STEP_STREAM}{self.one.act_id}" + (f"/{self._attempt}" if self._attempt else "")

    def _pay(self, done: Done) -> None:
        self._note(done.usage, done.cost_usd)

    def _note(self, usage: Usage, cost_usd: float | None) -> None:
        self._usage += usage
        if cost_usd is not None:
            self._cost_usd = (self._cost_usd or 0.0) + cost_usd

    def _finish(self, done: Done) -> Append:
        finished = StepFinished(
            act_id=self.one.act_id,
            status=done.status,
            value=Raw(msgspec.json.encode(done.value)),
            error=done.error,
            artifacts=done.artifacts,
            usage=self._usage,
            cost_usd=self._cost_usd,
            duration_ms=self._now_ms() - self._began_ms,
            left_out_bytes=done.left_out_bytes,
            log=done.log,
        )
        recorded = self._ledger.post(finished, src=f"step:{self.one.node}", cause=self.one.act_id)
        self._follow()
        return recorded


def store_failure(group: ExceptionGroup[Exception]) -> StoreFailed | None:
    """Return what says in a group that the journal cannot be written or read any more, however deep it is."""
    within = group.subgroup(StoreFailed)
    return None if within is None else _first(within)


def _first(group: BaseExceptionGroup[StoreFailed]) -> StoreFailed:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


def _with_json(done: Done) -> Done:
    """Return what was done with a value that is JSON. Raises `TypeError` for one that cannot be, or is too deep."""
    value: Any = msgspec.json.decode(msgspec.json.encode(done.value))
    if is_nested_too_deep(value):
        raise TypeError(f"what it gave is nested more than {MOST_NESTED} deep")
    return replace(done, value=value)
