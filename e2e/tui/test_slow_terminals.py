"""Terminals that take what is drawn slowly or not at all: nobody waits for them, and they get their modes back."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.screen import Screen
from e2e.tui.ways import after_the_screen, answers, are_usual, modes, until
from yeaft.interfaces.cli.signals import SAME_WITHIN_S

READY = "$0.00"
SHOWN = """
import asyncio, os, pathlib, threading
from textual._context import active_app
from yeaft.config.settings import TuiSettings
from yeaft.interfaces.tui.app import Start
from yeaft.interfaces.tui.look import Look
from yeaft.interfaces.tui.tui_mode import show
from yeaft.kernel.errors import YeaftError
from yeaft.prompts.ui import Ui

def floods(app):  # as long answers do, at a terminal that is as large as they come
    for _ in range(64):
        app.call_from_thread(app._say, "\\x1b[?2026h" + "\\x1b[0m" * 2_000 + "\\x1b[?2026l")
    pathlib.Path("flooded").touch()

def wish():
    does(active_app.get())
    raise YeaftError("it went on")

home = pathlib.Path(os.environ["YEAFT_DIR"])
start = Start(wish=wish, home=home, environ=os.environ, settings=TuiSettings(), keys={})
raise SystemExit(asyncio.run(show(start, Look(), Ui("en")))[0])
"""
GOES_ON = f"""
def does(app):
    floods(app)
{SHOWN}"""
NEVER_ENDS = f"""
def does(app):
    floods(app)
    threading.Event().wait()
{SHOWN}"""
TELLS = f"""
def does(app):
    floods(app)
    app.call_from_thread(app.conversation.status_line.tell, "told meanwhile")
    pathlib.Path("told").touch()
    threading.Event().wait()
{SHOWN}"""
LENDS = f"""
def does(app):
    def lends():
        with app.suspend():
            print("in the editor", flush=True)
            for number in range(60):  # as titles do that say whether somebody is at work
                app._say(f"\\x1b]2;title {{number}}\\x1b\\\\")

    app.call_from_thread(lends)
{SHOWN}"""


def tells_to_end(pid: int) -> Callable[[], bool]:
    """Return what says whether a process has ended, and tells it to as often as a user would."""
    told_s = 0.0

    def has_ended() -> bool:
        nonlocal told_s
        if time.monotonic() - told_s > 2 * SAME_WITHIN_S:
            os.kill(pid, signal.SIGTERM)
            told_s = time.monotonic()
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    return has_ended


async def unwatched(terminals: Terminals, program: str, sign: Path) -> Screen:
    """Start a program, and take nothing of what it draws from when it is on the screen until after it gives a sign."""
    screen = terminals(columns=80, rows=24)
    screen.starts_program(sys.executable, "-c", program)
    await screen.shows(lambda _: b"\x1b[?1049h" in screen.raw)
    screen.looks_away()
    await until(sign.exists)
    return screen


async def test_a_terminal_that_takes_nothing_keeps_nobody_from_going_on_and_has_all_once_it_does(
    terminals: Terminals, yeaft: Yeaft
) -> None:
    screen = await unwatched(terminals, GOES_ON, yeaft.folder / "flooded")
    screen.looks_again()

    assert await screen.leaves() == 1
    assert screen.raw.count(b"\x1b[0m" * 2_000) == 64
    assert are_usual(screen), modes(screen)
    assert b"it went on" in after_the_screen(screen)


async def test_what_was_not_drawn_because_it_could_not_be_seen_is_drawn_once_it_can(
    terminals: Terminals, yeaft: Yeaft
) -> None:
    screen = await unwatched(terminals, TELLS, yeaft.folder / "told")

    screen.looks_again()

    await screen.shows("told meanwhile")


async def test_the_second_signal_ends_it_although_the_terminal_takes_nothing(
    terminals: Terminals, yeaft: Yeaft
) -> None:
    screen = await unwatched(terminals, NEVER_ENDS, yeaft.folder / "flooded")

    await until(tells_to_end(screen.pid))

    assert await screen.ends() == 143


async def test_the_second_signal_gives_back_a_terminal_that_is_slow_and_nothing_is_drawn_after_that(
    terminals: Terminals, yeaft: Yeaft
) -> None:
    screen = await unwatched(terminals, NEVER_ENDS, yeaft.folder / "flooded")

    screen.looks_again()
    await until(tells_to_end(screen.pid))

    assert await screen.leaves() == 143
    assert are_usual(screen), modes(screen)
    assert b"\x1b[0m" not in after_the_screen(screen)


async def test_what_is_told_the_terminal_while_another_program_has_it_reaches_it_afterwards(
    terminals: Terminals,
) -> None:
    screen = terminals(columns=80, rows=24)
    screen.starts_program(sys.executable, "-c", LENDS)

    assert await screen.leaves() == 1
    editor, taken_again = screen.raw.find(b"in the editor"), screen.raw.rfind(b"\x1b[?1049h")
    assert 0 < editor < taken_again < screen.raw.find(b"title 59")
    assert are_usual(screen), modes(screen)


async def test_a_terminal_that_tells_its_size_and_pixels_does_so_only_as_long_as_it_is_drawn_on(
    serve: Serve, terminals: Terminals
) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows(READY)

    screen.sends(b"\x1b[?2048;2$y")
    await screen.shows(lambda _: b"\x1b[?1016h" in screen.raw)
    screen.sends(b"\x1b[24~")
    await screen.shows(lambda _: modes(screen)[1016] == "l")
    screen.sends(b"\x1b[24~")
    await screen.shows(lambda _: modes(screen)[1016] == "h")
    assert screen.raw.rfind(b"\x1b[?1016h") > screen.raw.rfind(b"\x1b[?1006h")
    screen.presses("ctrl+d")

    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)


async def test_what_was_suspended_goes_on_in_the_background_only_once_it_is_brought_back(
    serve: Serve, terminals: Terminals
) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts_program("/bin/bash", "--norc", "-i")
    screen.types(f"{sys.executable} -m yeaft\r")
    await screen.shows(READY)

    screen.presses("ctrl+z")
    await screen.shows("Stopped", lambda _: modes(screen)[1049] == "l")
    screen.types("bg; wait; jobs\r")
    await screen.shows(lambda text: text.count("Stopped") >= 2)
    screen.types("fg\r")
    await screen.shows("Write a message")
    screen.types("hello")
    await screen.shows("> hello")
    for _ in range(40):
        screen.presses("ctrl+l")
    screen.presses("enter")
    await screen.shows("Good morning.")
    screen.presses("ctrl+d")
    await screen.shows("yeaft -r")

    assert modes(screen)[1049] == "l"
