"""A run that goes on from another one takes over all that does not depend on what is done anew, and comes to the same."""

import random
from collections.abc import Sequence

import msgspec
import pytest

from tests.workflows.programs import NO_BLOB, Builder, Runner, items, random_program, result_of
from yeaft.events.codec import Recorded
from yeaft.events.graph import GraphStarted, StepFinished, StepReady, StepStarted
from yeaft.store.memory import MemoryJournal
from yeaft.workflows.graphs.executor.execution import Execution
from yeaft.workflows.graphs.runs.forking import at_step, failed_at, take_over
from yeaft.workflows.graphs.runs.run_ledger import RunLedger

NEW = "r2"


def records_of(runner: Runner) -> Sequence[Recorded]:
    return [
        Recorded(id=str(n), stream="graph/r", seq=n, ts=n, src="", cause="", corr="", epoch=1, event=event)
        for n, event in enumerate(runner.events, start=1)
    ]


async def begun(runner: Runner) -> RunLedger:
    ledger = RunLedger(MemoryJournal(), Execution(NEW, runner.topology, items), 1, lambda: 1)
    await ledger.post(GraphStarted(run_id=NEW, name="random", graph=NO_BLOB, input=msgspec.Raw(b'"go"')))
    return ledger


async def finished(ledger: RunLedger) -> list[str]:
    """Do what is left to do; return the nodes that were done."""
    done: list[str] = []
    while not ledger.execution.is_quiet:
        one = ledger.execution.ready()[0]
        done.append(one.node)
        value = msgspec.Raw(msgspec.json.encode(result_of(one.node, one.value)))
        ready = StepReady(act_id=one.act_id, node=one.node, visit=one.visit, scope=one.scope)
        await ledger.post(ready, StepStarted(act_id=one.act_id, attempt=0))
        await ledger.post(StepFinished(act_id=one.act_id, status="ok", value=value))
    return done


@pytest.mark.parametrize("chunk", range(4))
async def test_a_fork_comes_to_the_same_and_does_only_what_depends_on_the_step(chunk: int) -> None:
    for seed in range(chunk * 100, chunk * 100 + 100):
        chance = random.Random(seed)
        runner = Runner(Builder().graph(random_program(seed)))
        result = runner.run(chance)
        nodes = [one.node for one in runner.execution.visited.values()]
        if not nodes:
            continue
        node = chance.choice(nodes)
        ledger = await begun(runner)
        old = Execution(runner.execution.run_id, runner.topology, items)

        taken = await take_over(records_of(runner), old, ledger, at_step(node))
        done = await finished(ledger)

        assert ledger.execution.result() == result, seed
        assert taken + len(done) == len(nodes), seed
        assert done.count(node) == nodes.count(node), seed


async def test_only_the_last_visit_is_done_anew_where_nothing_failed() -> None:
    for seed in range(100):
        runner = Runner(Builder().graph(random_program(seed)))
        result = runner.run(random.Random(seed))
        visits = list(runner.execution.visited.values())
        if not visits:
            continue
        last = visits[-1]
        ledger = await begun(runner)
        old = Execution(runner.execution.run_id, runner.topology, items)

        await take_over(records_of(runner), old, ledger, failed_at(last.node, runner.execution))
        done = await finished(ledger)

        assert ledger.execution.result() == result, seed
        scopes = {one.scope for one in visits if one.node == last.node}
        assert done.count(last.node) >= len(scopes), seed
