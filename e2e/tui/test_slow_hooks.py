"""A message whose hooks take their time: it waits alone, all else goes on, and the user can have it back."""

import asyncio
import json

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.tui.test_approving import appears
from yeaft.llm.scripted.script import Holds, Line, Says, Script

ON_ITS_WAY = "On its way"


def judges_slowly(yeaft: Yeaft) -> None:
    """The user's hook thinks about messages that say so until there is a file `go`."""
    wait = "grep -q think || exit 0; touch judging; until [ -e go ]; do sleep 0.05; done"
    hooks = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": wait}]}]}
    yeaft.dir.mkdir(exist_ok=True)
    (yeaft.dir / "hooks.json").write_text(json.dumps({"hooks": hooks}))


async def test_others_are_seen_to_work_while_a_message_waits_for_its_hooks(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    judges_slowly(yeaft)
    long = Holds(of=Says(text="One. Two. Three."), after_events=6, gate="g")
    server = await serve(
        Script(
            lines=(
                Line(vp="omni", steps=(long,)),
                Line(vp="skeptic", when="think", steps=(Says(text="Thought over."),)),
                Line(vp="skeptic", when="then", steps=(Says(text="And then that."),)),
            )
        )
    )
    screen = terminals(columns=90, rows=24)
    screen.starts()
    await screen.shows("$0.00")
    screen.types("count")
    screen.presses("enter")
    await screen.shows("One.")

    screen.types("@skeptic think about it")
    screen.presses("enter")
    await screen.shows(ON_ITS_WAY, "@skeptic think about it")
    server.release("g")
    await screen.shows("Three.", ON_ITS_WAY)
    screen.types("@skeptic then this")
    await screen.shows("> @skeptic then this")
    screen.presses("enter")
    await screen.hides("> @skeptic then this")
    (yeaft.folder / "go").touch()

    await screen.shows("Thought over.", "And then that.")
    await screen.hides(ON_ITS_WAY)


async def test_a_message_that_waits_for_its_hooks_can_be_had_back_and_is_a_draft_for_whoever_leaves(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    judges_slowly(yeaft)
    server = await serve(Script(lines=(Line(steps=(Says(text="Never asked."),)),)))
    screen = terminals(columns=90, rows=24)
    screen.starts()
    await screen.shows("$0.00")
    for key in ("escape", "ctrl+c"):
        screen.types("think about it")
        screen.presses("enter")
        await screen.shows(ON_ITS_WAY)
        await asyncio.to_thread(appears, yeaft.folder / "judging")
        screen.presses(key)
        await screen.shows("> think about it")
        await screen.hides(ON_ITS_WAY)
        screen.presses("ctrl+u")
        await screen.hides("> think")

    screen.types("think about it")
    screen.presses("enter")
    await screen.shows(ON_ITS_WAY)
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0

    again = terminals(columns=90, rows=24)
    again.starts()
    await again.shows("> think about it")
    assert not server.requests


async def test_what_is_queued_is_said_one_by_one_though_hooks_hold_it_up(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    judges_slowly(yeaft)
    first = Holds(of=Says(text="First done."), after_events=4, gate="g")
    said = {"begin": first, "think": Says(text="Thought over."), "last": Says(text="Last done.")}
    server = await serve(Script(lines=tuple(Line(when=when, steps=(step,)) for when, step in said.items())))
    screen = terminals(columns=90, rows=24)
    screen.starts()
    await screen.shows("$0.00")
    screen.types("begin")
    screen.presses("enter")
    await screen.shows("added to what runs")
    for count, text in enumerate(("think first", "the last thing"), start=1):
        screen.types(text)
        screen.sends(b"\x1bq")
        await screen.shows(f"{count} queued")
    server.release("g")

    await screen.shows(ON_ITS_WAY, "1 queued", "1. the last thing")
    (yeaft.folder / "go").touch()
    await screen.shows("Thought over.", "Last done.")
    assert len(server.requests) == 3
    assert "Thought over." in server.requests[-1].raw.decode()
