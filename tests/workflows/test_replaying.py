"""A run made again from its journal goes as it went, and what does not follow is named."""

from collections.abc import Callable

import pytest
from msgspec import Raw
from msgspec.structs import replace

from tests.workflows.driving_given import Given, Worker
from tests.workflows.programs import RUN
from yeaft.events.codec import Recorded
from yeaft.events.graph import GraphEnded, StepFinished, StepReady
from yeaft.workflows.graphs.executor.execution import Execution
from yeaft.workflows.graphs.executor.topology import Topology
from yeaft.workflows.graphs.expressions import evaluated
from yeaft.workflows.graphs.runs.replaying import divergence_of

BUSY = """
graph:
  limits: {max_parallel: 3}
  steps: [{id: list, agent: x, out: list}, {id: do, agent: x}, {id: watch, agent: x}, {id: sum, agent: x}]
  edges:
    - {from: start, to: [list, watch]}
    - {from: list, to: do, map: true, max_parallel: 2}
    - {from: do, to: sum, join: true}
    - {from: sum, to: sum, max_visits: 2}
    - {from: sum, to: end, else: true, delay: 1ms}
    - {from: watch, to: end}
"""
LINE = "graph:\n  steps: [{id: a, agent: x}, {id: b, agent: x}]\n"


async def driven(yaml: str) -> tuple[Given, list[Recorded]]:
    given = Given(yaml)
    await given.start()
    await given.driver(Worker()).drive()
    return given, given.events


def again(given: Given, records: list[Recorded]) -> tuple[str, int]:
    return divergence_of(Execution(RUN, Topology(given.graph), evaluated), records)


@pytest.mark.parametrize("yaml", [LINE, BUSY])
async def test_a_run_that_is_made_again_goes_as_it_went(yaml: str) -> None:
    given, records = await driven(yaml)

    assert isinstance(records[-1].event, GraphEnded)
    assert again(given, records) == ("", 0)


def at(records: list[Recorded], kind: type, number: int = 0) -> int:
    return [place for place, one in enumerate(records) if isinstance(one.event, kind)][number]


def other_result(records: list[Recorded]) -> None:
    place = at(records, GraphEnded)
    records[place] = replace(records[place], event=replace(records[place].event, value=Raw(b'"another"')))


def no_first_result(records: list[Recorded]) -> None:
    del records[at(records, StepFinished)]


def another_visit(records: list[Recorded]) -> None:
    place = at(records, StepReady, 1)
    records[place] = replace(records[place], event=replace(records[place].event, node="a"))


@pytest.mark.parametrize(
    ("change", "said", "kind"),
    [
        (other_result, "it ended with another result than its steps come to here", GraphEnded),
        (no_first_result, "step 'b' was begun, but what can be done here is: a", StepReady),
        (another_visit, "step 'a' was begun, but the same visit is one of 'b' here", StepReady),
    ],
)
async def test_the_first_event_that_does_not_follow_is_named_with_its_place(
    change: Callable[[list[Recorded]], None], said: str, kind: type
) -> None:
    given, records = await driven(LINE)
    change(records)

    divergence, seq = again(given, records)

    assert divergence == said
    assert isinstance(next(one for one in records if one.seq == seq).event, kind)


async def test_a_run_of_another_graph_does_not_follow() -> None:
    _, records = await driven(LINE)
    other = Given("graph:\n  steps: [{id: b, agent: x}, {id: a, agent: x}]\n")
    divergence, _ = again(other, records)

    assert divergence == "step 'a' was begun, but what can be done here is: b"
