"""What is written and not said when a signal comes is there again next time."""

import json
import os
import signal

import pytest

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.screen import Screen
from e2e.tui.ways import answers, are_usual, modes

READY = "$0.00"


async def ends_by_a_signal(screen: Screen) -> None:
    os.kill(screen.pid, signal.SIGTERM)
    assert await screen.leaves() == 143
    assert are_usual(screen), modes(screen)


@pytest.mark.parametrize("is_resumed", [False, True])
async def test_a_draft_written_while_a_session_opens_is_its_draft_next_time(
    serve: Serve, terminals: Terminals, yeaft: Yeaft, is_resumed: bool
) -> None:
    await serve(answers("Good morning.", "Good morning."))
    words = ("-r", await yeaft.has_talked("hello")) if is_resumed else ()
    screen = terminals(columns=80, rows=24)
    screen.starts(*words)
    screen.types("a thought, 你好")
    await screen.shows("> a thought, 你好")

    await ends_by_a_signal(screen)

    again = terminals(columns=80, rows=24)
    again.starts(*words)
    await again.shows(READY if not is_resumed else "Good morning.", "> a thought, 你好")


async def test_what_hooks_hold_back_when_a_signal_comes_is_there_next_time_beside_the_draft(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    await serve(answers("Good morning."))
    yeaft.dir.mkdir(exist_ok=True)
    hooks = yeaft.dir / "hooks.json"
    hooks.write_text(
        json.dumps({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "sleep 1000"}]}]}})
    )
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows(READY)
    screen.types("say this")
    screen.presses("enter")
    await screen.shows("On its way")
    screen.types("and then that")
    await screen.shows("> and then that")

    await ends_by_a_signal(screen)
    hooks.unlink()

    again = terminals(columns=80, rows=24)
    again.starts()
    await again.shows(READY, "1 queued", "1. say this", "> and then that")


async def test_a_draft_stays_with_its_session_and_goes_along_only_from_one_in_which_nothing_was_said(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    await serve(answers("Good morning.", "Good night."))
    await yeaft.has_talked("the first")
    await yeaft.has_talked("the second")
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows(READY)
    screen.types("for the first")
    await screen.shows("> for the first")

    await goes_to(screen, "the first", "> for the first")
    await goes_to(screen, "the second", "> Write a message")
    screen.types("for the second")
    await screen.shows("> for the second")
    await goes_to(screen, "the first", "> for the first")
    await goes_to(screen, "the second", "> for the second")


async def goes_to(screen: Screen, name: str, draft: str) -> None:
    """Pick another Session, and see its draft."""
    screen.sends(b"\x1bOS")
    await screen.shows("Sessions of")
    screen.types(name)
    await screen.shows(lambda text: text.count(name) >= 2)
    screen.presses("enter")
    await screen.shows(f"❯ {name}", draft)
