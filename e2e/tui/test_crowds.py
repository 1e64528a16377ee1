"""Many at work at once: the screen is drawn no more often for it, and keys are answered."""

import asyncio

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.screen import Screen
from yeaft.llm.scripted.script import Calls, Line, Says, Script, ScriptedCall

VPS = ("omni", "skeptic", "builder", "reviewer", "tester", "writer")
FRAME = b"\x1b[?2026h"
KNOWS_FRAMES = b"\x1b[?2026;2$y"
"""What a terminal answers that draws a frame at once: from then on, each is marked."""
MOST_FRAMES_A_SECOND = 15
WANTED, AGENTS = 100, 64
"""So many are asked for, and so many may be at once at most."""
LIMITS = f"""
[limits]
agents_per_vp = {AGENTS}
agents_per_session = {AGENTS}
agents_per_message = {AGENTS}
"""


async def starts(screen: Screen, *words: str) -> None:
    screen.starts(*words)
    await screen.shows("$0.00")
    screen.sends(KNOWS_FRAMES)


async def frames_a_second(screen: Screen, last: str) -> float:
    """Count the frames from now on until `last` stands on the screen."""
    clock = asyncio.get_running_loop().time
    began, start = clock(), len(screen.raw)
    await screen.shows(last)
    return screen.raw[start:].count(FRAME) / (clock() - began)


async def test_six_vps_that_stream_at_once_are_drawn_fifteen_times_a_second_at_most(
    serve: Serve, terminals: Terminals
) -> None:
    says = [Says(text=f"{vp} **word**\n", chunk=4, times=90, delay_s=0.01) for vp in VPS]
    await serve(Script(lines=tuple(Line(vp=vp, steps=(one,)) for vp, one in zip(VPS, says, strict=True))))
    screen = terminals(columns=100, rows=40)
    await starts(screen)
    screen.types(" ".join(f"@{vp}" for vp in VPS) + " speak up")
    screen.presses("enter")
    await screen.shows(*(f"@{vp}  speaks" for vp in VPS))

    rate = await frames_a_second(screen, "answered")

    assert 1 < rate <= MOST_FRAMES_A_SECOND


async def test_a_hundred_sub_agents_asked_for_at_once_do_not_freeze_the_screen(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    yeaft.dir.mkdir(exist_ok=True)
    (yeaft.dir / "config.toml").write_text(LIMITS)
    orders = [
        ScriptedCall(tool="SpawnAgent", id=f"a{number}", args={"name": f"scout-{number}", "mission": "look at it"})
        for number in range(WANTED)
    ]
    looks = Line(when="look at it", repeat=True, steps=(Says(text="I look. ", times=30, delay_s=0.2),))
    await serve(Script(lines=(Line(when="send", steps=(Calls(calls=tuple(orders)), Says(text="Sent."))), looks)))
    screen = terminals(columns=120, rows=30)
    await starts(screen, "--mode", "auto")
    screen.types("send them")
    screen.presses("enter")
    await screen.shows(f"agents: {AGENTS}")

    screen.sends(b"\x1bOQ")
    await screen.shows(f"scout-{AGENTS - 1}", "running")
    start = len(screen.raw)
    for end in range(1, 11):
        screen.types("abcdefghij"[end - 1])
        await screen.shows(f"> {'abcdefghij'[:end]}")

    assert screen.raw[start:].count(FRAME) <= 60
