"""A run is driven to its end, with failures, limits, stops and questions on the way."""

import asyncio
import contextlib

import msgspec
import pytest

from tests.workflows.driving_given import Given, Worker, run
from tests.workflows.programs import result_of
from yeaft.events.graph import GraphEnded, GraphSuspended, StepFinished
from yeaft.kernel.errors import Fenced
from yeaft.workflows.graphs.runs.doing import Done, Work


async def test_a_step_is_tried_again_as_often_as_it_may_and_every_attempt_is_paid() -> None:
    yaml = "graph:\n  steps: [{id: a, agent: x, retries: {max: 2}}]\n"
    twice, thrice = Given(yaml), Given(yaml)
    await twice.start()
    await thrice.start()

    mended, failed = await run(twice, Worker(fails={"a": 2})), await run(thrice, Worker(fails={"a": 3}))

    assert (mended.outcome, mended.cost_usd) == ("completed", 0.75)
    assert (failed.outcome, failed.error, failed.cost_usd) == ("failed", "Step 'a' failed: no", 0.75)


async def test_a_step_that_takes_too_long_is_stopped() -> None:
    given = Given("graph:\n  steps: [{id: a, agent: x, timeout: 5ms}]\n")
    await given.start()

    ended = await run(given, Worker(hangs=frozenset({"a"})))

    assert (ended.outcome, ended.error) == ("failed", "Step 'a' timed out: it took longer than 0.005 s")


async def test_a_cancelled_run_stops_what_is_under_way_and_ends_once() -> None:
    given, worker = Given("graph:\n  steps: [{id: a, agent: x}, {id: b, agent: x}]\n"), Worker(hangs=frozenset({"a"}))
    await given.start()
    driver = given.driver(worker)
    driving = asyncio.create_task(driver.drive())
    await worker.begun.wait()

    await driver.cancel("user", "changed my mind")

    ended = await driving
    assert ended is not None
    assert (ended.outcome, ended.error) == ("cancelled", "changed my mind")
    assert [one.event.status for one in given.events if isinstance(one.event, StepFinished)] == ["cancelled"]
    assert await given.driver(Worker()).drive() == ended


async def test_where_the_first_wins_the_others_are_stopped_and_the_run_ends() -> None:
    given = Given(
        "graph:\n  steps: [{id: a, agent: x}, {id: b, agent: x}]\n  joins: [{id: fast, inputs: [a, b], first: 1}]\n"
        "  edges: [{from: start, to: [a, b]}, {from: fast, to: end}]\n"
    )
    await given.start()

    ended = await run(given, Worker(hangs=frozenset({"a"})))

    assert (ended.outcome, msgspec.json.decode(ended.value)) == ("completed", result_of("b", "go")["by"])


async def test_a_run_that_needs_a_human_waits_and_goes_on_later() -> None:
    given = Given("graph:\n  steps: [{id: human, agent: x}, {id: b, agent: x}]\n")
    await given.start()
    driver = given.driver(Worker())

    assert await driver.drive() is None

    assert driver.asked == "May I?"
    assert not any(isinstance(one.event, GraphEnded) for one in given.events)


@pytest.mark.parametrize(("limits", "limit"), [("max_steps: 1", "steps"), ("cost: 0.2", "cost")])
async def test_a_limit_ends_a_run_with_the_best_there_was(limits: str, limit: str) -> None:
    given = Given(f"graph:\n  limits: {{{limits}}}\n  steps: [{{id: a, agent: x}}, {{id: b, agent: x}}]\n")
    await given.start()

    ended = await run(given, Worker())

    assert (ended.outcome, ended.limit) == ("limit", limit)
    assert msgspec.json.decode(ended.value) == result_of("a", "go")["by"]


async def test_a_mistake_in_what_does_a_step_fails_the_step_and_leaves_the_others_alone() -> None:
    given = Given(
        "graph:\n  steps: [{id: a, agent: x, on_error: skip}, {id: b, agent: x}]\n"
        "  edges: [{from: start, to: [a, b]}, {from: [a, b], to: end, partial: true}]\n"
    )
    await given.start()

    ended = await run(given, Worker(breaks=frozenset({"a"})))

    assert ended.outcome == "completed"
    assert [(one.status, one.error) for one in given.of(StepFinished)] == [("failed", "a mistake"), ("ok", "")]


