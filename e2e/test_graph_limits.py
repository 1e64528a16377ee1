"""Runs of graphs that ended at a limit go on with more, by the command that was told, and nothing is done twice."""

import json
import shlex

import pytest

from e2e.conftest import Serve
from e2e.given import Ran, Yeaft
from e2e.graphs_given import ANSWERS, CHAIN, put, runs
from e2e.test_cost import dollars, priced
from e2e.typist import Typist
from yeaft.llm.scripted.script import Holds, Line, Says, Script
from yeaft.workflows.graphs.runs.known_runs import short

LOOP = """
graph:
  name: loop
  limits: {max_steps: 3}
  steps:
    - {id: write, agent: omni, prompt: "Write {{ visit }}"}
    - {id: judge, agent: skeptic, prompt: "Judge {{ input }}"}
  edges:
    - {from: start, to: write}
    - {from: write, to: judge}
    - {from: judge, to: write, max_visits: 2}
"""


RACE = """
graph:
  name: race
  limits: {tokens: 100}
  steps:
    - {id: slow, agent: omni, prompt: "Gather: {{ input }}"}
    - {id: quick, agent: skeptic, prompt: "Write from {{ input }}"}
    - {id: last, agent: omni, prompt: "Gather: {{ input }}"}
  joins:
    - {id: winner, inputs: [slow, quick], first: 1}
  edges:
    - {from: start, to: [slow, quick]}
    - {from: winner, to: last}
"""


def told(ran: Ran) -> list[str]:
    """Return the command that was told as the way on."""
    line = next(line for line in ran.err.splitlines() if line.startswith("To go on with more: "))
    name, *words = shlex.split(line.partition(": ")[2])
    assert name == "yeaft"
    return words


@pytest.mark.parametrize(
    ("limit", "named"),
    [
        (("--max-cost", "0.5"), ["--max-cost", "2.00"]),
        (("--max-tokens", "900"), ["--max-tokens", "2000"]),
        (("--max-steps", "1"), ["--max-steps", "2"]),
    ],
)
async def test_a_run_at_its_limit_goes_on_by_the_command_that_it_tells(
    yeaft: Yeaft, serve: Serve, limit: tuple[str, str], named: list[str]
) -> None:
    steps = (dollars("three facts", 1), dollars("A report.", 1))
    lines = [Line(when=when, steps=(step,)) for when, step in zip(("Gather:", "Write from"), steps, strict=True)]
    server = await serve(Script(lines=tuple(lines)))
    priced(yeaft, server.base_url)
    put(yeaft, CHAIN)

    stopped = await yeaft.run("graph", "run", "g.yaml", "tea", "-y", *limit)
    (row,) = runs(yeaft)
    ran = await yeaft.run(*told(stopped), "--json")

    assert (stopped.code, stopped.out) == (4, b"three facts\n")
    assert told(stopped) == ["graph", "retry", short(row["id"]), "write", *named]
    assert (ran.code, ran.result["text"], ran.result["cost"]) == (0, "A report.", 2.0), ran.err
    assert len(server.requests) == 2


async def test_what_was_taken_over_counts_against_a_raised_limit_and_is_in_the_amount_told(
    yeaft: Yeaft, serve: Serve
) -> None:
    server = await serve(
        Script(
            lines=(
                Line(when="Gather:", steps=(dollars("three facts", 3),)),
                Line(when="Write from", steps=(dollars("A report.", 1),)),
            )
        )
    )
    priced(yeaft, server.base_url)
    put(yeaft, CHAIN)
    await yeaft.run("graph", "run", "g.yaml", "tea", "-y", "--max-cost", "1")

    again = await yeaft.run("graph", "retry", "last", "write", "--max-cost", "2")
    forked = await yeaft.run("graph", "fork", "last", "--at", "write", "--max-cost", "3.5", "--max-parallel", "1")

    assert (again.code, told(again)[-2:]) == (4, ["--max-cost", "6.00"])
    assert (forked.code, forked.out) == (0, b"A report.\n"), forked.err
    assert len(server.requests) == 2


async def test_a_time_that_was_too_short_is_given_anew(yeaft: Yeaft, serve: Serve) -> None:
    await serve(Script(fallback=Holds(of=Says(text="never"), after_events=0, gate="never")))
    put(yeaft, CHAIN.replace("report\n", "report\n  limits: {minutes: 0.02}\n"))

    stopped = await yeaft.run("graph", "run", "g.yaml", "tea")
    server = await serve(ANSWERS)
    ran = await yeaft.run(*told(stopped)[:-1], "10m")

    assert (stopped.code, told(stopped)[2:]) == (4, [short(runs(yeaft)[-1]["id"]), "gather", "--timeout", "2.4s"])
    assert (ran.code, ran.out) == (0, b"A report of three facts.\n"), ran.err
    assert len(server.requests) == 2


async def test_a_loop_that_ended_at_a_limit_goes_on_without_doing_its_last_round_again(
    yeaft: Yeaft, serve: Serve
) -> None:
    server = await serve(Script(lines=(Line(steps=(Says(text="again"),), repeat=True),)))
    put(yeaft, LOOP)

    stopped = await yeaft.run("graph", "run", "g.yaml")
    ran = await yeaft.run(*told(stopped), "-q")

    assert told(stopped)[3:] == ["judge", "--max-steps", "6"]
    assert ran.code == 0, ran.err
    said = [json.dumps(request.body) for request in server.requests]
    assert ["Write 2" in one for one in said].count(True) == 1
    assert len(said) == 6


async def test_what_others_were_faster_than_is_not_what_a_limit_kept_back(yeaft: Yeaft, serve: Serve) -> None:
    held = Line(when="Gather: tea", steps=(Holds(of=Says(text="never"), after_events=0, gate="never"),), repeat=True)
    server = await serve(Script(lines=(held, *ANSWERS.lines)))
    put(yeaft, RACE)

    stopped = await yeaft.run("graph", "run", "g.yaml", "tea")
    ran = await yeaft.run(*told(stopped), "-q")

    assert told(stopped)[3:5] == ["last", "--max-tokens"]
    assert (ran.code, ran.out) == (0, b"three facts\n"), ran.err
    assert sum("Write from" in str(one.body["input"]) for one in server.requests) == 1


async def test_a_limit_of_money_is_refused_where_no_price_is_known(yeaft: Yeaft, serve: Serve) -> None:
    await serve(ANSWERS)
    put(yeaft, CHAIN)
    await yeaft.run("graph", "run", "g.yaml", "tea", "--max-steps", "1")

    ran = await yeaft.run("graph", "retry", "last", "write", "--max-cost", "1")

    assert (ran.code, ran.out) == (78, b"")
    assert "price" in ran.err
    assert len(runs(yeaft)) == 1


async def test_a_conversation_hears_the_order_that_goes_on_with_more_and_takes_it(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(ANSWERS)
    put(yeaft, CHAIN.replace("report\n", "report\n  limits: {max_steps: 1}\n"))
    user = Typist(yeaft, "--line")

    await user.sees("yeaft>")
    user.types("/graph g.yaml tea")
    shown = await user.sees(" write --max-steps 2 goes on with more")
    order = f"/runs retry {shown.rpartition('/runs retry ')[2]} write"
    user.types(f"{order} --max-stops 2")
    await user.sees("Did you mean --max-steps?")
    user.types(f"{order} --max-steps 2")
    await user.sees("graph report completed")
    user.types("/quit")

    assert await user.leaves() == 0
    assert len(server.requests) == 2
