"""What stands in the transcript of a real terminal, and what a user takes from it."""

import base64
import re
from pathlib import Path

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.screen import Screen
from e2e.tui.ways import goes_up_to
from yeaft.llm.scripted.script import Calls, Holds, Line, Says, Script, ScriptedCall

CLEAR = re.compile(rb"\x1b\[[23]J")
NUMBERS = "\n".join(f"number {number} ends" for number in range(1, 201))
CTRL_HOME, ALT_T, CTRL_O = b"\x1b[1;5H", b"\x1bt", b"\x0f"


def program(folder: Path, name: str, script: str) -> Path:
    """A program of the user's own."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def content(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def runs(command: str) -> Script:
    call = ScriptedCall(tool="Bash", id="b1", args={"command": command})
    return Script(lines=(Line(steps=(Calls(calls=(call,)), Says(text="It is done."))),))


def in_order(text: str) -> list[int]:
    """The numbers on the screen, if each of them stands below the one before it."""
    found = [int(number) for number in re.findall(r"number (\d+) ends", text)]
    return found if found and found == list(range(found[0], found[0] + len(found))) else []


async def asks(screen: Screen, text: str, *wanted: str) -> None:
    screen.starts()
    await screen.shows("$0.00")
    screen.types(text)
    screen.presses("enter")
    await screen.shows(*wanted)


async def test_resizing_while_an_answer_streams_loses_and_doubles_nothing(serve: Serve, terminals: Terminals) -> None:
    answer = Holds(of=Says(text=NUMBERS, chunk=9), after_events=200, gate="g")
    server = await serve(Script(lines=(Line(steps=(answer,)),)))
    screen = terminals(columns=80, rows=24)
    await asks(screen, "count", "number")
    first = len(screen.raw)

    for columns in (40, 80, 40, 80, 40):
        screen.resizes(columns, 24)
        await screen.shows(lambda text: bool(in_order(text)))
    server.release("g")
    screen.resizes(80, 24)
    await screen.shows("number 200 ends", "answered")

    screen.sends(CTRL_HOME)
    await screen.shows(lambda text: in_order(text)[:1] == [1])
    seen = set(in_order(screen.text))
    while 200 not in seen:
        last = max(seen)
        screen.presses("pagedown")
        await screen.shows(lambda text, last=last: in_order(text)[-1:] > [last])
        assert in_order(screen.text)[0] <= last + 1
        seen.update(in_order(screen.text))
    assert seen == set(range(1, 201))
    assert not CLEAR.search(bytes(screen.raw[first:]))


async def test_a_line_that_comes_costs_no_more_than_a_screen(serve: Serve, terminals: Terminals) -> None:
    await serve(Script(lines=(Line(steps=(Says(text=NUMBERS, chunk=40, delay_s=0.001),)),)))
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows("$0.00")
    start = len(screen.raw)

    screen.types("count")
    screen.presses("enter")
    await screen.shows("number 200 ends", "answered")

    assert len(screen.raw) - start < 200 * 4096
    assert not CLEAR.search(bytes(screen.raw[start:]))


async def test_endless_output_fills_no_frame_and_can_be_read_to_its_end(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    await serve(runs("yes needle | head -50000; yes yyyyyyyyy | head -500000 | tr -d '\\n'"))
    pager = program(yeaft.home / "bin", "page", 'cat "$1" > "$HOME/paged"; echo pager-was-here')
    screen = terminals(columns=80, rows=24, PAGER=str(pager), MANPAGER="false")
    screen.starts("--mode", "auto", "--trust")
    await screen.shows("$0.00")
    start = len(screen.raw)
    screen.types("go")
    screen.presses("enter")
    await screen.shows("It is done.")

    screen.sends(CTRL_O)
    await screen.shows("more lines")
    screen.sends(ALT_T)
    await screen.shows("▌")
    await goes_up_to(screen, "✓ Bash")
    screen.types("p")
    await screen.shows(lambda _: b"pager-was-here" in screen.raw)

    assert content(yeaft.home / "paged").count("needle") > 10_000
    await screen.shows("✓ Bash")
    assert len(screen.raw) - start < 256 * 1024  # all frames together: 5 MB in one line and 50,000 lines were printed


async def test_copying_says_which_way_the_text_went(serve: Serve, terminals: Terminals, yeaft: Yeaft) -> None:
    answer = "# Title\n\n- **one**\n- 二\n\n```py\nx = 1\n```\n"
    await serve(Script(lines=(Line(steps=(Says(text=answer),), repeat=True),)))
    screen = terminals(columns=100, rows=30, TMPDIR=str(yeaft.home))
    await asks(screen, "hello", "answered")

    screen.types("/copy")
    screen.presses("enter")
    await screen.shows("OSC 52", "cannot be checked")
    assert b"\x1b]52;c;" + base64.b64encode(answer.encode()) in screen.raw

    screen.types("/copy code --file")
    screen.presses("enter")
    text = await screen.shows("Written to")
    path = re.search(r"(/\S*yeaft-copy-\S*\.md)", re.sub(r"\s*\n\s*", "", text))
    assert path is not None
    assert content(Path(path[1])) == "x = 1\n"


async def test_a_tool_of_the_desktop_is_preferred_for_copying(serve: Serve, terminals: Terminals, yeaft: Yeaft) -> None:
    await serve(Script(lines=(Line(steps=(Says(text="An *answer*."),), repeat=True),)))
    program(yeaft.home / "bin", "xclip", 'cat > "$HOME/clipboard"')
    screen = terminals(DISPLAY=":9", PATH=f"{yeaft.home / 'bin'}:{yeaft.environ['PATH']}")
    await asks(screen, "hello", "answered")

    screen.types("/copy")
    screen.presses("enter")

    await screen.shows("Copied with xclip")
    assert content(yeaft.home / "clipboard") == "An *answer*."
    assert b"\x1b]52" not in screen.raw


async def test_what_was_said_is_searched_while_one_types(serve: Serve, terminals: Terminals) -> None:
    await serve(Script(lines=(Line(steps=(Says(text=NUMBERS + "\na needle\n" + NUMBERS),)),)))
    screen = terminals(columns=80, rows=24)
    await asks(screen, "count", "answered")

    screen.presses("ctrl+f")
    await screen.shows("search")
    screen.types("needle")
    await screen.shows("a needle", "1 of 1")
    screen.presses("escape")

    await screen.hides("search:")
    screen.types("go on")
    await screen.shows("go on")
