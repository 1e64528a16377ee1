"""Leaving the full screen: however it ends, the terminal is given back, the journal is whole, nothing is left running."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.screen import Screen
from e2e.tui.ways import after_the_screen, answers, are_usual, modes, runs, speaks_for_long, until
from yeaft.llm.scripted.script import Line, Says, Script

READY = "$0.00"


async def said(screen: Screen, text: str, answer: str | Callable[[str], bool]) -> None:
    screen.types(text)
    screen.presses("enter")
    await screen.shows(answer)


async def test_who_quits_gets_the_terminal_back_and_is_told_how_to_return_and_that_nothing_runs_to_stop(
    serve: Serve, terminals: Terminals
) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows(READY)
    await said(screen, "/stop", "Nothing runs that could be stopped.")
    await said(screen, "/stop @skeptic", "@skeptic has nothing running that could be stopped.")
    await said(screen, "hello", "Good morning.")

    screen.types("/quit")
    screen.presses("enter")

    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)
    assert b"yeaft -r " in after_the_screen(screen)


async def test_a_signal_in_mid_answer_ends_it_in_good_order(serve: Serve, terminals: Terminals, yeaft: Yeaft) -> None:
    await serve(speaks_for_long())
    screen = terminals()
    screen.starts()
    await screen.shows(READY)
    await said(screen, "talk", "word word")

    os.kill(screen.pid, signal.SIGINT)

    assert await screen.leaves() == 130
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
    after = after_the_screen(screen).decode()
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


async def test_order_escape_and_ctrl_c_stop_what_runs_and_only_where_nothing_does_ctrl_c_leaves(
    serve: Serve, terminals: Terminals
) -> None:
    lines = [Line(when=word, steps=(Says(text=f"{word} " * 2_000, delay_s=0.05),)) for word in ("tea", "milk", "rice")]
    await serve(Script(lines=(*lines, Line(steps=(Says(text="Here again."),), repeat=True))))
    screen = terminals(columns=100, rows=50)
    screen.starts()
    await screen.shows(READY)

    await said(screen, "talk of tea", "tea tea")
    await said(screen, "/stop", lambda text: text.count("─ stopped by you") == 1)

    await said(screen, "talk of milk", "milk milk")
    screen.presses("escape")
    await screen.shows("@omni stopped", lambda text: text.count("─ stopped by you") == 2)
    await said(screen, "still there?", "Here again.")

    await said(screen, "talk of rice", "rice rice")
    screen.types("never mind")
    await screen.shows("never mind")
    screen.presses("ctrl+c")
    await screen.hides("never mind")
    screen.presses("ctrl+c")
    await screen.shows(lambda text: text.count("─ stopped by you") == 3)
    await said(screen, "go on", lambda text: text.count("Here again.") == 2)
    screen.presses("ctrl+c")
    await screen.shows("Press Ctrl+C again")
    screen.presses("ctrl+c")

    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)
    assert b"yeaft -r " in after_the_screen(screen)


async def test_who_leaves_a_running_task_is_asked_and_nothing_is_left_behind(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    await serve(runs("echo $$ > pid; exec sleep 1000", background=True, taskTitle="a long sleep"))
    screen = terminals()
    screen.starts("--mode", "auto")
    await screen.shows(READY)
    await said(screen, "start it", "It runs.")
    pid_file = yeaft.folder / "pid"
    await until(lambda: pid_file.exists() and pid_file.read_text().strip() != "")
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
    assert b"a long sleep" in after_the_screen(screen)