async def test_what_a_stopped_step_has_cost_is_counted() -> None:
    given = Given(
        "graph:\n  steps: [{id: a, agent: x}, {id: b, agent: x}]\n  joins: [{id: fast, inputs: [a, b], first: 1}]\n"
        "  edges: [{from: start, to: [a, b]}, {from: fast, to: end}]\n"
    )
    late = Given("graph:\n  steps: [{id: a, agent: x, timeout: 5ms, retries: {max: 1}}]\n")
    await given.start()
    await late.start()

    ended, timed = await run(given, Worker(hangs=frozenset({"a"}))), await run(late, Worker(hangs=frozenset({"a"})))

    assert (ended.cost_usd, ended.usage.output) == (0.375, 7)
    assert (timed.cost_usd, timed.usage.output) == (0.25, 14)


async def test_what_is_detached_is_stopped_and_recorded_at_the_end_if_so_wished() -> None:
    given = Given(
        "graph:\n  on_end: cancel\n  steps: [{id: a, agent: x}, {id: aside, agent: x}]\n"
        "  edges: [{from: start, to: a}, {from: start, to: aside, async: true}, {from: a, to: end}]\n"
    )
    await given.start()

    ended = await run(given, Worker(hangs=frozenset({"aside"})))

    assert (ended.outcome, ended.cost_usd) == ("completed", 0.375)
    assert sorted(one.status for one in given.of(StepFinished)) == ["cancelled", "ok"]


async def test_a_run_that_asks_and_is_cancelled_or_fails_ends_all_the_same() -> None:
    yaml = (
        "graph:\n  steps: [{id: human, agent: x}, {id: b, agent: x}]\n"
        "  edges: [{from: start, to: [human, b]}, {from: [human, b], to: end, partial: true}]\n"
    )
    failing, cancelled = Given(yaml), Given(yaml)
    await failing.start()
    await cancelled.start()

    failed = await run(failing, Worker(fails={"b": 1}))
    driver = cancelled.driver(Worker())
    assert await driver.drive() is None
    await driver.cancel("user", "never mind")
    ended = await driver.drive()

    assert (failed.outcome, failed.error) == ("failed", "Step 'b' failed: no")
    assert ended is not None
    assert (ended.outcome, ended.error) == ("cancelled", "never mind")
    assert sorted(one.status for one in cancelled.of(StepFinished)) == ["cancelled", "ok"]


async def test_steps_that_ran_beside_one_that_asks_are_finished_and_not_done_again() -> None:
    given, free = (
        Given(
            "graph:\n  steps: [{id: human, agent: x}, {id: b, agent: x}]\n  edges:\n"
            "    - {from: start, to: [human, b]}\n    - {from: [human, b], to: end, partial: true}\n"
        ),
        asyncio.Event(),
    )
    await given.start()
    first = Worker(hangs=frozenset({"b"}), free=free)
    driving = asyncio.create_task(given.driver(first).drive())
    await first.begun.wait()

    free.set()

    assert await driving is None
    assert [one.asked for one in given.of(GraphSuspended)] == ["May I?"]
    second = Worker()
    assert await given.driver(second).drive() is None
    assert (first.done.total(), second.done.total()) == (1, 0)


class Doubtful(Worker):
    """Does not know what became of what it did."""

    async def do(self, work: Work) -> Done:
        self.tried[work.act.act_id, work.attempt] += 1
        return Done(status="failed", error="who knows", may_have_happened=True)


async def test_what_may_have_happened_is_not_tried_again() -> None:
    given, worker = Given("graph:\n  steps: [{id: a, agent: x, retries: {max: 3}}]\n"), Doubtful()
    await given.start()

    ended = await run(given, worker)

    assert (ended.outcome, ended.error, worker.tried.total()) == ("failed", "Step 'a' failed: who knows", 1)


class Stubborn(Worker):
    """Gives its result in spite of being stopped."""

    async def do(self, work: Work) -> Done:
        self.begun.set()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return Done(value=f"late {work.act.node}", cost_usd=0.5)


async def test_a_result_that_comes_after_the_end_was_asked_for_is_recorded_and_begins_nothing() -> None:
    given, worker = Given("graph:\n  steps: [{id: a, agent: x}, {id: b, agent: x}]\n"), Stubborn()
    await given.start()
    driver = given.driver(worker)
    driving = asyncio.create_task(driver.drive())
    await worker.begun.wait()

    await driver.cancel("user", "enough")

    ended = await driving
    assert ended is not None
    assert (ended.outcome, ended.cost_usd, ended.steps) == ("cancelled", 0.5, 1)
    assert [(one.status, bytes(one.value)) for one in given.of(StepFinished)] == [("ok", b'"late a"')]


async def test_a_deadline_that_passed_while_nobody_drove_ends_the_run_at_once() -> None:
    given = Given("graph:\n  steps: [{id: a, agent: x}, {id: b, agent: x}]\n")
    await given.start(deadline_ms=1)
    worker = Worker()

    ended = await run(given, worker)

    assert (ended.outcome, ended.limit, worker.done.total()) == ("limit", "minutes", 0)


