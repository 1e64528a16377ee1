"""What a user looks at over the whole screen: help, long results, pictures."""

import os
import re
import signal
from pathlib import Path

import pytest
from PIL import Image

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.screen import Screen
from e2e.tui.ways import are_usual, goes_up_to, modes
from yeaft.llm.scripted.script import Calls, Line, Says, Script, ScriptedCall

COLOUR = re.compile(rb"\x1b\[[0-9;]*[34]8;[25];[0-9;]*m")
ALT_T, CTRL_END = b"\x1bt", b"\x1b[1;5F"
READY = "Type a number"
SEARCHES = "/ search"
"""A part of the last line of every text panel."""
LOOKS = Calls(calls=(ScriptedCall(tool="ViewImage", id="v1", args={"file_path": "flag.png"}),))
SEES = Script(lines=(Line(steps=(LOOKS, Says(text="It is a flag."))),))


def flag(folder: Path) -> None:
    """A picture that is red above and blue below."""
    picture = Image.new("RGB", (300, 200), (255, 0, 0))
    picture.paste((0, 0, 255), (0, 100, 300, 200))
    picture.save(folder / "flag.png")


async def looks_at_the_picture(screen: Screen) -> str:
    """Have a picture seen, and press Enter on it."""
    screen.starts("--mode", "auto", "--trust")
    await screen.shows("$0.00")
    screen.types("look")
    screen.presses("enter")
    await screen.shows("It is a flag.")
    screen.sends(ALT_T)
    await screen.shows("▌")
    await goes_up_to(screen, "ViewImage")
    screen.presses("enter")
    return await screen.shows("300 x 200", "flag.png", "image/")


async def test_a_long_result_can_be_read_where_there_is_no_pager(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    tools = yeaft.home / "bin"
    tools.mkdir()
    for name in ("sh", "bash", "seq", "sed", "git", "env"):
        if found := next((one for place in ("/usr/bin", "/bin") if (one := Path(place, name)).exists()), None):
            (tools / name).symlink_to(found)
    call = ScriptedCall(tool="Bash", id="b1", args={"command": "seq 1 900"})
    await serve(Script(lines=(Line(steps=(Calls(calls=(call,)), Says(text="Counted."))),)))
    screen = terminals(columns=80, rows=24, PATH=str(tools))
    screen.starts("--mode", "auto", "--trust")
    await screen.shows("$0.00")
    screen.types("count")
    screen.presses("enter")
    await screen.shows("Counted.")
    screen.sends(ALT_T)
    await screen.shows("▌")
    await goes_up_to(screen, "Bash")

    screen.types("p")
    await screen.shows("command: seq 1 900", SEARCHES)
    screen.types("G")
    await screen.shows("899", "900", SEARCHES)
    screen.types("q")
    await screen.hides(SEARCHES)


async def test_a_picture_fills_the_screen_with_half_blocks(serve: Serve, terminals: Terminals, yeaft: Yeaft) -> None:
    await serve(SEES)
    flag(yeaft.folder)
    screen = terminals(columns=80, rows=24)

    await looks_at_the_picture(screen)
    await screen.shows("▀" * 40, lambda text: str(yeaft.folder / "flag.png") in "".join(text.split()))

    screen.types("q")
    await screen.shows("Write a message", "▌", lambda text: "300 x 200" not in text)


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [({"KITTY_WINDOW_ID": "1"}, b"\x1b_G"), ({"TERM_PROGRAM": "WezTerm"}, b"\x1bP")],
    ids=["kitty", "sixel"],
)
async def test_a_picture_comes_in_pixels_where_the_terminal_can(
    serve: Serve, terminals: Terminals, yeaft: Yeaft, environ: dict[str, str], wanted: bytes
) -> None:
    await serve(SEES)
    flag(yeaft.folder)
    screen = terminals(columns=80, rows=24, **environ)

    await looks_at_the_picture(screen)
    await screen.shows(lambda _: wanted in screen.raw)
    screen.types("q")
    await screen.shows("Write a message", "▌")
    screen.types("i")
    await screen.hides("▌")
    screen.types("/quit")
    screen.presses("enter")

    assert await screen.leaves() == 0


