"""The hooks of calls hear those of steps, too: what a user forbids, no graph does."""

import asyncio
import json
import os
import signal
from typing import Any

import pytest

from e2e.conftest import Serve
from e2e.given import PATIENCE_S, Ran, Yeaft
from e2e.graphs_given import visits
from yeaft.llm.scripted.script import Calls, Line, Says, Script, ScriptedCall

GRAPH = """
graph:
  steps:
    - {{id: tool, tool: Bash, args: {{command: "{command}"}}, out: json, on_error: continue}}
    - {{id: left, agent: omni, prompt: "the left half"}}
    - {{id: right, agent: omni, prompt: "the right half"}}
    - {{id: both, agent: omni, prompt: "the rest"}}
  edges:
    - {{from: tool, to: [left, right]}}
    - {{from: [left, right], to: both}}
"""
NO_SHELL = "echo 'no shell today' >&2; exit 2"


def listens(yeaft: Yeaft, **commands: str) -> None:
    """Let one hook listen to each event about shell commands."""
    yeaft.dir.mkdir(exist_ok=True)
    hooks = {
        event: [{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}]
        for event, command in commands.items()
    }
    (yeaft.dir / "hooks.json").write_text(json.dumps({"hooks": hooks}))


def half(side: str) -> Line:
    call = ScriptedCall(tool="Bash", args={"command": f"echo {side} >> {side}.txt"})
    return Line(when=f"the {side} half", order="round", steps=(Calls(calls=(call,)), Says(text=f"{side} is done")))


HALVES = Script(lines=(half("left"), half("right"), Line(steps=(Says(text="All done."),), repeat=True)))


async def run_graph(yeaft: Yeaft, command: str, *words: str) -> Ran:
    (yeaft.folder / "g.yaml").write_text(GRAPH.format(command=command))
    return await yeaft.run("graph", "run", "g.yaml", "go", "-q", "--mode", "auto", *words)


def made(yeaft: Yeaft) -> set[str]:
    return {path.name for path in yeaft.folder.glob("*.txt")}


def told(yeaft: Yeaft) -> list[dict[str, Any]]:
    """What hooks were told that wrote it down."""
    return [json.loads(line) for line in (yeaft.folder / "told").read_text().splitlines()]


async def test_what_a_hook_forbids_no_step_does_and_its_vp_is_told_why(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HALVES)
    listens(yeaft, PreToolUse=NO_SHELL)

    ran = await run_graph(yeaft, "echo 7 > tool.txt")

    assert (ran.code, ran.out) == (0, b"All done.\n"), ran
    assert made(yeaft) == set()
    assert sum("no shell today" in request.raw.decode() for request in server.requests) >= 2


async def test_a_step_without_a_vp_that_a_hook_forbids_is_declined_with_its_reason(yeaft: Yeaft) -> None:
    listens(yeaft, PreToolUse=NO_SHELL)
    (yeaft.folder / "g.yaml").write_text("graph: {steps: [{id: a, tool: Bash, args: {command: touch a.txt}}]}\n")

    ran = await yeaft.run("graph", "run", "g.yaml", "go", "-q", "--mode", "auto")

    assert ran.code == 1
    assert "no shell today" in ran.err
    assert made(yeaft) == set()


async def test_where_a_hook_wants_a_human_and_nobody_is_there_nothing_is_run(yeaft: Yeaft) -> None:
    asks = json.dumps({"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "on a Friday?"}})
    listens(yeaft, PreToolUse=f"echo '{asks}'")
    (yeaft.folder / "g.yaml").write_text("graph: {steps: [{id: a, tool: Bash, args: {command: touch a.txt}}]}\n")

    ran = await yeaft.run("graph", "run", "g.yaml", "go", "-q", "--mode", "auto")

    assert ran.code == 3
    assert "on a Friday?" in ran.err
    assert made(yeaft) == set()


async def test_hooks_hear_whose_call_it_is_and_what_they_say_is_no_part_of_what_a_step_gives(
    yeaft: Yeaft, serve: Serve
) -> None:
    server = await serve(HALVES)
    listens(yeaft, PreToolUse="cat >> told; echo >> told", PostToolUse="echo 'mind the lint' >&2; exit 2")

    ran = await run_graph(yeaft, "echo 7 > tool.txt; cat tool.txt")

    assert (ran.code, ran.out) == (0, b"All done.\n"), ran
    assert made(yeaft) == {"tool.txt", "left.txt", "right.txt"}
    assert sorted(one.get("vp", "") for one in told(yeaft)) == ["", "omni", "omni"]
    assert {one["cwd"] for one in told(yeaft)} == {str(yeaft.folder)}
    last = [request.raw.decode() for request in server.requests]
    assert sum("mind the lint" in one for one in last) >= 2
    assert visits(yeaft)[0]["value"] == 7


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda one: one.name)
async def test_a_step_whose_hook_was_cut_off_asks_it_again(yeaft: Yeaft, number: signal.Signals) -> None:
    listens(yeaft, PreToolUse="echo x >> asked; test -e go && exit 0; touch begun; sleep 300")
    (yeaft.folder / "g.yaml").write_text("graph: {steps: [{id: a, tool: Bash, args: {command: echo x >> a.txt}}]}\n")
    process = await yeaft.start("graph", "run", "g.yaml", "go", "-q", "--mode", "auto")
    async with asyncio.timeout(PATIENCE_S):
        while not await asyncio.to_thread((yeaft.folder / "begun").exists):
            pass
    os.killpg(process.pid, number)
    await yeaft.ended(process)
    assert made(yeaft) == set()
    (yeaft.folder / "go").touch()

    words = ("resume", "last") if number == signal.SIGKILL else ("retry", "last", "a")
    ran = await yeaft.run("graph", *words, "-q", "--mode", "auto")

    assert ran.code == 0, ran
    assert (yeaft.folder / "asked").read_text() == "x\nx\n"
    assert (yeaft.folder / "a.txt").read_text() == "x\n"
