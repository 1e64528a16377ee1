"""The first minutes: no key, no configuration, no model, and a screen that shows the three ways."""

import stat

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.tui.ways import answers, are_usual, modes

QUESTION = "Which model shall answer?"
READY = "Type a number"


async def test_without_a_model_there_are_three_ways_and_what_the_small_one_would_bring_is_said_before_it_is_fetched(
    terminals: Terminals,
) -> None:
    screen = terminals(columns=80, rows=24)
    screen.starts()

    await screen.shows(QUESTION, "1  Use a key", "2  Set up a small model", "3  Watch the demo", READY)
    screen.types("2")
    await screen.shows("xllamacpp", "SmolLM2", "Apache-2.0", "160 MB", "1  Go back", "Fetch it", READY)
    screen.presses("escape")
    await screen.hides("SmolLM2")
    await screen.shows(QUESTION, READY)
    screen.presses("escape")
    await screen.hides(QUESTION)
    await screen.shows("no model")
    screen.presses("ctrl+d")

    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)


async def test_a_pasted_key_is_kept_for_the_user_alone_and_shown_nowhere(terminals: Terminals, yeaft: Yeaft) -> None:
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows(QUESTION, READY)

    screen.types("1")
    await screen.shows("Enter keeps the key")
    screen.pastes("sk-ant-not-a-real-one")
    await screen.shows("•••")
    screen.presses("enter")
    await screen.shows("anthropic/")

    config = yeaft.dir / "config.toml"
    assert 'api_key = "sk-ant-not-a-real-one"' in config.read_text()
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    assert b"not-a-real-one" not in screen.raw
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0


async def test_yeaft_demo_at_a_terminal_is_played_on_the_screen_and_left_amid_an_approval(terminals: Terminals) -> None:
    screen = terminals(columns=100, rows=40)

    screen.starts("demo")
    await screen.shows("Demo:", "What is in this folder")
    screen.presses("enter")
    await screen.shows("Mend the price of tea")
    screen.presses("enter")
    await screen.shows("total.py", "asks")

    screen.presses("ctrl+c")
    await screen.shows("stopped", "watch the total")
    screen.presses("ctrl+c")
    await screen.hides("watch the total")
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0
    assert b"yeaft -r" not in screen.raw


async def test_what_a_folder_brings_is_used_only_if_the_user_says_so(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    await serve(answers("Good morning."))
    (yeaft.folder / ".yeaft").mkdir()
    (yeaft.folder / ".yeaft" / "config.toml").write_text('language = "zh"\n')
    screen = terminals(columns=80, rows=24)
    screen.starts()

    await screen.shows("Use all of this", ".yeaft/config.toml", READY)
    screen.types("2")
    await screen.hides("Use all of this")
    await screen.shows("$0.00")
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0

    listed = await yeaft.run("trust", "ls")
    assert str(yeaft.folder).encode() in listed.out


async def test_a_session_that_is_not_there_is_said_with_its_exit_code(serve: Serve, terminals: Terminals) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)

    screen.starts("-r", "nosuchone")

    assert await screen.leaves() == 66
    assert are_usual(screen), modes(screen)
    assert b"No Session 'nosuchone'" in screen.raw.rpartition(b"\x1b[?1049l")[2]


async def test_a_broken_configuration_is_said_with_its_exit_code(terminals: Terminals, yeaft: Yeaft) -> None:
    yeaft.dir.mkdir()
    (yeaft.dir / "config.toml").write_text('[models]\nprimray = "x"\n')
    screen = terminals(columns=80, rows=24)

    screen.starts()

    assert await screen.leaves() == 78
    assert b"primray" in screen.raw.rpartition(b"\x1b[?1049l")[2]
    assert b"Traceback" not in screen.raw


async def test_what_is_written_before_the_session_is_open_is_kept_and_sent(serve: Serve, terminals: Terminals) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)

    screen.starts()
    await screen.shows("Write a message")
    screen.types("hello there")
    screen.presses("enter")

    await screen.shows("hello there", "Good morning.")
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0
