"""A model that has no tool calling does everything that others do, because it calls its tools in plain text."""

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import Serve
from e2e.given import Yeaft
from e2e.typist import Typist
from yeaft.llm.scripted.script import Holds, Line, Says, Script, Step
from yeaft.llm.scripted.server import ScriptedServer

PROTOCOLS = ("anthropic", "openai-responses")
CONFIG = """
[models]
primary = "box/old"
[providers.box]
base_url = "{url}/v1"
protocol = "{protocol}"
api_key = "k"
[[providers.box.models]]
id = "old"
context_tokens = 32768
{tools}
[retry]
base_delay_s = 0.05
"""

protocols = pytest.mark.parametrize("protocol", PROTOCOLS)


def acts(tool: str, rest: str = "", thought: str = "", **args: Any) -> Says:
    """The model calls a tool, and goes on to invent what comes of it."""
    words = f"Thought: {thought}\n" if thought else ""
    words += f"Action: {tool}\nAction Input: {json.dumps(args)}\n{rest}"
    return Says(text=f"{words}\nObservation: all is well\nFinal Answer: It is all done already.", chunk=7)


def answers(text: str) -> Says:
    return Says(text=f"Thought: I know enough.\nFinal Answer: {text}", chunk=7)


def without_tools(*lines: Line) -> Script:
    return Script(lines=lines, tools=False)


def knows(yeaft: Yeaft, server: ScriptedServer, protocol: str, tools: str = 'tools = "text"') -> None:
    """Let the user's configuration name the model at this server."""
    for name in [name for name in yeaft.environ if name.startswith("YEAFT_") and name != "YEAFT_DIR"]:
        del yeaft.environ[name]
    yeaft.dir.mkdir(exist_ok=True)
    config = CONFIG.format(url=server.base_url, protocol=protocol, tools=tools)
    (yeaft.dir / "config.toml").write_text(config)


def is_replayed(yeaft: Yeaft) -> bool:
    """Whether every request of the only Session can be rebuilt from its journal."""
    (session,) = json.loads(yeaft.here("session", "ls", "--json").out)
    ran = yeaft.here("replay", session["id"], "--check", "--json")
    return ran.code == 0 and {one["verdict"] for one in json.loads(ran.out)} == {"equal"}


def newest(server: ScriptedServer) -> str:
    """What the newest request says last."""
    body = server.requests[-1].body
    last = (body.get("messages") or body["input"])[-1]
    return "\n".join(part["text"] for part in last["content"])


@protocols
async def test_a_file_is_read_and_edited_with_approval_and_a_command_run(
    yeaft: Yeaft, serve: Serve, protocol: str
) -> None:
    edit = "old_string:\n```\ndef f():\n    return 1\n```\nnew_string:\n```\ndef f():\n    return 'two'\n```\n"
    steps = (
        acts("FileRead", thought="What is there?", file_path="a.py"),
        acts("FileEdit", edit, file_path="a.py"),
        acts("Bash", command="python3 -c 'import a; print(a.f())'"),
        answers("It returns two now."),
    )
    server = await serve(without_tools(Line(steps=steps)))
    knows(yeaft, server, protocol)
    (yeaft.folder / "a.py").write_text("def f():\n    return 1\n")
    user = Typist(yeaft, "--line")

    await user.sees("yeaft>")
    user.types("let f return two")
    await user.sees("+    return 'two'")
    await user.sees("answer>")
    user.types("y")
    await user.sees("import a; print(a.f())")
    await user.sees("answer>")
    user.types("y")
    shown = await user.sees("It returns two now.")
    user.types("/quit")

    assert await user.leaves() == 0
    assert (yeaft.folder / "a.py").read_text() == "def f():\n    return 'two'\n"
    assert "Final Answer" not in shown
    assert newest(server).startswith("Observation: two")
    assert [one.problems for one in server.requests] == [()] * 4
    assert not any("tools" in one.body for one in server.requests)
    assert "all is well" not in server.requests[-1].raw.decode()
    assert is_replayed(yeaft)


async def test_two_vps_work_beside_each_other(yeaft: Yeaft, serve: Serve) -> None:
    def line(vp: str) -> Line:
        block = f"content:\n```\nby {vp}\n```\n"
        return Line(vp=vp, steps=(acts("FileWrite", block, file_path=f"{vp}.txt"), answers(f"{vp} is done.")))

    server = await serve(without_tools(line("omni"), line("builder")))
    knows(yeaft, server, "anthropic")

    ran = await yeaft.run("--vp", "omni,builder", "--mode", "auto", "--output-format", "json", "@omni @builder write")

    assert ran.code == 0, ran
    assert {one["vp"]: one["text"] for one in ran.result["vps"]} == {
        "omni": "omni is done.",
        "builder": "builder is done.",
    }
    assert [(yeaft.folder / f"{vp}.txt").read_text() for vp in ("omni", "builder")] == ["by omni\n", "by builder\n"]
    assert is_replayed(yeaft)


