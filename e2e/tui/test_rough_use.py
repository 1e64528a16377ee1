"""Rough use of the full screen: keys before it stands, keys where they mean nothing, signals while an editor is open."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.screen import Screen
from e2e.tui.ways import answers, are_usual, modes, runs, speaks_for_long
from yeaft.llm.scripted.script import Calls, Holds, Line, Says, Script, call

READY = "$0.00"
EDITOR = '/bin/sh -c \'echo $$ > editor.pid; echo in the editor; read -r line; echo "$line" > "$0"\''

STUBBORN = EDITOR.replace("echo $$", 'trap "echo caught" INT; echo $$').replace(
    "read -r line;", "until read -r line; do :; done;"
)
GOES_THROUGH = (b"\x1b[1;3A", b"\x1b[1;3B", b"\x1b[5~", b"\x1b[6~", b"\x1b[1;5H", b"\x1b[1;5F")
"""Keys that move through a transcript."""


async def opens_the_editor(screen: Screen) -> int:
    """Write a draft, open the editor on it, and return the process of the editor."""
    screen.types("a draft")
    await screen.shows("a draft")
    screen.presses("ctrl+g")
    await screen.shows("in the editor")
    return int(await asyncio.to_thread(Path(f"/proc/{screen.pid}/cwd/editor.pid").read_text))


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


async def test_what_is_typed_before_the_first_frame_stands_in_the_draft_and_nothing_harms_an_empty_transcript(
    serve: Serve, terminals: Terminals
) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)

    screen.starts()
    screen.types("hello there")
    await screen.shows(READY, "hello there")

    draft = "hello there"
    for key in GOES_THROUGH:
        screen.sends(key)
        screen.types("!")
        draft += "!"
        await screen.shows(f"> {draft}\n")
    screen.presses("enter")
    await screen.shows("Good morning.")


async def test_ctrl_c_in_an_editor_is_for_the_editor_and_vps_go_on_meanwhile(
    serve: Serve, terminals: Terminals
) -> None:
    look = Calls(calls=(call("ListDir"),), text="Let me look.")
    steps = (Holds(of=look, after_events=3, gate="editor"), Says(text="Nothing here."))
    server = await serve(Script(lines=(Line(steps=steps),)))
    screen = terminals(VISUAL=STUBBORN)
    screen.starts()
    await screen.shows(READY)
    screen.types("look")
    screen.presses("enter")
    await server.reached("editor")

    await opens_the_editor(screen)
    screen.presses("ctrl+c")
    await screen.shows("caught")
    server.release("editor")
    await server.ended(2)
    screen.types("from the editor\n")

    await screen.shows("> from the editor", "Nothing here.", lambda text: "stopped" not in text)


async def test_a_signal_ends_the_editor_too(serve: Serve, terminals: Terminals) -> None:
    await serve(speaks_for_long())
    screen = terminals(VISUAL=EDITOR)
    screen.starts()
    await screen.shows(READY)
    editor = await opens_the_editor(screen)

    os.kill(screen.pid, signal.SIGHUP)

    assert await screen.leaves() == 129
    assert are_usual(screen), modes(screen)
    assert is_gone(editor)


async def test_an_editor_that_is_not_there_costs_nothing_but_a_sentence(serve: Serve, terminals: Terminals) -> None:
    await serve(answers("Good morning."))
    screen = terminals(VISUAL="/nowhere/editor")
    screen.starts()
    await screen.shows(READY)
    screen.types("hello")
    screen.presses("enter")
    await screen.shows("Good morning.")
    screen.types("/context")
    screen.presses("enter")
    await screen.shows("rules and persona", lambda text: READY not in text)

    screen.types("e")
    await screen.shows("cannot be started")
    screen.presses("escape")

    await screen.shows("Good morning.")
    screen.types("still here")
    await screen.shows("> still here")


async def test_what_is_sent_while_the_session_closes_is_a_draft_next_time(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    await serve(runs("trap '' TERM; echo on > on; sleep 1000", background=True, taskTitle="stubborn"))
    screen = terminals()
    screen.starts("--mode", "auto")
    await screen.shows(READY)
    screen.types("start it")
    screen.presses("enter")
    await screen.shows("It runs.", lambda _: (yeaft.folder / "on").exists())

    screen.presses("ctrl+d")
    await screen.shows("Leave although", "Type a number")
    screen.types("2")
    await screen.shows("Closing the Session")
    screen.types("one more thing")
    screen.presses("enter")

    assert await screen.leaves() == 0
    assert not list(yeaft.dir.glob("logs/crash-*"))
    again = terminals()
    again.starts("-c")
    await again.shows(READY, "> one more thing")


async def test_whoever_suspends_it_again_at_once_gets_the_terminal_back_each_time(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts_program(*yeaft.command())
    await screen.shows(READY)

    for _ in range(6):
        screen.presses("ctrl+z")
        await screen.stops()
        await screen.shows(lambda _: are_usual(screen))
        seen = len(screen.raw)
        os.kill(screen.pid, signal.SIGCONT)

    await screen.shows(lambda _: b"Write a message" in screen.raw[seen:])
    assert b"\x1b[?1049h" in screen.raw[seen:]
    screen.types("hello")
    await screen.shows("> hello")
    screen.presses("enter")
    await screen.shows("Good morning.")
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)


@pytest.mark.parametrize(("presses", "number"), [(1, signal.SIGTERM), (3, signal.SIGHUP)])
async def test_a_signal_while_an_editor_comes_and_goes_leaves_the_terminal_as_it_was(
    serve: Serve, terminals: Terminals, presses: int, number: signal.Signals
) -> None:
    await serve(answers("Good morning."))
    screen = terminals(VISUAL="true")
    screen.starts()
    await screen.shows(READY)
    screen.types("a draft")
    await screen.shows("a draft")

    screen.presses(*["ctrl+g"] * presses)
    os.kill(screen.pid, number)

    assert await screen.leaves() in (129, 143)
    assert are_usual(screen), modes(screen)


async def test_pastes_without_an_end_or_without_marks_are_taken_whole_and_keys_after_them_are_keys(
    serve: Serve, terminals: Terminals
) -> None:
    server = await serve(answers("Good night.", "Good morning.", "Good evening."))
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows(READY)

    screen.sends(b"\x1b[200~pasted")
    await screen.shows("> pasted")
    screen.types(" and typed")
    await screen.shows("> pasted and typed")
    screen.presses("enter")
    await screen.shows("Good night.")
    screen.types("hello" * 10_000 + "\r")
    await screen.shows("Good morning.")
    screen.types("a line\r" * 2_000)
    await screen.shows("[Pasted #1: 2001 lines]")
    screen.presses("enter")
    await screen.shows("Good evening.")

    assert "pasted and typed" in str(server.requests[0].body)
    assert str(server.requests[1].body).count("hello") == 10_000
    assert str(server.requests[2].body).count("a line") == 2_000


HELD = """
import asyncio, os, pathlib, signal
from textual._context import active_app
from yeaft.config.settings import TuiSettings
from yeaft.interfaces.tui.app import Start
from yeaft.interfaces.tui.look import Look
from yeaft.interfaces.tui.tui_mode import show
from yeaft.kernel.errors import YeaftError
from yeaft.prompts.ui import Ui