async def test_without_colours_a_picture_is_named(serve: Serve, terminals: Terminals, yeaft: Yeaft) -> None:
    await serve(SEES)
    flag(yeaft.folder)
    screen = terminals(columns=80, rows=24, NO_COLOR="1")

    await looks_at_the_picture(screen)

    await screen.shows("shows no pictures", lambda text: str(yeaft.folder / "flag.png") in "".join(text.split()))


async def test_a_question_mark_asks_for_help_only_where_nothing_is_written_and_a_theme_is_chosen_for_this_run(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    await serve(Script(lines=(Line(steps=(Says(text="Here I am."),), repeat=True),)))
    screen = terminals(columns=100, rows=24)
    screen.starts()
    await screen.shows("$0.00")

    screen.types("?")
    await screen.shows("Help", "this list")
    screen.presses("escape")
    await screen.hides("this list")
    screen.types("why")
    await screen.shows("> why")
    screen.types("?")
    await screen.shows("> why?", lambda text: "this list" not in text)
    screen.presses("enter")
    await screen.shows("Here I am.")

    screen.types("/theme")
    screen.presses("enter")
    await screen.shows("dark letters on a light ground", "the terminal's own 16 colours")
    screen.types("light")
    await screen.hides("the terminal's own 16 colours")
    start = len(screen.raw)
    screen.presses("enter")
    await screen.shows(lambda text: 'theme="light"below[tui]' in "".join(text.split()), "Here I am.")
    assert b"48;2;251;251;249" in screen.raw[start:]  # the ground of the light theme

    screen.types("/theme none")
    screen.presses("enter")
    await screen.shows(lambda text: 'theme="none"below[tui]' in "".join(text.split()), "Here I am.")
    start = len(screen.raw)
    screen.presses("ctrl+l")
    await screen.shows(lambda _: b"I am." in screen.raw[start:], "Here I am.")
    assert not COLOUR.search(bytes(screen.raw[start:]))
    assert not (yeaft.dir / "config.toml").exists()


async def test_a_hit_of_the_search_is_gone_to_in_another_session_and_in_this_one(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    numbers = "\n".join(f"number {number}" for number in range(1, 201))
    await serve(Script(lines=(Line(steps=(Says(text=numbers),), repeat=True),)))
    await yeaft.run("where is the needle?")
    await yeaft.run("-c", "and the thread?")
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows("$0.00")

    for _ in ("in another Session", "in this one"):
        screen.types("/search needle")
        screen.presses("enter")
        await screen.shows("Search all Sessions", "where is the needle?")
        screen.presses("enter")
        await screen.shows("❯ where is the needle?", "number 5", "↓", lambda text: "Search all" not in text)
        screen.sends(CTRL_END)
        await screen.shows("number 200", lambda text: "❯ where is the needle?" not in text)


async def test_a_session_of_another_process_is_read_while_it_goes_on_but_not_opened_twice(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    await serve(Script(lines=(Line(steps=(Says(text="Good morning."), Says(text="Good night."))),)))
    first = terminals(columns=80, rows=24)
    first.starts()
    await first.shows("$0.00")
    first.types("hello")
    first.presses("enter")
    await first.shows("Good morning.", "answered")
    assert (await yeaft.run("session", "ls", "--json")).code == 0

    second = terminals(columns=80, rows=24)
    second.starts("-c")
    await second.shows("cannot be opened", "in use by", "1  Begin a new Session", "2  Only look on", READY)
    second.types("2")
    await second.shows("you only look on", "❯ hello", "Good morning.")
    first.types("and now?")
    first.presses("enter")
    await first.shows("Good night.")
    await second.shows("❯ and now?", "Good night.")
    second.presses("escape")
    await second.shows("cannot be opened", READY)
    second.presses("escape")
    assert await second.leaves() != 0

    third, onlooker = terminals(columns=80, rows=24), terminals(columns=80, rows=24)
    third.starts("-c")
    await third.shows("1  Begin a new Session", READY)
    third.types("1")
    await third.shows("works in this folder, too", "git worktree add")
    third.presses("ctrl+d")
    assert await third.leaves() == 0

    onlooker.starts("-c")
    await onlooker.shows("2  Only look on", READY)
    onlooker.types("2")
    await onlooker.shows("you only look on", "Good night.")
    os.kill(onlooker.pid, signal.SIGTERM)
    assert await onlooker.leaves() == 143
    assert are_usual(onlooker), modes(onlooker)
    first.presses("ctrl+d")
    assert await first.leaves() == 0
