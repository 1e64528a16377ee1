"""Terminals of odd sizes and inside others: each starts, can be read or says what is missing, and gets its modes back."""

import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.screen import Screen
from e2e.tui.ways import answers, are_usual, modes, speaks_for_long

READY = "$0.00"
tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux")


async def talks_and_leaves(screen: Screen) -> None:
    screen.types("hello")
    await screen.shows("hello")
    screen.presses("enter")
    await screen.shows("Good", "answered")
    screen.presses("ctrl+d")


@pytest.mark.parametrize(
    ("size", "smaller", "lang"), [((10, 3), (20, 2), "en"), ((1, 1), (10, 3), "zh"), ((5, 40), (1, 1), "en")]
)
async def test_where_there_is_no_room_it_says_so_and_goes_on_when_there_is(
    serve: Serve, terminals: Terminals, size: tuple[int, int], smaller: tuple[int, int], lang: str
) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=size[0], rows=size[1])

    screen.starts("--lang", lang)
    await screen.shows(lambda text: bool(text.strip()) and b"\x1b[?1049h" in screen.raw)
    assert READY not in screen.text
    screen.resizes(80, 24)
    await screen.shows(READY)
    screen.types("hello")
    await screen.shows("hello")
    screen.presses("enter")
    await screen.shows("Good morning.")
    screen.resizes(*smaller)
    await screen.shows(lambda text: "Good morning." not in text)
    screen.presses("ctrl+c", "ctrl+c")

    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)


async def test_a_very_large_terminal_is_filled_and_left(serve: Serve, terminals: Terminals) -> None:
    await serve(answers("Good morning, this is said on a wide screen."))
    screen = terminals(columns=300, rows=100)

    screen.starts()
    await screen.shows(READY)
    assert READY in screen.lines[-1]
    await talks_and_leaves(screen)

    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)


@tmux
async def test_inside_tmux_a_conversation_is_held_and_the_shell_is_back(
    yeaft: Yeaft, serve: Serve, terminals: Terminals, tmp_path: Path
) -> None:
    await serve(answers("Good morning."))
    yeaft.environ["COLORTERM"] = "truecolor"
    socket = tmp_path / "tmux"
    command = f"{sys.executable} -P -m yeaft"
    outer = terminals(columns=100, rows=30)
    program = shutil.which("tmux")
    assert program is not None
    outer.starts_program(
        program, "-S", str(socket), "-f", "/dev/null", "new", f"{command}; echo left with $?; exec cat"
    )

    await outer.shows(READY)
    outer.types("hello")
    await outer.shows("> hello")
    outer.presses("enter")
    await outer.shows("Good morning.", "answered")
    outer.presses("ctrl+d")
    await outer.shows("left with 0", lambda text: "Good morning." not in text)
    outer.types("echoed\r")
    await outer.shows(lambda text: text.count("echoed") == 2)

    await yeaft.ended(await yeaft.start_program(program, "-S", str(socket), "kill-server"))
    await outer.leaves()


async def test_a_question_that_came_where_there_was_no_room_leaves_nothing_behind(terminals: Terminals) -> None:
    screen = terminals(columns=10, rows=3)
    screen.starts()
    await screen.shows(lambda text: "╭" in text)

    screen.resizes(80, 24)
    await screen.shows("Type a number")
    screen.types("4")

    await screen.shows("Write a message", lambda text: "Make the terminal larger" not in text)


async def test_a_signal_ends_a_question_that_there_is_no_room_for(terminals: Terminals) -> None:
    screen = terminals(columns=80, rows=24)
    screen.starts("--lang", "zh")
    await screen.shows("3  ")
    screen.resizes(18, 5)
    await screen.shows("yeaft", lambda text: "3  " not in text)

    os.kill(screen.pid, signal.SIGTERM)

    assert await screen.leaves() == 143
    assert are_usual(screen), modes(screen)


async def test_while_something_runs_choices_stand_in_view_and_where_there_is_no_room_ctrl_c_stops_before_it_leaves(
    serve: Serve, terminals: Terminals
) -> None:
    await serve(speaks_for_long())
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows(READY)
    screen.types("go on")
    screen.presses("enter")
    await screen.shows("word word")

    screen.presses("ctrl+d")
    await screen.shows("Leave although", "Type a number")
    screen.resizes(30, 10)
    await screen.shows("Leave although", "1  Stay", "2  Stop", "3  Wait")
    screen.resizes(80, 24)
    await screen.shows("Leave although", "Type a number")
    screen.types("1")
    await screen.hides("Leave although")

    screen.resizes(18, 5)
    await screen.shows("Make the")
    screen.presses("ctrl+c")
    await screen.shows("stopped")
    screen.resizes(80, 24)
    await screen.shows("─ stopped")
    screen.resizes(18, 5)
    await screen.shows("Make the")
    screen.presses("ctrl+c")
    await screen.shows("to leave.")
    screen.presses("ctrl+c")

    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)


async def test_where_there_is_no_room_one_ctrl_c_ends_nothing(serve: Serve, terminals: Terminals) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=18, rows=5)
    screen.starts("--lang", "zh")
    await screen.shows("请放大终端。")

    screen.presses("ctrl+c")
    await screen.shows("再按一次", "离开。")
    screen.resizes(80, 24)
    await screen.shows(READY)
    screen.types("hello")
    screen.presses("enter")
    await screen.shows("Good morning.", "已回答")
    screen.presses("ctrl+d")

    assert await screen.leaves() == 0
