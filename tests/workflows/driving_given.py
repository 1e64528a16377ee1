"""Runs of graphs in a journal in memory, driven by one process after the other, with steps that only compute."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from tests.workflows.programs import NO_BLOB, RUN, result_of
from yeaft.events.codec import Recorded
from yeaft.events.graph import GraphEnded, GraphStarted, StepFinished
from yeaft.kernel.usage import Usage
from yeaft.store.journal import Append
from yeaft.store.memory import MemoryJournal
from yeaft.workflows.graphs.executor.execution import Execution
from yeaft.workflows.graphs.executor.topology import Topology
from yeaft.workflows.graphs.expressions import evaluated
from yeaft.workflows.graphs.files.reading import read_text
from yeaft.workflows.graphs.graph import Graph
from yeaft.workflows.graphs.runs.doing import Done, NeedsHuman, Work
from yeaft.workflows.graphs.runs.driver import Driver
from yeaft.workflows.graphs.runs.run_ledger import RunLedger


class Counting(MemoryJournal):
    """A journal that knows where its appends ended, and the types of what each tick of the loop brought."""

    def __init__(self) -> None:
        super().__init__()
        self.ends: list[int] = []
        self.ticks: list[list[str]] = []
        self._is_in_tick = False
        self._ticked = asyncio.Event()

    def append(
        self, stream: str, expected_seq: int, epoch: int, events: Sequence[Recorded], *, sync: bool = False
    ) -> Append:
        self.ends.append(expected_seq + len(events))
        if not self._is_in_tick:
            self._is_in_tick = True
            self.ticks.append([])
            asyncio.get_running_loop().call_soon(self._end_tick)
        self.ticks[-1] += [one.type for one in events]
        return super().append(stream, expected_seq, epoch, events, sync=sync)

    async def taken(self, types: Sequence[str]) -> None:
        """Wait for a tick of the loop that has brought just events of these types."""
        while list(types) not in self.ticks:
            self._ticked.clear()
            await self._ticked.wait()

    def _end_tick(self) -> None:
        self._is_in_tick = False
        self._ticked.set()


class Worker:
    """Does steps by computing; every attempt takes a turn of the loop.

    Fails those that `fails` says, as often as it says; those that `hangs` says never end, and have cost something by
    then; those that `breaks` says are a mistake in the program; `human` asks.
    """

    def __init__(
        self,
        fails: dict[str, int] | None = None,
        hangs: frozenset[str] = frozenset(),
        breaks: frozenset[str] = frozenset(),
        free: asyncio.Event | None = None,
    ) -> None:
        self.tried: Counter[tuple[str, int]] = Counter()
        self.fails = Counter(fails or {})
        self.hangs = hangs
        self.breaks = breaks
        self.begun = asyncio.Event()
        self.free = free or asyncio.Event()

    @property
    def done(self) -> Counter[str]:
        return Counter(act for act, _ in self.tried)

    async def do(self, work: Work) -> Done:
        node = work.act.node
        await work.has_begun()
        await asyncio.sleep(0)
        self.begun.set()
        if node == "human":
            raise NeedsHuman("May I?")
        if node in self.breaks:
            raise ZeroDivisionError("a mistake")
        if node in self.hangs:
            try:
                await self.free.wait()
            except asyncio.CancelledError:
                work.pay(Usage(output=7), 0.125)
                raise
        self.tried[work.act.act_id, work.attempt] += 1
        if self.fails[node] > work.attempt:
            return Done(status="failed", error="no", cost_usd=0.25)
        value = [1, 2, 3] if node == "list" else result_of(node, work.names["input"])
        return Done(value=value if node == "list" or node.startswith("s") else value["by"], cost_usd=0.25)


class Given:
    """A run in a journal in memory; each `driver` is another process that has it."""

    def __init__(self, yaml: str | Graph, journal: Counting | None = None, *, epoch: int = 1) -> None:
        if isinstance(yaml, str):
            yaml = read_text(yaml, Path("/nowhere/g.yaml"), lambda name: name, ()).graph()
        self.graph = yaml
        self.journal = journal or Counting()
        self._now_ms = 1_000
        self._epochs = count(epoch)

    def now_ms(self) -> int:
        """A clock that never shows the same time twice."""
        self._now_ms = max(self._now_ms + 1, round(asyncio.get_running_loop().time() * 1000))
        return self._now_ms

    def ledger(self) -> RunLedger:
        ledger = RunLedger(
            self.journal, Execution(RUN, Topology(self.graph), evaluated), next(self._epochs), self.now_ms
        )
        ledger.load()
        return ledger

    def driver(self, worker: Worker) -> Driver:
        return Driver(self.ledger(), worker, self.now_ms)

    async def start(self, *, deadline_ms: int = 0) -> None:
        execution = Execution(RUN, Topology(self.graph), evaluated)
        ledger = RunLedger(self.journal, execution, 0, self.now_ms)
        started = GraphStarted(run_id=RUN, name="g", graph=NO_BLOB, input=msgspec.Raw(b'"go"'), deadline_ms=deadline_ms)
        await ledger.post(started)

    async def cut(self, end: int) -> "Given":
        """The same run as another process finds it that comes after event `end`."""
        journal = Counting()
        for recorded in self.events[:end]:
            await journal.append(recorded.stream, recorded.seq - 1, recorded.epoch, [recorded])
        return Given(self.graph, journal, epoch=journal.epoch(f"graph/{RUN}") + 1)

    @property
    def events(self) -> list[Recorded]:
        return self.journal.read(f"graph/{RUN}")

    def of(self, kind: type[Any]) -> list[Any]:
        return [one.event for one in self.events if isinstance(one.event, kind)]

    def acts(self) -> dict[str, str]:
        return {one.act_id: one.status for one in self.of(StepFinished)}


async def run(given: Given, worker: Worker) -> GraphEnded:
    ended = await given.driver(worker).drive()
    assert ended is not None
    return ended
