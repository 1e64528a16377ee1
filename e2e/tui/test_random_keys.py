"""Keys in any order, pastes and new sizes while three VPs speak: the screen neither ends nor hangs, and leaves in order."""

import asyncio
import os
import random
import signal
from collections.abc import Callable

import pytest

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.screen import KEYS, Screen
from e2e.tui.ways import are_usual, modes
from yeaft.llm.scripted.script import Calls, Line, Says, Script, call

VPS = ("omni", "skeptic", "builder")
SIZES = ((80, 24), (40, 12), (100, 30), (20, 6), (200, 50), (10, 3))
OTHER_KEYS = (
    *(b"\x1bO" + letter for letter in (b"P", b"Q", b"R", b"S")),
    *(f"\x1b[{number}~".encode() for number in (15, 17, 18, 24)),
    *(b"\x1b" + bytes([code]) for code in b"abdefhqrstwxy12345"),
    *(f"\x1b[1;{modifier}{letter}".encode() for modifier in (2, 3, 5) for letter in "ABCDHF"),
    *(f"\x1b[<{button};{column};{row}{end}".encode() for button in (0, 64, 65) for column, row in ((3, 3), (30, 9)) for end in "Mm"),
    b"\x1b[I", b"\x1b[O", b"\x1b[<0;999;999M", b"\x1b[200~", b"\x1b[201~", b"\xff\xfe", b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\",
)  # fmt: skip
NEVER = {"ctrl+z", "ctrl+d", "ctrl+c", "ctrl+q"}
"""What is meant to stop or end it."""
WORDS = (
    "hello ",
    "@skeptic ",
    "@builder ",
    "/",
    "/help",
    "/model ",
    "@",
    "你好 ",
    "👨‍👩‍👧 ",
    "[b]x[/b] ",
    "?",
    "1",
    "q",
    "n",
    "y",
    "\\",
)


def speaks() -> Script:
    long = Says(text="**word** `code` 你好\n\n- item\n" * 400, chunk=12, delay_s=0.01)
    asks = Calls(calls=(call("FileWrite", file_path="a.txt", content="x\n"),), text="Let me write.", chunk=4)
    lines = [Line(vp=vp, steps=(long, asks, *([long] * 60)), repeat=True) for vp in VPS]
    return Script(lines=tuple(lines))


def moves(dice: random.Random) -> Callable[[Screen], None]:
    """Return something that somebody could do at a terminal."""
    kind = dice.random()
    if kind < 0.45:
        key = KEYS[dice.choice([name for name in KEYS if name not in NEVER])].encode()
        return lambda screen: screen.sends(key)
    if kind < 0.70:
        raw = dice.choice(OTHER_KEYS)
        return lambda screen: screen.sends(raw)
    if kind < 0.90:
        text = dice.choice(WORDS)
        return lambda screen: screen.types(text)
    if kind < 0.97:
        size = dice.choice(SIZES)
        return lambda screen: screen.resizes(*size)
    text = dice.choice(("pasted\n" * 3, "line\n" * 500, "x" * 5_000, "long words " * 100_000))
    return lambda screen: screen.pastes(text)


async def plays(screen: Screen, seed: int, steps: int) -> None:
    """Do many things; every now and then it must have drawn what was asked for."""
    dice = random.Random(seed)
    for number in range(steps):
        moves(dice)(screen)
        await asyncio.to_thread(os.sched_yield)
        if number % 20 == 19:
            await answers_still(screen)


async def answers_still(screen: Screen) -> None:
    """Wait until the screen draws anew because it was asked to; what is typed while an editor opens is for nobody."""
    seen = len(screen.raw)
    for _ in range(3):
        screen.sends(b"\x1b[201~")  # ends a paste that was begun and never ended
        screen.presses("ctrl+l")
        if await screen.has_written(b"\x1b[2J", since=seen):
            return
    pytest.fail(f"the screen does not draw any more: process {screen.pid}")


@pytest.mark.parametrize("how", [(1, 80, 24, "en"), (2, 40, 12, "zh"), (3, 80, 24, "zh")])
async def test_whatever_is_pressed_the_screen_lives_and_leaves_in_order(
    yeaft: Yeaft, serve: Serve, terminals: Terminals, how: tuple[int, int, int, str]
) -> None:
    seed, columns, rows, lang = how
    await serve(speaks())
    screen = terminals(columns=columns, rows=rows, VISUAL="true", PAGER="true")
    screen.starts("--lang", lang, *(word for vp in VPS for word in ("--vp", vp)))
    await screen.shows("$0.00")
    screen.types("@omni @skeptic @builder go on")
    screen.presses("enter")
    await screen.shows("word")

    await plays(screen, seed, 80)
    os.kill(screen.pid, signal.SIGTERM)

    code = await screen.leaves()
    crashes = "\n".join(path.read_text(encoding="utf-8") for path in yeaft.dir.glob("logs/crash-*"))
    assert not crashes, crashes
    assert code == 143, screen.text
    assert are_usual(screen), modes(screen)
