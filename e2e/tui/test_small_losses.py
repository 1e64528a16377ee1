"""What cannot be written beside the journal is one sentence: the conversation goes on, and nothing of it is lost."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.screen import Screen
from e2e.tui.ways import answers, are_usual, modes

READY = "$0.00"
Wanted = str | Callable[[str], bool]


async def sends(screen: Screen, text: str, *wanted: Wanted) -> None:
    screen.types(text)
    screen.presses("enter")
    await screen.shows(*wanted)


def block(path: Path) -> None:
    """Let no file be written there."""
    path.unlink(missing_ok=True)
    path.mkdir()
    (path / "in-the-way").touch()


def session(yeaft: Yeaft) -> Path:
    (found,) = (yeaft.dir / "sessions").iterdir()
    return found


async def test_a_list_that_cannot_be_kept_costs_one_sentence_on_the_screen_or_after_it(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    await serve(answers("Good morning.", "Good night."))
    screen = terminals(columns=100, rows=30)
    screen.starts()
    await screen.shows(READY)
    await sends(screen, "hello", "Good morning.", "answered")
    first = session(yeaft)
    block(first / "meta.json")

    await sends(screen, "/new", "is closed and complete", "could not be written")
    await sends(screen, "good night", "Good night.", "answered")
    (second,) = (one for one in (yeaft.dir / "sessions").iterdir() if one != first)
    block(second / "meta.json")
    screen.presses("ctrl+d")

    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)
    assert "could not be written" in screen.text
    assert "yeaft -r" in screen.text
    listed = json.loads((await yeaft.run("session", "ls", "--json")).out)
    assert {one["title"]: one["last_words"] for one in listed} == {
        "hello": "Good morning.",
        "good night": "Good night.",
    }


async def test_line_mode_and_pipes_go_on_as_well(yeaft: Yeaft, serve: Serve, terminals: Terminals) -> None:
    await serve(answers("Good morning.", "Good night."))
    await yeaft.run("-p", "hello")
    block(session(yeaft) / "meta.json")

    piped = await yeaft.run("-c", "-p", "good night")
    screen = terminals(columns=100, rows=30)
    screen.starts("--line", "-c")
    await screen.shows("yeaft>")
    screen.types("/rename kept\r")
    await screen.shows("kept")
    screen.types("/quit\r")

    assert await screen.leaves() == 0
    assert (piped.code, piped.out) == (0, b"Good night.\n")
    assert "could not be written" in screen.text


async def test_what_else_lies_beside_a_conversation_may_fail_without_a_word(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    await serve(answers("Good morning.", "Good night."))
    yeaft.dir.mkdir()
    for name in ("drafts", "logs"):
        (yeaft.dir / name).touch()
    for name in ("history", "index.db"):
        block(yeaft.dir / name)
    screen = terminals(columns=100, rows=30)
    screen.starts()
    await screen.shows(READY)

    await sends(screen, "hello", "Good morning.", "answered")
    await sends(screen, "/new", lambda text: "Good morning." not in text)
    await sends(screen, "good night", "Good night.", "answered")
    screen.presses("ctrl+d")

    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)


@pytest.mark.parametrize("answer", ["2", "3"])
async def test_an_answer_about_trust_that_cannot_be_kept_is_no_answer(
    yeaft: Yeaft, serve: Serve, terminals: Terminals, answer: str
) -> None:
    await serve(answers("Good morning."))
    commands = yeaft.folder / ".yeaft" / "commands"
    commands.mkdir(parents=True)
    (commands / "greet.md").write_text("Say hello.\n")
    yeaft.dir.mkdir()
    screen = terminals(columns=100, rows=30)
    screen.starts()
    await screen.shows("Type a number")
    block(yeaft.dir / "trust.json")

    screen.types(answer)

    await screen.shows(READY, "could not be kept")
    await sends(screen, "hello", "Good morning.", "answered")
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0
