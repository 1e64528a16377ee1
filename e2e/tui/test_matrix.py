"""What terminals can show differs: colours, glyphs and sequences are only what TERM, COLORTERM, NO_COLOR and locale say."""

import re

import pytest

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.screen import Screen
from e2e.tui.ways import after_the_screen, answers, are_usual, modes

SGR = re.compile(rb"\x1b\[([0-9;:]*)m")
BROKEN = (b"\x1b[<0;NaN;3M", b"\x1b[<999999999999;1;1M", b"\xff\xfe\x80", b"\x1b[48;x;yt", b"\x1bP+q\x1b\\")
NO_COLOUR = {"", "0", "1", "2", "3", "4", "7", "9", "22", "23", "24", "27", "29", "39", "49"}


def colours(screen: Screen) -> str:
    """How rich the richest colour is that was written: none, ansi, 256 or full."""
    found = "none"
    for raw in SGR.findall(bytes(screen.raw)):
        text = raw.decode()
        if "38;2;" in text or "48;2;" in text:
            return "full"
        if "38;5;" in text or "48;5;" in text:
            found = "256"
        elif found == "none" and not set(text.split(";")) <= NO_COLOUR:
            found = "ansi"
    return found


FULL = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


@pytest.mark.parametrize(
    ("environ", "lang", "expected"),
    [
        (FULL, "C.UTF-8", "full"),
        ({"TERM": "tmux-256color", "COLORTERM": "truecolor"}, "C", "full"),
        ({"TERM": "screen-256color", "COLORTERM": ""}, "C.UTF-8", "256"),
        ({"TERM": "xterm", "COLORTERM": ""}, "C.UTF-8", "ansi"),
        ({"TERM": "screen", "COLORTERM": ""}, "C", "ansi"),
        ({"TERM": "linux", "COLORTERM": ""}, "C", "ansi"),
        ({"TERM": "rxvt", "COLORTERM": ""}, "C.UTF-8", "ansi"),
        ({"TERM": "nonsense", "COLORTERM": ""}, "C", "ansi"),
        ({"TERM": "vt100", "COLORTERM": ""}, "C.UTF-8", "none"),
        ({**FULL, "NO_COLOR": "1"}, "C.UTF-8", "none"),
    ],
    ids=lambda one: one["TERM"] if isinstance(one, dict) else one,
)
async def test_any_terminal_holds_a_conversation_in_what_it_can_show_and_gets_its_modes_back(
    serve: Serve, terminals: Terminals, environ: dict[str, str], lang: str, expected: str
) -> None:
    await serve(answers("Good **morning**, see [this](https://example.org/)."))
    screen = terminals(columns=80, rows=24, knows_frames=environ["TERM"] != "vt100", LANG=lang, **environ)
    screen.starts()
    await screen.shows("$0.00")
    screen.types("hello [bold]")
    await screen.shows("hello [bold]")
    screen.presses("enter")
    await screen.shows("hello [bold]", "morning", "answered")
    screen.presses("ctrl+d")

    assert await screen.leaves() == 0
    assert colours(screen) == expected
    assert are_usual(screen), modes(screen)
    assert b"yeaft -r " in after_the_screen(screen)
    assert b"Traceback" not in screen.raw
    assert lang == "C.UTF-8" or bytes(screen.raw).isascii()


async def test_standard_error_that_leads_elsewhere_takes_neither_the_screen_nor_the_chosen_theme_along(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts_program("/bin/sh", "-c", f"exec {' '.join(yeaft.command('--set', 'tui.theme=ansi'))} 2> errors.txt")

    await screen.shows("$0.00")
    screen.types("hello")
    screen.presses("enter")
    await screen.shows("Good morning.")
    screen.presses("ctrl+d")

    assert await screen.leaves() == 0
    assert (yeaft.folder / "errors.txt").read_text() == ""
    assert colours(screen) == "ansi"


async def test_broken_sequences_do_no_harm_and_a_terminal_that_says_it_is_light_gets_the_light_theme(
    serve: Serve, terminals: Terminals
) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows("$0.00")

    for noise in BROKEN:
        screen.sends(noise)
        screen.presses("ctrl+c")
        screen.types("hello")
        await screen.shows("> hello")
        screen.presses("ctrl+u")
        await screen.shows("Write a message")
    assert b"48;2;251;251;249" not in screen.raw
    screen.sends(b"\x1b]11;rgb:ffff/ffff/f0f0\x1b\\")
    await screen.shows(lambda _: b"48;2;251;251;249" in screen.raw)
    assert "rgb" not in screen.text
    screen.types("hello")
    await screen.shows("hello")
    screen.presses("enter")

    await screen.shows("Good morning.")
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0
