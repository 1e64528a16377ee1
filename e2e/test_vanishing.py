"""The files of a Session go away under it: it says at once which and why, and nothing is said to be kept that is not."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from e2e.conftest import Serve, Terminals
from e2e.given import PATIENCE_S, Ran, Yeaft
from e2e.graphs_given import held
from e2e.typist import Typist
from yeaft.llm.scripted.script import Holds, Line, Says, Script, script
from yeaft.llm.scripted.server import ScriptedServer

LATE = Holds(of=Says(text="Good morning."), after_events=1, gate="g")
"""An answer that is on its way when its Session's files go."""
DELETED = "session.db was deleted or moved while it was in use"
REPLACED = "session.db was replaced by another file while it was in use"


def session_of(yeaft: Yeaft) -> Path:
    (folder,) = (yeaft.dir / "sessions").iterdir()
    return folder


def delete_all(folder: Path) -> None:
    shutil.rmtree(folder)


def delete_journal(folder: Path) -> None:
    (folder / "session.db").unlink()


def move_away(folder: Path) -> None:
    folder.rename(folder.parent.parent / "moved")


def restore_another(folder: Path) -> None:
    """Put a copy in its place, as a restore or a program that keeps folders alike does."""
    copy = folder / "copy"
    shutil.copyfile(folder / "session.db", copy)
    copy.replace(folder / "session.db")


WAYS = {
    "all of it is deleted": (delete_all, DELETED),
    "its journal is deleted": (delete_journal, DELETED),
    "it is moved": (move_away, DELETED),
    "its journal is replaced": (restore_another, REPLACED),
}
Losing = tuple[Callable[[Path], None], str]
ways = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


async def reached(server: ScriptedServer) -> None:
    async with asyncio.timeout(PATIENCE_S):
        await server.reached("g")


async def one_prompt(yeaft: Yeaft, serve: Serve, lose: Callable[[Path], None], *words: str) -> Ran:
    """A prompt whose Session loses its files before the answer is there."""
    server = await serve(script(LATE))
    process = await yeaft.start("-p", "hello", *words)
    await reached(server)
    lose(session_of(yeaft))
    server.release("g")
    return await yeaft.ended(process)


@ways
async def test_a_prompt_whose_session_goes_away_fails_and_says_what_became_of_it(
    yeaft: Yeaft, serve: Serve, way: Losing
) -> None:
    lose, said = way

    ran = await one_prompt(yeaft, serve, lose)

    assert ran.code == 1, ran
    assert said in ran.err
    assert "Traceback" not in ran.err


async def test_blobs_that_go_away_are_named(yeaft: Yeaft, serve: Serve) -> None:
    ran = await one_prompt(yeaft, serve, lambda folder: shutil.rmtree(folder / "blobs"))

    assert ran.code == 1, ran
    assert "/blobs'" in ran.err
    assert "Traceback" not in ran.err


async def test_programs_and_chinese_users_are_told_it_as_well(yeaft: Yeaft, serve: Serve) -> None:
    ran = await one_prompt(yeaft, serve, delete_journal, "--json", "--lang", "zh")

    assert (ran.code, ran.result["exit_code"], ran.result["outcome"]) == (1, 1, "failed")
    assert "session.db 在使用中被删除或移走了" in ran.err + ran.result["error"]


async def test_what_was_kept_before_can_be_gone_on_with_once_it_is_moved_back(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(Script(lines=(Line(steps=(Says(text="One."), LATE, Says(text="Three."))),)))
    assert (await yeaft.run("-p", "first")).code == 0
    process = await yeaft.start("-c", "-p", "second")
    await reached(server)
    folder = session_of(yeaft)
    move_away(folder)
    server.release("g")
    assert (await yeaft.ended(process)).code == 1

    (yeaft.dir / "moved").rename(folder)
    ran = await yeaft.run("-c", "-p", "third")

    assert (ran.code, ran.out) == (0, b"Three.\n"), ran
    assert "One." in server.requests[-1].raw.decode()


@ways
async def test_a_graph_whose_session_goes_away_fails_and_blames_nobody_else(
    yeaft: Yeaft, serve: Serve, way: Losing
) -> None:
    lose, said = way
    process, server = await held(yeaft, serve)

    lose(session_of(yeaft))
    server.release("g")
    ran = await yeaft.ended(process)

    assert ran.code == 1, ran
    assert said in ran.err
    assert "Traceback" not in ran.err


async def test_a_graph_that_waits_for_its_model_notices_that_its_session_is_gone(yeaft: Yeaft, serve: Serve) -> None:
    process, _ = await held(yeaft, serve)

    delete_all(session_of(yeaft))
    ran = await yeaft.ended(process)

    assert ran.code == 1, ran
    assert DELETED in ran.err
    assert "another process" not in ran.err


async def test_line_mode_ends_with_what_became_of_the_session(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(script(Says(text="One."), LATE))
    user = Typist(yeaft, "--line", term="dumb")

    await user.sees("yeaft>")
    user.types("first")
    await user.sees("One.")
    user.types("second")
    await reached(server)
    delete_journal(session_of(yeaft))
    server.release("g")

    await user.sees("was deleted or moved while it was in use")
    assert await user.leaves() == 1


async def test_a_screen_says_what_became_of_the_session_and_what_was_said_can_still_be_read(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    server = await serve(script(Says(text="One."), LATE))
    screen = terminals()
    screen.starts()

    await screen.shows("Write a message")
    screen.types("first\r")
    await screen.shows("One.")
    screen.types("second\r")
    await reached(server)
    delete_journal(session_of(yeaft))
    server.release("g")

    await screen.shows("session.db was deleted or moved", "One.", "Good morning.", "Esc leaves")
    screen.presses("escape")
    assert await screen.leaves() == 1
    assert DELETED in screen.text
