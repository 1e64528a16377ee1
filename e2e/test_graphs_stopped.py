"""What a run of a graph says while it waits for its model, and when a signal stops it."""

import json
import os
import signal

import pytest

from e2e.conftest import Serve
from e2e.given import Yeaft
from e2e.graphs_given import held, put, runs
from yeaft.llm.scripted.script import Fails, Line, Says, Script

BUSY = Script(lines=(Line(steps=(Fails(status=429, retry_after="0.1"), Says(text="at last"))),))
ONE = "graph: {steps: [{id: only, agent: omni}]}\n"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
async def test_the_result_of_a_run_that_a_signal_stops_has_the_code_of_its_process(
    yeaft: Yeaft, serve: Serve, number: signal.Signals, code: int
) -> None:
    for how in ("json", "stream-json"):
        process, _ = await held(yeaft, serve, "--output-format", how)

        os.killpg(process.pid, number)
        ran = await yeaft.ended(process)

        assert (ran.code, ran.result["exit_code"], ran.result["outcome"]) == (code, code, "cancelled")


async def test_a_step_that_waits_to_ask_its_model_again_says_why_and_how_long(yeaft: Yeaft, serve: Serve) -> None:
    put(yeaft, ONE)

    await serve(BUSY)
    ran = await yeaft.run("graph", "run", "g.yaml", "tea")
    await serve(BUSY)
    quiet = await yeaft.run("graph", "run", "g.yaml", "tea", "-q")

    assert (ran.code, ran.out) == (quiet.code, quiet.out) == (0, b"at last\n")
    assert "only: @omni: the provider asks to wait; trying again in " in ran.err
    assert quiet.err == ""


async def test_a_run_that_was_cancelled_says_how_it_goes_on_from_there(yeaft: Yeaft, serve: Serve) -> None:
    process, server = await held(yeaft, serve)

    os.killpg(process.pid, signal.SIGINT)
    ran = await yeaft.ended(process)

    (row,) = runs(yeaft)
    command = f"graph retry {row['id'][:10]} write"
    assert f"To go on from there: yeaft {command}" in ran.err
    again = await yeaft.start(*command.split(), "--json")
    await server.reached("g")
    server.release("g")
    done = await yeaft.ended(again)
    assert (done.code, json.loads(done.out)["text"]) == (0, "never")
