"""What several stories of the full screen have in common: scripts, and what a terminal has to get back."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable

from e2e.given import PATIENCE_S
from e2e.screen import Screen
from yeaft.llm.scripted.script import Calls, Line, Says, Script, ScriptedCall

LOOK_AGAIN_S = 0.01
PRIVATE_MODE = re.compile(rb"\x1b\[\?(\d+)([hl])")
USUAL = {
    **dict.fromkeys((1000, 1003, 1004, 1006, 1015, 1016, 1049, 2004, 2048), "l"),
    **dict.fromkeys((7, 25), "h"),
}
"""The modes that a program on the whole screen changes, and how a shell wants to find them."""


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that no screen shows; `Screen.shows` looks only when something was written."""
    async with asyncio.timeout(PATIENCE_S):
        while not await asyncio.to_thread(_holds_soon, holds):
            pass


def _holds_soon(holds: Callable[[], bool]) -> bool:
    """Look, and before looking again leave the processor for a while to those who are waited for."""
    if holds():
        return True
    time.sleep(LOOK_AGAIN_S)
    return holds()


def modes(screen: Screen) -> dict[int, str]:
    """How each private mode was left that was ever changed."""
    return {int(number): how.decode() for number, how in PRIVATE_MODE.findall(bytes(screen.raw))}


def are_usual(screen: Screen) -> bool:
    """Whether the terminal is as a shell wants to find it, the keyboard included, and does not wait for a frame."""
    left = modes(screen)
    has_modes = all(left.get(number) == how for number, how in USUAL.items()) and left.get(2026, "l") == "l"
    return has_modes and screen.raw.count(b"\x1b[<u") == screen.raw.count(b"\x1b[>25u")


def after_the_screen(screen: Screen) -> bytes:
    """What was written once the terminal was given back."""
    return bytes(screen.raw.rpartition(b"\x1b[?1049l")[2])


def marked(text: str) -> str:
    """What the cursor of the transcript stands on, as far as it is in view; empty for nothing."""
    return "\n".join(line for line in text.splitlines() if line.startswith("▌"))


async def goes_up_to(screen: Screen, wanted: str) -> None:
    """Let the cursor of the transcript go up until it stands on something that holds `wanted`."""
    while wanted not in (before := marked(screen.text)):
        screen.types("k")
        await screen.shows(lambda text, before=before: marked(text) not in ("", before))


def answers(*texts: str) -> Script:
    """A script that says these one after another."""
    return Script(lines=(Line(steps=tuple(Says(text=text) for text in texts)),))


def speaks_for_long(words: int = 2_000) -> Script:
    """A script that goes on speaking until it is stopped, and answers shortly after that."""
    return Script(
        lines=(Line(steps=(Says(text="word " * words, delay_s=0.05), Says(text="Here again.")), repeat=True),)
    )


def runs(command: str, **more: object) -> Script:
    """A script that starts a command and then says so."""
    call = ScriptedCall(tool="Bash", id="b1", args={"command": command, **more})
    return Script(lines=(Line(steps=(Calls(calls=(call,)), Says(text="It runs.")), repeat=True),))