def wish():
    app = active_app.get()

    def draws():  # as when Ctrl+Z is pressed while something is written to the terminal
        with app.terminal._output._changed:
            signal.raise_signal(signal.SIGTSTP)

    app.call_from_thread(draws)
    app.call_from_thread(app.action_redraw)
    raise YeaftError("it went on")

home = pathlib.Path(os.environ["YEAFT_DIR"])
start = Start(wish=wish, home=home, environ=os.environ, settings=TuiSettings(), keys={})
raise SystemExit(asyncio.run(show(start, Look(), Ui("en")))[0])
"""


async def test_ctrl_z_in_the_midst_of_a_frame_stops_it_between_two(terminals: Terminals) -> None:
    screen = terminals(columns=80, rows=24)
    screen.starts_program(sys.executable, "-c", HELD)

    await screen.stops()
    await screen.shows(lambda _: are_usual(screen))
    os.kill(screen.pid, signal.SIGCONT)

    assert await screen.leaves() == 1
    assert are_usual(screen), modes(screen)
    assert b"it went on" in screen.raw.rpartition(b"\x1b[?1049l")[2]


async def test_a_signal_ends_the_editor_of_a_question_too(serve: Serve, terminals: Terminals, yeaft: Yeaft) -> None:
    writes = Calls(calls=(call("FileWrite", file_path="a.txt", content="x\n"),))
    await serve(Script(lines=(Line(steps=(writes,)),)))
    screen = terminals(columns=80, rows=24, VISUAL=EDITOR)
    screen.starts()
    await screen.shows(READY)
    screen.types("write")
    screen.presses("enter")
    await screen.shows("1 yes, once")
    screen.types("e")
    await screen.shows("in the editor")

    os.kill(screen.pid, signal.SIGTERM)

    assert await screen.leaves() == 143
    assert are_usual(screen), modes(screen)
    assert not list(yeaft.dir.glob("logs/crash-*"))


@pytest.mark.parametrize("opens", ["/help", "/search"])
async def test_what_is_pasted_where_something_is_looked_for_is_shown_and_never_acted_on(
    serve: Serve, terminals: Terminals, opens: str
) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows(READY)
    screen.types(opens)
    screen.presses("enter")
    await screen.hides(READY)

    screen.pastes("find\x1b]2;mine\x07\tme\x9b5m")

    await screen.shows("find]2;mine me5m")
    assert b"\x1b]2;mine" not in screen.raw
    assert "\x9b".encode() not in screen.raw
