"""All patterns as a Python program runs them, with functions of its own that gate, compare and accept."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands_given import Given, scripted_model
from tests.cli.test_flow_command import END, SCRIPT, hands, line, says

JURY = ("reviewer", "guardian", "researcher")
LINES = [
    line("builder", "COUNT", hands({"answer": "7 files", "reason": ""}), END, order="round"),
    line("skeptic", "COUNT", hands({"answer": "7", "reason": ""}), END, order="round"),
    line("tester", "COUNT", hands({"answer": "eight", "reason": ""}), END, order="round"),
    *(line(vp, "OPEN", hands({"answer": "for", "reason": "r"}), END, order="round") for vp in JURY),
    line("", "OPEN", says("a reason"), order="round"),
    line("writer", "LONG", says("far too long"), order="round"),
]

HELPERS = """
def number_of(answer):
    return answer.split()[0]


def is_short(text):
    return len(text) < 10


def has_one_issue(review):
    return len(review["issues"]) == 1
"""

PROGRAM = """
import asyncio
from functools import partial
from helpers import has_one_issue, is_short, number_of
from yeaft import flows
from yeaft.kernel.errors import UsageError


def anything(value):
    return bool(value)


async def ran(flow, task, **more):
    result = await (await flow(task, **more)).result()
    print(flow.name, result.outcome, result.text.splitlines(), result.error.splitlines()[:1])
    return result


async def main():
    await ran(flows.chain("builder", "skeptic", gate=anything), "DO it")
    await ran(flows.chain("writer", "skeptic", gate=is_short), "LONG it")
    await ran(flows.route({"bug": "builder"}, "skeptic"), "DO the bug")
    await ran(flows.parallel(["builder", "skeptic"], merge="writer"), "DO it TOGETHER")
    await ran(flows.vote("builder", "skeptic", "tester", key=number_of), "COUNT it")
    early = await ran(flows.vote("builder", "skeptic", "tester", key=number_of, stop="majority", max_parallel=1), "COUNT it")
    print(sorted(early.outputs))
    await ran(flows.map("builder", ["one"]), "DO it")
    await ran(flows.critic("writer", "skeptic", accept=has_one_issue), "it gets WORSE")
    await ran(flows.test_repair("builder", "grep -c 7 notes.txt"), "DO it")
    await ran(flows.plan("architect", ["builder", "tester"]), "PLAN it")
    await ran(flows.supervise("operator", ["builder", "tester"]), "LEAD it")
    await ran(flows.cite("researcher"), "WHERE is it")
    await ran(flows.debate(pro="writer"), "OPEN it")
    for wrong in (lambda value: value, partial(print)):
        try:
            flows.chain("a", "b", gate=wrong)
        except UsageError as error:
            print(error)


if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    script = {"lines": [*LINES, *SCRIPT["lines"]]}
    with scripted_model(tmp_path_factory.mktemp("scripted"), script) as url:
        yield url


def test_a_program_runs_every_pattern_with_functions_of_its_own(tmp_path: Path, url: str) -> None:
    given = Given(tmp_path, url)
    (given.folder / "notes.txt").write_text("no\nthe answer is 7\n", encoding="utf-8")
    place = tmp_path / "elsewhere"
    place.mkdir()
    (place / "helpers.py").write_text(HELPERS, encoding="utf-8")
    (place / "program.py").write_text(PROGRAM, encoding="utf-8")

    printed = given.prints(place / "program.py")

    counted = ["7 files", "", "2 of 3 agree.", "- @builder: 7 files", "- @skeptic: 7", "- @tester: eight"]
    early = ["7 files", "", "2 of 2 agree. The other 1 could change nothing, and were stopped.", *counted[3:5]]
    plan = ["## A (@builder)", "", "A done", "", "## B (@tester)", "", "B done", "", "## C (@builder)", "", "C done"]
    assert printed == [
        "chain completed ['done by one'] []",
        "chain failed ['far too long'] ['The gate did not let through what writer gave:']",
        "route completed ['done by one'] []",
        "parallel completed ['put together'] []",
        f"vote completed {counted} []",
        f"vote completed {early} []",
        "['builder', 'builder key', 'count', 'skeptic', 'skeptic key']",
        "map completed ['## one', '', 'done by one'] []",
        "critic completed ['good'] []",
        "test-repair completed ['done by one', '', '`grep -c 7 notes.txt` succeeds, try 1.'] []",
        f"plan completed {plan} []",
        "supervise completed ['All of it.'] []",
        "cite completed ['It is 7.', '', '- notes.txt:2: answer is 7'] []",
        f"debate completed {['for', '', '3 of 3 agree.', *(f'- @{vp}: for' for vp in JURY)]} []",
        *(
            f"gate={name} cannot be found again by its name, which a run needs that is gone on with later. "
            "Give a function that stands at the top of a module."
            for name in ("<lambda>", "partial")
        ),
    ]


RAISED = """
import asyncio
from yeaft import flows
from yeaft.kernel.errors import UsageError


async def main():
    handle = await flows.chain("builder", "skeptic", tokens=1)("DO it")
    spent = await handle.result()
    print(spent.outcome, spent.limit, list(spent.outputs))
    for ways in ((handle.retry, "skeptic"), (handle.fork, "skeptic")):
        more = await (await ways[0](ways[1], limits={"tokens": 100_000, "minutes": 5})).result()
        print(more.outcome, list(more.outputs), more.usage.sent > spent.usage.sent)
    for wrong in ({"tokens": 0}, {"rounds": 3}):
        try:
            await handle.retry("skeptic", limits=wrong)
        except (UsageError, TypeError) as error:
            print(error)


asyncio.run(main())
"""


def test_a_program_goes_on_with_more_than_a_run_was_given(tmp_path: Path, url: str) -> None:
    given = Given(tmp_path, url)
    (given.folder / "program.py").write_text(RAISED, encoding="utf-8")

    assert given.prints(given.folder / "program.py") == [
        "limit tokens ['builder']",
        "completed ['builder', 'skeptic'] True",
        "completed ['builder', 'skeptic'] True",
        "limits: tokens must be a whole number above 0, not 0.",
        "limits takes no 'rounds'",
    ]
