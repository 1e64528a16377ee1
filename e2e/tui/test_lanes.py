"""Several VPs at work at once: a lane for each, one of them watched, and nobody's words among another's."""

from collections.abc import Callable

from e2e.conftest import Serve, Terminals
from e2e.tui.ways import PRIVATE_MODE
from yeaft.llm.scripted.script import Fails, Holds, Line, Says, Script

VPS = ("omni", "skeptic", "builder", "reviewer")


def each_says(vp: str) -> Line:
    """It begins to speak, and goes on once the gate with its name is open."""
    said = Says(text=f"{vp}word " * 12 + f"end-of-{vp}")
    return Line(vp=vp, steps=(Holds(of=said, after_events=8, gate=vp),))


def speaks(vp: str) -> Callable[[str], bool]:
    """Whether the lane of a VP shows its own words and nobody else's."""

    def holds(text: str) -> bool:
        lines = [line for line in text.splitlines() if f"@{vp} " in line and "speaks" in line]
        others = [f"{other}word" for other in VPS if other != vp]
        return any(f"{vp}word" in line and not any(word in line for word in others) for line in lines)

    return holds


def has_said(vp: str) -> Callable[[str], bool]:
    """Whether the whole answer of a VP stands under its own name, with nobody else's words in it."""

    def holds(text: str) -> bool:
        own = text.partition(f"@{vp}  env/")[2].partition("─ answered")[0]
        return f"end-of-{vp}" in own and not any(f"{other}word" in own for other in VPS if other != vp)

    return holds


async def test_four_vps_speak_at_once_each_in_a_lane_of_its_own(serve: Serve, terminals: Terminals) -> None:
    server = await serve(Script(lines=tuple(each_says(vp) for vp in VPS)))
    screen = terminals(columns=100, rows=40)
    screen.starts()
    await screen.shows("$0.00")

    screen.types(" ".join(f"@{vp}" for vp in VPS) + " speak up")
    screen.presses("enter")

    await screen.shows(*(speaks(vp) for vp in VPS))
    for vp in VPS:
        server.release(vp)
    await screen.hides("speaks")
    await screen.shows(*(has_said(vp) for vp in VPS))
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0


async def test_who_waits_sees_it_and_f3_and_alt_with_a_number_watch_another_lane(
    serve: Serve, terminals: Terminals
) -> None:
    lines = [Line(vp=vp, steps=(Says(text=f"{vp}word " * 2_000, delay_s=0.05),)) for vp in VPS[:2]]
    await serve(Script(lines=tuple(lines)))
    screen = terminals(columns=100, rows=30)
    screen.starts()
    await screen.shows("$0.00")
    screen.types("@omni @skeptic talk")
    screen.presses("enter")
    await screen.shows(speaks("omni"), speaks("skeptic"))

    drawn = len(screen.raw)
    await screen.shows(lambda text: "2s" in text)
    assert not [number for number, _ in PRIVATE_MODE.findall(bytes(screen.raw[drawn:])) if number == b"1049"]
    assert b"\x1b[2J" not in screen.raw[drawn:]

    screen.sends(b"\x1b2")
    await screen.shows(lambda text: _watched(text) == "skeptic")
    screen.sends(b"\x1bOR")
    await screen.shows(lambda text: _watched(text) == "omni")

    screen.presses("escape")
    await screen.shows("@omni stopped", lambda text: "@skeptic  speaks" in text)
    screen.presses("ctrl+c")
    await screen.hides("speaks")
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0


def _watched(text: str) -> str:
    line = next((line for line in text.splitlines() if line.startswith("▸")), "")
    return line.partition("@")[2].partition(" ")[0]


async def test_a_crowded_provider_is_told_in_plain_words_with_a_countdown(serve: Serve, terminals: Terminals) -> None:
    busy = Fails(status=529)
    await serve(Script(lines=(Line(steps=(busy, busy, busy, busy)),)))
    screen = terminals(columns=100, rows=30)
    screen.starts("--set", "retry.base_delay_s=20")
    await screen.shows("$0.00")

    screen.types("hello")
    screen.presses("enter")

    await screen.shows("env is overloaded (529), not your machine; again in", "Esc stops")
    screen.presses("escape")
    await screen.shows("@omni stopped")
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0
