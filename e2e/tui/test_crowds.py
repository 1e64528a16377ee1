"""Many at work at once: the screen is drawn no more often for it, and keys are answered."""

import re

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.screen import FRAME, Screen
from yeaft.llm.scripted.script import Calls, Line, Says, Script, ScriptedCall

FRAMES = re.compile(rb"\x1b\[\?2026h(.*?)\x1b\[\?2026l", re.DOTALL)
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


async def test_a_hundred_sub_agents_asked_for_at_once_do_not_freeze_the_screen(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    yeaft.dir.mkdir(exist_ok=True)
    (yeaft.dir / "config.toml").write_text(LIMITS)
    orders = [
        ScriptedCall(tool="SpawnAgent", id=f"a{number}", args={"name": f"scout-{number}", "mission": "look at it"})
        for number in range(WANTED)
    ]
    looks = Line(when="look at it", repeat=True, steps=(Says(text="I look. ", times=500, delay_s=0.2),))
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


async def test_what_is_typed_while_a_reply_streams_is_drawn_before_more_of_that(
    serve: Serve, terminals: Terminals
) -> None:
    streams = Says(text="one **word** after another ", chunk=20, times=3_000, delay_s=0.01)
    await serve(Script(lines=(Line(when="talk", steps=(streams,)),)))
    screen = terminals(columns=100, rows=30)
    await starts(screen)
    screen.types("talk")
    screen.presses("enter")
    await screen.shows("after another one")

    start, signs = len(screen.raw), "龘龖龗龕龔"
    for end in range(1, len(signs) + 1):
        screen.types(signs[end - 1])
        await screen.shows(f"> {signs[:end]}")
        seen = len(screen.raw)
        await screen.shows(lambda _, seen=seen: b"word" in screen.raw[seen:])

    frames = [frame.decode() for frame in FRAMES.findall(bytes(screen.raw[start:]))]
    for sign in signs:
        first = next(frame for frame in frames if sign in frame)
        assert "word" not in first
