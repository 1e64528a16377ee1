"""What terminals can show differs: colours, glyphs and sequences are only what TERM, COLORTERM, NO_COLOR and locale say."""

import re

import pytest

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.screen import Screen
from e2e.tui.ways import answers

SGR = re.compile(rb"\x1b\[([0-9;:]*)m")
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


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "full"),
        ({"TERM": "xterm-256color", "COLORTERM": ""}, "256"),
        ({"TERM": "xterm", "COLORTERM": ""}, "ansi"),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, "none"),
        ({"TERM": "xterm", "COLORTERM": "", "NO_COLOR": "1"}, "none"),
        ({"TERM": "vt100", "COLORTERM": ""}, "none"),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "CLICOLOR": "0"}, "none"),
    ],
)
async def test_no_colour_is_written_that_the_terminal_cannot_show_or_the_user_does_not_want(
    serve: Serve, terminals: Terminals, environ: dict[str, str], expected: str
) -> None:
    await serve(answers("Good **morning**, see [this](https://example.org/)."))
    screen = terminals(columns=80, rows=24, knows_frames=environ["TERM"] != "vt100", **environ)
    screen.starts()
    await screen.shows("$0.00")
    screen.types("hello [bold]")
    screen.presses("enter")
    await screen.shows("hello [bold]", "morning", "answered")
    screen.presses("ctrl+d")

    assert await screen.leaves() == 0
    assert colours(screen) == expected
    assert "[bold]" in screen.text or "yeaft -r" in screen.text


async def test_the_theme_that_the_user_has_chosen_wins(serve: Serve, terminals: Terminals, yeaft: Yeaft) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts("--set", "tui.theme=ansi")
    await screen.shows("$0.00")
    screen.types("hello")
    screen.presses("enter")
    await screen.shows("Good morning.", "answered")
    screen.presses("ctrl+d")

    assert await screen.leaves() == 0
    assert colours(screen) == "ansi"


async def test_an_ascii_locale_gets_ascii_alone(serve: Serve, terminals: Terminals, yeaft: Yeaft) -> None:
    await serve(answers("Good morning."))
    yeaft.environ["LANG"] = "C"
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows("$0.00")
    screen.types("hello")
    screen.presses("enter")
    await screen.shows("Good morning.", "answered")
    screen.presses("ctrl+d")

    assert await screen.leaves() == 0
    assert bytes(screen.raw).isascii()


async def test_a_light_terminal_that_says_so_gets_the_light_theme(serve: Serve, terminals: Terminals) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows("$0.00")

    screen.sends(b"\x1b]11;rgb:ffff/ffff/f0f0\x1b\\")
    await screen.shows(lambda _: b"48;2;251;251;249" in screen.raw)

    assert "rgb" not in screen.text
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0


async def test_standard_error_that_leads_elsewhere_does_not_take_the_screen_along(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts_program("/bin/sh", "-c", f"exec {' '.join(yeaft.command())} 2> errors.txt")

    await screen.shows("$0.00")
    screen.types("hello")
    screen.presses("enter")
    await screen.shows("Good morning.")
    screen.presses("ctrl+d")

    assert await screen.leaves() == 0
    assert (yeaft.folder / "errors.txt").read_text() == ""


@pytest.mark.parametrize(
    "noise", [b"\x1b[<0;NaN;3M", b"\x1b[<999999999999;1;1M", b"\xff\xfe\x80", b"\x1b[48;x;yt", b"\x1bP+q\x1b\\"]
)
async def test_broken_sequences_in_the_input_do_no_harm(serve: Serve, terminals: Terminals, noise: bytes) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows("$0.00")

    screen.sends(noise)
    screen.presses("ctrl+c")
    screen.types("hello")
    await screen.shows("hello")
    screen.presses("enter")

    await screen.shows("Good morning.")
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0
