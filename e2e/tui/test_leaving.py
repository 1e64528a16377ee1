"""Leaving the full screen: however it ends, the terminal is given back, the journal is whole, nothing is left running."""

import os
import signal
import sys
from pathlib import Path

import pytest

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.screen import Screen
from e2e.tui.ways import answers, are_usual, modes, runs, speaks_for_long

READY = "$0.00"


async def said(screen: Screen, text: str, answer: str) -> None:
    screen.types(text)
    screen.presses("enter")
    await screen.shows(answer)


@pytest.mark.parametrize("way", ["/quit", "ctrl+d", "ctrl+c twice"])
async def test_who_leaves_gets_the_terminal_back_and_is_told_how_to_return(
    serve: Serve, terminals: Terminals, way: str
) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows(READY)
    await said(screen, "hello", "Good morning.")

    match way:
        case "/quit":
            screen.types("/quit")
            screen.presses("enter")
        case "ctrl+d":
            screen.presses("ctrl+d")
        case _:
            screen.presses("ctrl+c")
            await screen.shows("Press Ctrl+C again")
            screen.presses("ctrl+c")

    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)
    assert b"yeaft -r " in screen.raw.rpartition(b"\x1b[?1049l")[2]


async def test_to_stop_where_nothing_runs_is_told(serve: Serve, terminals: Terminals) -> None:
    await serve(speaks_for_long())
    screen = terminals()
    screen.starts()
    await screen.shows(READY)

    await said(screen, "/stop", "Nothing runs that could be stopped.")
    await said(screen, "/stop @skeptic", "@skeptic has nothing running that could be stopped.")
    await said(screen, "talk", "word word")
    await said(screen, "/stop", "stopped by you")

    screen.types("/quit")
    screen.presses("enter")
    assert await screen.leaves() == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
async def test_a_signal_in_mid_answer_ends_it_in_good_order(
    serve: Serve, terminals: Terminals, number: signal.Signals, code: int, yeaft: Yeaft
) -> None:
    await serve(speaks_for_long())
    screen = terminals()
    screen.starts()
    await screen.shows(READY)
    await said(screen, "talk", "word word")

    os.kill(screen.pid, number)

    assert await screen.leaves() == code
    assert are_usual(screen), modes(screen)
    shown = await yeaft.run("session", "show", "last", "--json")
    assert b'"aborted"' in shown.out


async def test_a_terminal_that_goes_away_ends_the_program_with_it(serve: Serve, terminals: Terminals) -> None:
    await serve(speaks_for_long())
    screen = terminals()
    screen.starts()
    await screen.shows(READY)
    await said(screen, "talk", "word word")

    screen.hangs_up()

    assert await screen.leaves() == 129


async def test_an_error_of_its_own_is_one_sentence_and_a_file(terminals: Terminals, yeaft: Yeaft) -> None:
    screen = terminals()
    screen.starts_program(sys.executable, "-c", BREAKS)

    assert await screen.leaves() == 1
    assert are_usual(screen), modes(screen)
    after = screen.raw.rpartition(b"\x1b[?1049l")[2].decode()
    assert "an error of its own (RuntimeError: out of order)" in after
    assert "Traceback" not in after
    assert "out of order" in crash_log(yeaft)


def crash_log(yeaft: Yeaft) -> str:
    (log,) = Path(yeaft.dir, "logs").glob("crash-*.log")
    return log.read_text()


BREAKS = """
import asyncio, os, pathlib
from yeaft.config.settings import TuiSettings
from yeaft.interfaces.tui.app import Start
from yeaft.interfaces.tui.look import Look
from yeaft.interfaces.tui.tui_mode import show
from yeaft.prompts.ui import Ui

def wish():
    raise RuntimeError("out of order")

home = pathlib.Path(os.environ["YEAFT_DIR"])
start = Start(wish=wish, home=home, environ=os.environ, settings=TuiSettings(), keys={})
raise SystemExit(asyncio.run(show(start, Look(), Ui("en")))[0])
"""


async def test_keys_from_before_the_first_frame_do_no_harm(serve: Serve, terminals: Terminals) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts_program("/bin/sh", "-c", f"echo early; read -r line; exec {sys.executable} -m yeaft")
    await screen.shows("early")

    screen.sends(b"go\r")
    screen.sends(b"\x04")
    await screen.shows(READY)

    await said(screen, "hello", "Good morning.")
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0


async def test_ctrl_z_gives_the_terminal_back_and_fg_takes_it_again(serve: Serve, terminals: Terminals) -> None:
    await serve(answers("Good morning."))
    screen = terminals()
    screen.starts()
    await screen.shows(READY)

    screen.presses("ctrl+z")
    await screen.stops()
    await screen.shows(lambda _: are_usual(screen))
    seen = len(screen.raw)
    os.kill(screen.pid, signal.SIGCONT)
    await screen.shows(lambda _: b"Write a message" in screen.raw[seen:])

    assert b"\x1b[?1049h" in screen.raw[seen:]
    await said(screen, "hello", "Good morning.")
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)


async def test_ctrl_c_clears_the_draft_then_stops_what_runs_and_only_then_leaves(
    serve: Serve, terminals: Terminals
) -> None:
    await serve(speaks_for_long())
    screen = terminals()
    screen.starts()
    await screen.shows(READY)
    await said(screen, "talk", "word word")
    screen.types("never mind")
    await screen.shows("never mind")

    screen.presses("ctrl+c")
    await screen.hides("never mind")
    screen.presses("ctrl+c")
    await screen.shows("go on")
    await said(screen, "go on", "Here again.")
    screen.presses("ctrl+c", "ctrl+c")

    assert await screen.leaves() == 0


async def test_escape_stops_what_is_watched(serve: Serve, terminals: Terminals) -> None:
    await serve(speaks_for_long())
    screen = terminals()
    screen.starts()
    await screen.shows(READY)
    await said(screen, "talk", "word word")

    screen.presses("escape")
    await screen.shows("@omni stopped")
    await said(screen, "still there?", "Here again.")

    screen.presses("ctrl+d")
    assert await screen.leaves() == 0


async def test_who_leaves_a_running_task_is_asked_and_nothing_is_left_behind(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    await serve(runs("echo $$ > pid; exec sleep 1000", background=True, taskTitle="a long sleep"))
    screen = terminals()
    screen.starts("--mode", "auto")
    await screen.shows(READY)
    await said(screen, "start it", "It runs.")
    pid_file = yeaft.folder / "pid"
    await screen.shows(lambda _: pid_file.exists() and pid_file.read_text().strip() != "")
    pid = int(pid_file.read_text())

    screen.presses("ctrl+d")
    await screen.shows("Leave although something runs?", "a long sleep", "Type a number")
    screen.types("1")
    await screen.hides("Leave although")
    screen.presses("ctrl+d")
    await screen.shows("Type a number")
    screen.types("2")

    assert await screen.leaves() == 0
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert b"a long sleep" in screen.raw.rpartition(b"\x1b[?1049l")[2]
