"""What is at work when the turns have ended - hooks, a summary, sub-agents - can be stopped, and left, like a turn."""

import asyncio
import json
import os
import signal

from e2e.conftest import Serve, Terminals
from e2e.given import PATIENCE_S, Yeaft
from e2e.screen import Screen
from e2e.tui.test_approving import appears
from yeaft.llm.scripted.script import Calls, Holds, Line, Says, Script, Stalls, call, says
from yeaft.llm.scripted.server import ScriptedServer

ASKS, SURE = "Leave although something runs?", "Type a number"
STOPPED = "Stopped what was still at work."


def judges_answers(yeaft: Yeaft) -> None:
    """The user's hook thinks about answers until there is a file `go`, for ten minutes at most."""
    wait = "touch judging; until [ -e go ]; do sleep 0.05; done"
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": wait, "timeout": 600}]}]}
    yeaft.dir.mkdir(exist_ok=True)
    (yeaft.dir / "hooks.json").write_text(json.dumps({"hooks": hooks}))


async def answered(screen: Screen, yeaft: Yeaft) -> None:
    """Say something, and see the answer, while the hook thinks about it."""
    (yeaft.folder / "judging").unlink(missing_ok=True)
    screen.types("hello")
    screen.presses("enter")
    await asyncio.to_thread(appears, yeaft.folder / "judging")
    await screen.shows("answered")


async def digs(serve: Serve, screen: Screen, step: Holds | Stalls) -> ScriptedServer:
    """Let the VP answer and rest while its sub-agent is still at work, whose model does `step`."""
    spawns = Calls(calls=(call("SpawnAgent", name="digger", task="dig deep"),))
    told = Line(when="agent-report", steps=(Says(text="All dug."),), repeat=True)
    works = Line(when="dig deep", steps=(step,))
    server = await serve(Script(lines=(Line(when="begin", steps=(spawns, Says(text="They dig."))), told, works)))
    screen.starts("--mode", "auto")
    await screen.shows("$0.00")
    screen.types("begin")
    screen.presses("enter")
    await screen.shows("They dig.", "answered", "agents: 1")
    return server


async def sums_up(serve: Serve, screen: Screen) -> None:
    """Ask for a summary of what was said, and let the model that is to write it fall silent."""
    answers = tuple(Says(text=f"Answer {number}.") for number in range(4))
    silent = Line(steps=(Stalls(of=Says(text="They said"), after_events=3),), repeat=True)
    await serve(Script(lines=(Line(when="say", steps=answers), silent)))
    screen.starts()
    await screen.shows("$0.00")
    for number in range(4):
        screen.types(f"say {number}")
        screen.presses("enter")
        await screen.shows(f"Answer {number}.", lambda text: "Esc" not in text)
    screen.types("/compact")
    screen.presses("enter")
    await screen.shows("Summing up earlier turns")


async def test_hooks_that_look_at_an_answer_are_stopped_by_escape_and_ctrl_c(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    judges_answers(yeaft)
    await serve(says("Good morning."))
    screen = terminals(columns=90, rows=24)
    screen.starts()
    await screen.shows("$0.00")

    for key in ("escape", "ctrl+c"):
        await answered(screen, yeaft)
        screen.presses(key)
        await screen.shows(STOPPED)
        screen.types("/clear")
        screen.presses("enter")
        await screen.hides("Good morning.")

    screen.presses("ctrl+d")
    assert await screen.leaves() == 0


async def test_whoever_leaves_while_hooks_look_at_an_answer_waits_for_them_or_ends_them(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    judges_answers(yeaft)
    await serve(says("Good morning."))
    for way in ("waits", "ends", "is ended"):
        (yeaft.folder / "go").unlink(missing_ok=True)
        screen = terminals(columns=100, rows=24)
        screen.starts()
        await screen.shows("$0.00")
        await answered(screen, yeaft)
        if way == "is ended":
            os.kill(screen.pid, signal.SIGTERM)
            assert await screen.leaves() == 128 + signal.SIGTERM
            continue
        screen.presses("ctrl+d")
        await screen.shows("Leaving as soon as hooks have looked at the answer.")
        if way == "waits":
            (yeaft.folder / "go").touch()
        else:
            screen.presses("ctrl+d")
            await screen.shows(ASKS, SURE, "Hooks look at an answer.")
            screen.types("2")
        assert await screen.leaves() == 0


async def test_a_summary_that_does_not_come_can_be_stopped_and_left(serve: Serve, terminals: Terminals) -> None:
    screen = terminals(columns=90, rows=30)
    await sums_up(serve, screen)

    screen.presses("escape")
    await screen.shows("Stopped summing up for @omni")
    screen.types("/compact")
    screen.presses("enter")
    await screen.shows(lambda text: text.count("Summing up earlier turns") == 2)
    screen.presses("ctrl+d")
    await screen.shows(ASKS, SURE, "Earlier turns are being summed up")
    screen.types("2")

    assert await screen.leaves() == 0


async def no_agent_works(yeaft: Yeaft) -> None:
    """Wait until the last sub-agent that was told to stop has."""
    async with asyncio.timeout(PATIENCE_S):
        while b'"running"' in (await yeaft.run("agent", "ls", "--all", "--json")).out:
            pass


async def test_whoever_leaves_while_sub_agents_work_is_asked_and_can_wait_for_them_or_end_them(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    silent = Stalls(of=Says(text="I dig and dig and"), after_events=3)
    screen = terminals(columns=90, rows=24)
    await digs(serve, screen, silent)
    screen.presses("escape")
    screen.presses("ctrl+d")
    await screen.shows(ASKS, SURE, "Sub-agent digger of @omni is at work.")
    screen.types("2")
    assert await screen.leaves() == 0
    agents = json.loads((await yeaft.run("agent", "ls", "--all", "--json")).out)
    assert [(one["name"], one["status"]) for one in agents] == [("digger", "closed")]

    again = terminals(columns=90, rows=24)
    await digs(serve, again, silent)
    again.presses("ctrl+c")
    await again.shows(STOPPED)
    await no_agent_works(yeaft)
    again.presses("ctrl+d")
    assert await again.leaves() == 0

    patient = terminals(columns=90, rows=24)
    server = await digs(serve, patient, Holds(of=Says(text="I have dug."), after_events=3, gate="g"))
    patient.presses("ctrl+d")
    await patient.shows(ASKS, SURE)
    patient.types("3")
    await patient.shows("Leaving as soon as nothing runs.")
    server.release("g")
    assert await patient.leaves() == 0
    assert b"All dug." in (await yeaft.run("session", "show", "last")).out


async def test_line_mode_says_that_it_waits_for_hooks_and_ctrl_c_ends_them(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    judges_answers(yeaft)
    await serve(says("Good morning."))
    screen = terminals(columns=90, rows=24)
    screen.starts("--line")
    await screen.shows("yeaft>")
    screen.types("hello")
    screen.presses("enter")
    await asyncio.to_thread(appears, yeaft.folder / "judging")
    await screen.shows("Good morning.")

    screen.presses("ctrl+d")
    await screen.shows("Ctrl-C stops")
    screen.presses("ctrl+c")

    assert await screen.leaves() == 0
