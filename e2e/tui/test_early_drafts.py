"""What is written before a Session is open is there again next time, if a signal comes first."""

import json
import os
import signal

import pytest

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.screen import Screen
from e2e.tui.ways import answers, are_usual, modes

READY = "$0.00"
OPENING = "You can write already."


def opens_slowly(yeaft: Yeaft) -> None:
    hooks = {"SessionStart": [{"hooks": [{"type": "command", "command": "sleep 1000"}]}]}
    (yeaft.dir / "hooks.json").write_text(json.dumps({"hooks": hooks}))


def opens_at_once(yeaft: Yeaft) -> None:
    (yeaft.dir / "hooks.json").unlink()


async def ends_while_it_opens(screen: Screen) -> None:
    os.kill(screen.pid, signal.SIGTERM)
    assert await screen.leaves() == 143
    assert are_usual(screen), modes(screen)


@pytest.mark.parametrize("is_resumed", [False, True])
async def test_a_draft_written_while_a_session_opens_is_its_draft_next_time(
    serve: Serve, terminals: Terminals, yeaft: Yeaft, is_resumed: bool
) -> None:
    await serve(answers("Good morning.", "Good morning."))
    words = ("-r", await yeaft.has_talked("hello")) if is_resumed else ()
    yeaft.dir.mkdir(exist_ok=True)
    opens_slowly(yeaft)
    screen = terminals(columns=80, rows=24)
    screen.starts(*words)
    await screen.shows(OPENING)
    screen.types("a thought, 你好")
    await screen.shows("> a thought, 你好")

    await ends_while_it_opens(screen)
    opens_at_once(yeaft)

    again = terminals(columns=80, rows=24)
    again.starts(*words)
    await again.shows(READY if not is_resumed else "Good morning.", "> a thought, 你好")


async def test_what_was_sent_before_is_a_draft_next_time_and_an_older_draft_is_put_aside(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    await serve(answers("Good morning."))
    first = terminals(columns=80, rows=24)
    first.starts()
    await first.shows(READY)
    first.types("an old draft")
    await first.shows("> an old draft")
    os.kill(first.pid, signal.SIGTERM)
    assert await first.leaves() == 143
    opens_slowly(yeaft)
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows(OPENING)
    screen.types("say this")
    await screen.shows("> say this")
    screen.presses("enter")
    await screen.shows(lambda text: "> say this" not in text)

    await ends_while_it_opens(screen)
    opens_at_once(yeaft)

    again = terminals(columns=80, rows=24)
    again.starts()
    text = await again.shows(READY, "say this")
    if "1 queued" in text:  # the Session was open by then, and the older one the draft again
        await again.shows("1. say this", "> an old draft")
        return
    await again.shows("> say this")
    again.presses("ctrl+u")
    await again.hides("> say this")
    again.presses("ctrl+s")
    await again.shows("> an old draft")


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
