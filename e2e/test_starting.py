"""A yeaft that was forked from a loaded Python is what one is that was started, to itself and to everybody else."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from e2e.conftest import Serve, Terminals
from e2e.given import PATIENCE_S, Yeaft
from e2e.starting import READ_EARLY, SWITCH, can_fork
from e2e.tui.ways import answers, are_usual, modes
from yeaft.llm.scripted.script import Holds, Says, script
from yeaft.llm.scripted.server import ScriptedServer

pytestmark = pytest.mark.skipif(os.environ.get(SWITCH) == "real", reason="there is nothing to compare")
WORDS = ("-p", "Say hello", "--output-format", "json")
GATES = ("1", "2", "3", "4", "5", "6")
SAME = ("Umask", "SigBlk", "SigIgn", "SigCgt", "NoNewPrivs")

WATCHES = """
import os

read = set()

class Watched(type(os.environ)):
    def __getitem__(self, name):
        read.add(name)
        return super().__getitem__(name)

os.environ.__class__ = Watched
from e2e.loaded_python import load

load()
print(*read)
"""
HARMLESS = {"ANDROID_DATA", "HOME"}
"""What yeaft would be on a telephone, and where Python has what a user installed, which yeaft does not ask."""


async def both(yeaft: Yeaft, server: ScriptedServer, gates: tuple[str, str]) -> tuple[Process, Process]:
    """A forked yeaft and a started one, both in the midst of an answer."""
    forked = await yeaft.start(*WORDS, stdin=PIPE)
    async with asyncio.timeout(PATIENCE_S):
        await server.reached(gates[0])
    started = await yeaft.start_program(*yeaft.command(*WORDS), stdin=PIPE)
    async with asyncio.timeout(PATIENCE_S):
        await server.reached(gates[1])
    return forked, started


def seen_from_outside(pid: int) -> dict[str, object]:
    """What the system tells of a process that does not depend on when and by whom it was started."""
    about = Path(f"/proc/{pid}")
    status = dict(line.split(":\t", 1) for line in (about / "status").read_text().splitlines())
    streams = [str((about / "fd" / str(number)).readlink()).split(":")[0] for number in range(3)]
    leads = {"session": os.getsid(pid) == pid, "group": os.getpgid(pid) == pid}
    return {"folder": (about / "cwd").readlink(), "streams": streams, **leads, **{name: status[name] for name in SAME}}


async def test_it_looks_the_same_from_outside_and_says_the_same(yeaft: Yeaft, serve: Serve) -> None:
    hello = Says(text="Hello there.")
    server = await serve(script(*(Holds(of=hello, after_events=1, gate=gate) for gate in GATES[:2])))
    assert can_fork(yeaft.environ)

    forked, started = await both(yeaft, server, ("1", "2"))
    seen = [seen_from_outside(process.pid) for process in (forked, started)]
    server.release("1")
    server.release("2")
    told = [await yeaft.ended(process) for process in (forked, started)]

    assert seen[0] == seen[1]
    assert [(ran.code, ran.result["text"], ran.err) for ran in told] == [(0, "Hello there.", told[0].err)] * 2
    first, second = ({**request.body, "instructions": "", "prompt_cache_key": ""} for request in server.requests)
    assert first == second  # but for what names the Session


async def test_a_signal_ends_it_with_the_same_code(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(script(*(Holds(of=Says(text="no"), after_events=0, gate=gate) for gate in GATES)))

    codes: list[int] = []
    for number, place in ((signal.SIGINT, 0), (signal.SIGTERM, 2), (signal.SIGKILL, 4)):
        for process in await both(yeaft, server, (GATES[place], GATES[place + 1])):
            os.killpg(process.pid, number)
            codes.append((await yeaft.ended(process)).code)

    assert codes == [130, 130, 143, 143, -9, -9]


async def test_its_terminal_is_its_own(serve: Serve, terminals: Terminals, yeaft: Yeaft) -> None:
    await serve(answers("x" * 90))
    screen = terminals(columns=80, rows=24)
    screen.starts()

    await screen.shows("$0.00")
    assert os.getsid(screen.pid) == screen.pid
    screen.types("hello")
    screen.presses("enter")
    await screen.shows("x" * 60, "answered", lambda text: "x" * 90 not in text)
    screen.resizes(110, 24)
    await screen.shows("x" * 90)
    screen.presses("ctrl+d")

    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)


async def test_what_is_read_while_yeaft_is_loaded_is_known(yeaft: Yeaft) -> None:
    ran = await yeaft.ended(await yeaft.start_program(sys.executable, "-P", "-c", WATCHES))

    read = set(ran.out.decode().split()) - HARMLESS
    assert "TERM_PROGRAM" in read, ran
    assert {name for name in read if not name.startswith(READ_EARLY)} == set()