async def test_a_turn_that_was_killed_goes_on_where_it_was(yeaft: Yeaft, serve: Serve) -> None:
    held: Step = Holds(of=answers("never heard"), after_events=3, gate="killed")
    again = (
        acts("Bash", command="echo once >> ran.txt"),
        held,
        acts("FileRead", file_path="ran.txt"),
        answers("Once."),
    )
    server = await serve(without_tools(Line(steps=again)))
    knows(yeaft, server, "openai-responses")
    running = await yeaft.start("--mode", "auto", "run it once")
    await server.reached("killed")
    os.killpg(running.pid, signal.SIGKILL)
    await running.wait()

    ran = await yeaft.run("-c", "--continue-turn", "--mode", "auto")

    assert (ran.code, ran.out.decode()) == (0, "Once.\n"), ran
    assert (yeaft.folder / "ran.txt").read_text() == "once\n"
    assert newest(server) == "Observation: 1\tonce"
    assert is_replayed(yeaft)


async def test_calls_that_cannot_be_read_are_told_back_twice_and_then_the_words_stand(
    yeaft: Yeaft, serve: Serve
) -> None:
    bad = Says(text='Action: Bash\nAction Input: {"command": "echo "hi""}\n')
    unknown = Says(text="Action: Frobnicate\nAction Input: {}\n")
    server = await serve(without_tools(Line(steps=(bad, unknown, bad))))
    knows(yeaft, server, "openai-responses")

    ran = await yeaft.run("--mode", "auto", "say hi")

    assert (ran.code, ran.out.decode()) == (0, 'Action: Bash\nAction Input: {"command": "echo "hi""}\n'), ran
    told = [newest_of(one.body) for one in server.requests]
    assert "the arguments are not valid JSON" in told[1]
    assert "Frobnicate" in told[2]
    assert "Write no Action now" in told[2]
    assert ["# Tools\n" in one.body["instructions"] for one in server.requests] == [True, True, False]
    assert is_replayed(yeaft)


def newest_of(body: dict[str, Any]) -> str:
    return "\n".join(part["text"] for part in body["input"][-1]["content"])


@protocols
async def test_a_server_that_refuses_tools_needs_no_setting(yeaft: Yeaft, serve: Serve, protocol: str) -> None:
    server = await serve(without_tools(Line(steps=(acts("ListDir"), answers("One file.")))))
    knows(yeaft, server, protocol, tools="")
    (yeaft.folder / "only.txt").write_text("x")

    ran = await yeaft.run("what is here?")

    assert (ran.code, ran.out.decode()) == (0, "One file.\n"), ran
    assert "only.txt" in newest(server)
    assert ["tools" in one.body for one in server.requests] == [True, False, False]
    assert is_replayed(yeaft)


async def test_a_step_of_a_graph_hands_over_a_typed_result(yeaft: Yeaft, serve: Serve) -> None:
    table = "item,price\n豆腐,3\n"
    steps = (acts("FinishStep", value={"content": table, "name": "prices.csv"}), answers("Handed over."))
    server = await serve(without_tools(Line(steps=steps)))
    knows(yeaft, server, "openai-responses")
    graph = "graph: {name: t, steps: [{id: collect, agent: omni, prompt: Collect the prices, out: table}]}"
    (yeaft.folder / "g.yaml").write_text(graph)

    ran = await yeaft.run("graph", "run", "g.yaml", "--json")

    assert ran.code == 0, ran
    (artifact,) = json.loads((await yeaft.run("artifact", "ls", "--json")).out)
    assert (artifact["type"], artifact["path"]) == ("table", "collect/prices.csv")
    (kept,) = yeaft.dir.glob("sessions/*/out/collect/prices.csv")
    assert await asyncio.to_thread(Path.read_text, kept) == table
    assert "FinishStep(" in server.requests[0].body["instructions"]
    assert is_replayed(yeaft)


async def test_the_user_sees_how_a_model_is_told_of_tools(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(without_tools())
    knows(yeaft, server, "anthropic")

    shown = (await yeaft.run("model", "show")).out.decode()
    (row,) = [one for one in json.loads(yeaft.here("model", "ls", "--json").out) if one["ref"] == "box/old"]
    knows(yeaft, server, "anthropic", tools="tools = false")
    off = json.loads(yeaft.here("model", "show", "--json").out)
    knows(yeaft, server, "anthropic", tools='tools = "words"')
    wrong = yeaft.here("model", "show")

    assert "tools: yes, in plain text" in shown
    assert (row["tools"], off["tools"]) == ("text", False)
    assert wrong.code == 78
    assert "tools = 'words': choose one of true, false, text." in wrong.err
