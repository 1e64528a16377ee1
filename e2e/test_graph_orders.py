"""Graphs in a conversation: run beside it, asked about in it, listed."""

import json
import signal

import pytest

from e2e.conftest import Serve
from e2e.given import Yeaft
from e2e.graphs_given import ANSWERS, ASKING, CHAIN, put
from e2e.typist import Typist
from yeaft.llm.scripted.script import Calls, Holds, Line, Says, Script, ScriptedCall


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
async def test_a_graph_asks_and_answers_within_the_conversation(yeaft: Yeaft, serve: Serve, term: str) -> None:
    await serve(ANSWERS)
    put(yeaft, ASKING)
    user = Typist(yeaft, "--line", term=term)

    await user.sees("yeaft>")
    user.types("/graph g.yaml tea")
    await user.sees("offer · ok asks: Send three facts?")
    await user.sees("answer>")
    user.types("y")
    await user.sees("2. Bob")
    await user.sees("answer>")
    user.types("2")
    await user.sees("A report of three facts.")
    user.types("/graphs")
    await user.sees("completed  offer")
    user.types("/graph nothing.yaml")
    await user.sees("There is no file")
    user.types("/quit")

    assert await user.leaves() == 0
    rows = json.loads(yeaft.here("graph", "ls", "--json").out)
    assert [(row["state"], row["steps"]) for row in rows] == [("completed", 4)]
    shown = await yeaft.run("session", "show", "last")
    assert shown.code == 0
    assert f"{rows[0]['id']}  offer: completed, 4 steps done" in shown.out.decode()


async def test_ctrl_c_lets_a_run_stand_still_in_line_mode_and_an_order_goes_on_with_it(
    yeaft: Yeaft, serve: Serve
) -> None:
    held = Line(when="Write from", steps=(Holds(of=Says(text="A report."), after_events=0, gate="write"),), repeat=True)
    server = await serve(Script(lines=(ANSWERS.lines[0], held)))
    put(yeaft, CHAIN)
    user = Typist(yeaft, "--line")
    await user.sees("yeaft>")
    user.types("/graph g.yaml tea")
    await user.sees("✓ gather  @omni")
    await server.reached("write")

    user.presses("c")
    await user.sees("graph report stands still")
    server.release("write")
    run_id = json.loads(yeaft.here("graph", "ls", "--json").out)[0]["id"]
    user.types(f"/runs resume {run_id[:12]}")
    await user.sees("graph report completed")
    user.types(f"/runs {run_id}")
    await user.sees("= completed")
    user.types("/runs retry r_zzz")
    await user.sees("This is meant")
    user.types("/quit")

    assert await user.leaves() == 0
    assert sum("Gather:" in str(one.body["input"]) for one in server.requests) == 1


async def test_a_script_of_lines_waits_for_its_graph(yeaft: Yeaft, serve: Serve) -> None:
    await serve(ANSWERS)
    put(yeaft, CHAIN)

    ran = await yeaft.run("--line", given=b"/graph g.yaml tea\n/graphs\n")

    assert ran.code == 0, ran
    out = ran.out.decode()
    assert out.index("A report of three facts.") < out.index("/runs shows its steps") < out.index("completed  report")


@pytest.mark.parametrize("how", ["an order", "an answer"])
async def test_a_run_whose_process_was_killed_is_told_and_gone_on_with_in_line_mode(
    yeaft: Yeaft, serve: Serve, how: str
) -> None:
    writes = Calls(calls=(ScriptedCall(tool="FileWrite", id="w1", args={"file_path": "a.txt", "content": "x\n"}),))
    gathers = Line(when="Gather:", steps=(writes, Says(text="three facts")))
    await serve(Script(lines=(gathers, ANSWERS.lines[1])))
    put(yeaft, CHAIN)
    first = Typist(yeaft, "--line")
    await first.sees("yeaft>")
    first.types("/graph g.yaml tea")
    await first.sees("? in report · gather:")
    await first.sees("answer>")
    first.ends(signal.SIGKILL)

    second = Typist(yeaft, "--line", "-c")
    await second.sees("graphs were run, the newest first: report (stands still). /runs shows them.")
    await second.sees("of graph report has not ended")
    await second.sees("? in report · gather:")
    await second.sees("answer>")
    if how == "an order":
        second.types("/runs resume last")
        await second.sees("? in report · gather:")
        await second.sees("answer>")
    second.types("y")
    await second.sees("graph report completed")
    second.types("/quit")

    assert await second.leaves() == 0
    assert (yeaft.folder / "a.txt").read_text() == "x\n"


async def test_a_run_of_a_session_that_is_open_elsewhere_is_not_waited_for(yeaft: Yeaft, serve: Serve) -> None:
    writes = (Holds(of=Says(text="never"), after_events=1, gate="g"), Says(text="A report of three facts."))
    server = await serve(Script(lines=(ANSWERS.lines[0], Line(when="Write from", steps=writes))))
    put(yeaft, CHAIN)
    first = Typist(yeaft, "--line")
    await first.sees("yeaft>")
    first.types("/graph g.yaml tea")
    await server.reached("g")
    first.ends(signal.SIGKILL)
    second = Typist(yeaft, "--line", "-c")
    await second.sees("yeaft>")

    idle = await yeaft.run("graph", "resume", "last", "-q")
    second.types("/runs resume last")
    await second.sees("graph report completed")
    ended = await yeaft.run("graph", "resume", "last", "-q")

    assert (idle.code, idle.out) == (75, b"")
    assert "is in use by process" in idle.err
    assert (ended.code, ended.out, ended.err) == (0, b"A report of three facts.\n", "")
    second.types("/quit")
    assert await second.leaves() == 0


async def test_a_conversation_hears_how_far_a_run_came_that_has_nothing_to_show(yeaft: Yeaft, serve: Serve) -> None:
    await serve(ANSWERS)
    put(yeaft, "def say(value):\n    return ''\n", "quiet.py")
    put(
        yeaft,
        "graph:\n  limits: {max_steps: 1}\n  steps: [{id: first, call: quiet.say}, {id: second, call: quiet.say}]\n",
    )
    user = Typist(yeaft, "--line")

    await user.sees("yeaft>")
    user.types("/graph g.yaml tea")
    await user.sees("stopped at its limit of steps (1): it came as far as step first, and there is no result")
    user.types("/quit")

    assert await user.leaves() == 0