async def test_a_failure_ends_what_only_waits_to_be_tried_again() -> None:
    given = Given(
        "graph:\n  steps: [{id: a, agent: x, retries: {max: 1, delay: 1h}}, {id: b, agent: x}, {id: c, agent: x}]\n"
        "  edges: [{from: start, to: [a, b]}, {from: b, to: c}, {from: [a, c], to: end, partial: true}]\n"
    )
    await given.start()

    ended = await run(given, Worker(fails={"a": 1, "c": 1}))

    assert (ended.outcome, ended.error, ended.cost_usd) == ("failed", "Step 'c' failed: no", 0.75)
    assert [one.status for one in given.of(StepFinished)] == ["ok", "failed", "cancelled"]


async def test_a_run_that_only_kills_its_owners_is_given_up() -> None:
    given = Given("graph:\n  steps: [{id: a, agent: x}]\n")
    await given.start()
    for _ in range(6):
        worker = Worker(hangs=frozenset({"a"}))
        driving = asyncio.create_task(given.driver(worker).drive())
        await worker.begun.wait()
        given = await given.cut(len(given.events))  # that owner is gone; nothing is heard of it any more
        driving.cancel()
        await asyncio.wait([driving])

    ended = await run(given, Worker(hangs=frozenset({"a"})))

    assert (ended.outcome, ended.error[:6]) == ("failed", "poison")
    assert [one.status for one in given.of(StepFinished)] == ["cancelled"]


async def test_an_owner_that_leaves_in_good_order_does_the_run_no_harm() -> None:
    given = Given("graph:\n  steps: [{id: a, agent: x}]\n")
    await given.start()
    for _ in range(9):
        worker = Worker(hangs=frozenset({"a"}))
        driving = asyncio.create_task(given.driver(worker).drive())
        await worker.begun.wait()
        driving.cancel()
        await asyncio.wait([driving])

    assert (await run(given, Worker())).outcome == "completed"


async def test_an_owner_whose_run_was_taken_over_ends_with_a_sentence_and_writes_nothing() -> None:
    given, free = Given("graph:\n  steps: [{id: a, agent: x}, {id: b, agent: x}]\n"), asyncio.Event()
    await given.start()
    old = Worker(hangs=frozenset({"a"}), free=free)
    driving = asyncio.create_task(given.driver(old).drive())
    await old.begun.wait()

    ended = await run(given, Worker())
    before = given.events
    free.set()

    with pytest.raises(Fenced, match="belongs to a newer owner"):
        await driving
    assert (ended.outcome, given.events) == ("completed", before)


async def test_no_more_steps_are_begun_at_once_than_may_be_taken() -> None:
    steps = ", ".join(f"{{id: s{number}, agent: x}}" for number in range(5))
    edges = "{from: start, to: [s0, s1, s2, s3, s4]}, {from: [s0, s1, s2, s3, s4], to: end}"
    given = Given(f"graph:\n  limits: {{max_steps: 2}}\n  steps: [{steps}]\n  edges: [{edges}]\n")
    await given.start()

    ended = await run(given, Worker())

    assert (ended.outcome, ended.limit, ended.steps) == ("limit", "steps", 2)


async def test_a_result_and_the_beginning_of_what_it_leads_to_are_one_commit() -> None:
    given = Given(
        "graph:\n  steps: [{id: a, agent: x}, {id: b, agent: x}, {id: c, agent: x}]\n"
        "  edges: [{from: start, to: a}, {from: a, to: [b, c]}, {from: [b, c], to: end}]\n"
    )
    await given.start()

    await run(given, Worker())

    begins = ["step.ready", "step.started"]
    assert given.journal.ticks == [
        ["graph.started"],
        ["graph.claimed"],
        begins,
        ["step.finished", *begins, *begins],
        ["step.finished", "step.finished"],
        ["graph.ended"],
    ]


async def test_what_was_recorded_to_begin_when_its_owner_left_is_begun_by_the_next() -> None:
    given, old = Given("graph:\n  steps: [{id: a, agent: x}, {id: b, agent: x}]\n"), Worker()
    await given.start()
    driving = asyncio.create_task(given.driver(old).drive())
    await given.journal.taken(["step.finished", "step.ready", "step.started"])
    driving.cancel()
    await asyncio.wait([driving])
    assert (len(old.done), given.events[-1].type) == (1, "graph.suspended")

    ended = await run(given, new := Worker())

    assert (ended.outcome, ended.steps, len(new.done)) == ("completed", 2, 1)
    assert set(old.done).isdisjoint(new.done)
