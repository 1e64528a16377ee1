"""A run is cut off before any append and gone on with by another process: it comes to the same, nothing is done twice."""

import random
from collections import Counter

import msgspec
import pytest
from hypothesis import given as given_that
from hypothesis import settings
from hypothesis import strategies as st

from tests.workflows.driving_given import Given, Worker, run
from tests.workflows.programs import Builder, random_program, result_of
from yeaft.events.graph import EdgeClosed, GraphClaimed, GraphEnded, StepFinished, StepReady, StepStarted, TimerSet

BUSY = """
graph:
  limits: {max_parallel: 3}
  steps:
    - {id: list, agent: x, out: list}
    - {id: do, agent: x, retries: {max: 1, delay: 3ms}}
    - {id: watch, agent: x}
    - {id: sum, agent: x}
    - {id: check, agent: x}
    - {id: last, agent: x}
  edges:
    - {from: start, to: [list, watch]}
    - {from: list, to: do, map: true, max_parallel: 2}
    - {from: do, to: sum, join: true}
    - {from: sum, to: check}
    - {from: check, to: sum, condition: {type: expr, expr: 1 == 1}, max_visits: 1}
    - {from: check, to: last, else: true, delay: 30ms}
    - {from: [last, watch], to: end, partial: true}
"""
TROUBLED = """
graph:
  steps:
    - {id: bad, agent: x, retries: {max: 2, delay: 2ms}, on_error: route:mend}
    - {id: mend, agent: x}
    - {id: round, agent: x}
    - {id: aside, agent: x}
    - {id: lax, agent: x, on_error: continue}
    - {id: last, agent: x}
  edges:
    - {from: start, to: [bad, round, lax]}
    - {from: bad, to: last}
    - {from: mend, to: end}
    - {from: round, to: round, stop_condition: {type: count, max: 2}, max_visits: 5}
    - {from: round, to: aside, async: true}
    - {from: lax, to: end, delay: 10ms}
    - {from: last, to: end}
"""
FAILING = """
graph:
  steps:
    - {id: one, agent: x}
    - {id: two, agent: x, retries: {max: 3, delay: 1h}}
    - {id: bad, agent: x}
    - {id: late, agent: x}
  edges:
    - {from: start, to: [one, two, bad]}
    - {from: one, to: late, delay: 1h}
    - {from: [two, bad], to: end, partial: true}
    - {from: late, to: end}
"""
CASES = {
    "busy": (BUSY, {"do": 1}, "completed"),
    "troubled": (TROUBLED, {"bad": 9, "lax": 9}, "completed"),
    "failing": (FAILING, {"bad": 9, "two": 9}, "failed"),
}


async def check_cut(whole: Given, ended: GraphEnded, fails: dict[str, int], end: int) -> None:
    """Let another process go on after event `end`, and compare."""
    again, other = await whole.cut(end), Worker(fails=fails)
    before = whole.events[:end]

    after = await run(again, other)

    assert (after.outcome, after.error, after.value) == (ended.outcome, ended.error, ended.value), end
    exactly = ended.outcome == "completed"  # else it depends on what was under way when it failed
    if exactly:
        assert (after, again.acts()) == (ended, whole.acts()), end
    for kind in (StepReady, StepFinished, StepStarted, TimerSet, EdgeClosed):
        found = [one.id for one in again.events if isinstance(one.event, kind)]
        assert len(found) == len(set(found)), (end, kind)
        same = set(found) == {one.id for one in whole.events if isinstance(one.event, kind)}
        assert same or not exactly, (end, kind)
    finished = {one.event.act_id for one in before if isinstance(one.event, StepFinished)}
    given_up = {
        (one.event.act_id, attempt)
        for one in before
        if isinstance(one.event, StepStarted)
        for attempt in range(one.event.attempt)
    }
    assert finished.isdisjoint(other.done), end
    assert given_up.isdisjoint(other.tried), end
    assert max(other.tried.values(), default=0) <= 1, end
    due = {one.event.timer_id: one.event.due_ms for one in before if isinstance(one.event, TimerSet)}
    assert {one.timer_id: one.due_ms for one in again.of(TimerSet)}.items() >= due.items(), end


@pytest.mark.parametrize("case", CASES)
async def test_a_run_cut_off_before_any_append_comes_to_the_same_and_does_nothing_twice(case: str) -> None:
    yaml, fails, outcome = CASES[case]
    whole = Given(yaml)
    await whole.start()
    ended = await run(whole, Worker(fails=fails))
    assert ended.outcome == outcome

    for end in whole.journal.ends[:-1]:
        await check_cut(whole, ended, fails, end)


@settings(max_examples=60)
@given_that(seed=st.integers(0, 1_000_000))
async def test_random_graphs_with_failing_steps_survive_a_crash_before_any_append(seed: int) -> None:
    program, chance = random_program(seed), random.Random(seed)
    graph = Builder().graph(program)
    steps = tuple(
        msgspec.structs.replace(step, retries=msgspec.structs.replace(step.retries, max=2)) for step in graph.steps
    )
    fails = {step.id: 1 for step in steps if chance.random() < 0.2}
    whole = Given(msgspec.structs.replace(graph, steps=steps))
    await whole.start()
    ended = await run(whole, Worker(fails=fails))

    for end in chance.sample(whole.journal.ends[:-1], min(4, len(whole.journal.ends) - 1)):
        await check_cut(whole, ended, fails, end)


FIRST = """
graph:
  steps: [{id: a, agent: x}, {id: b, agent: x}, {id: c, agent: x}]
  joins: [{id: fast, inputs: [a, b], first: 1}]
  edges: [{from: start, to: [a, b]}, {from: fast, to: c}, {from: c, to: end}]
"""


async def test_where_the_first_wins_a_crash_lets_one_win_and_ends_the_others() -> None:
    whole = Given(FIRST)
    await whole.start()
    await run(whole, Worker(hangs=frozenset({"a"})))
    values = {msgspec.json.encode(result_of("c", result_of(one, "go")["by"])["by"]) for one in "ab"}

    for end in whole.journal.ends[:-1]:
        again = await whole.cut(end)

        ended = await run(again, Worker(hangs=frozenset({"b"})))

        assert (ended.outcome, bytes(ended.value) in values) == ("completed", True), end
        statuses = Counter(again.acts().values())
        assert (statuses["ok"] + statuses["cancelled"], set(statuses)) == (3, set(statuses) & {"ok", "cancelled"})


async def test_a_cancelled_run_ends_the_same_wherever_its_process_died() -> None:
    whole, worker = Given(FIRST), Worker(hangs=frozenset({"a", "b"}))
    await whole.start()
    driver = whole.driver(worker)
    await driver.cancel("user", "enough")
    await driver.drive()

    for end in whole.journal.ends[:-1]:
        again, other = await whole.cut(end), Worker()
        if not any(one.type == "graph.cancelled" for one in whole.events[:end]):
            continue

        ended = await run(again, other)

        assert (ended.outcome, ended.error, other.tried) == ("cancelled", "enough", Counter())


async def test_the_owner_after_the_owner_is_recorded_and_one_in_the_same_process_is_not() -> None:
    whole = Given(BUSY)
    await whole.start()
    ledger = whole.ledger()
    await whole.cut(1)

    again = await whole.cut(len(whole.events))
    await run(again, Worker())

    assert ledger.is_inherited
    assert len(again.of(GraphClaimed)) == 1
    assert await again.driver(Worker()).drive() == again.of(GraphEnded)[0]
    assert len(again.of(GraphClaimed)) == 1
