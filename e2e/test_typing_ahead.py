"""Lines that are typed before line mode asks for them: at its start, while it is busy, and at a question."""

import asyncio
import json
import os
from pathlib import Path

from e2e.conftest import Serve, Terminals
from e2e.given import PATIENCE_S, Yeaft
from e2e.tui.ways import answers
from yeaft.llm.scripted.script import Calls, Line, Says, Script, call

QUIT = "/quit\r"
WAITS = "touch began; until [ -e go ]; do sleep 0.02; done"


def when_a_prompt_is_said(yeaft: Yeaft, command: str) -> None:
    hooks = {"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": command}]}]}}
    yeaft.dir.mkdir(exist_ok=True)
    (yeaft.dir / "hooks.json").write_text(json.dumps(hooks))


async def exists(path: Path) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not await asyncio.to_thread(path.exists):
            await asyncio.to_thread(os.sched_yield)


async def test_lines_that_are_typed_before_the_first_prompt_are_said_in_order(
    serve: Serve, terminals: Terminals
) -> None:
    server = await serve(answers("Good morning.", "Good night."))
    screen = terminals(columns=80, rows=24)
    screen.starts("--line")

    screen.types("first\rsecond\r")
    await screen.shows("Good morning.", "Good night.")
    screen.types(QUIT)

    assert await screen.leaves() == 0
    assert len(server.requests) == 2


async def test_quit_that_is_typed_before_the_first_prompt_leaves(serve: Serve, terminals: Terminals) -> None:
    await serve(answers())
    screen = terminals(columns=80, rows=24)
    screen.starts("--line")

    screen.types(QUIT)

    assert await screen.leaves() == 0


async def test_quit_that_is_typed_while_a_line_is_taken_in_leaves_after_it(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    when_a_prompt_is_said(yeaft, WAITS)
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts("--line")
    await screen.shows("yeaft>")
    screen.types("hello\r")
    await exists(yeaft.folder / "began")

    screen.types(QUIT)
    (yeaft.folder / "go").touch()

    await screen.shows("Good morning.")
    assert await screen.leaves() == 0


async def test_quit_at_a_question_leaves_and_withdraws_it(yeaft: Yeaft, serve: Serve, terminals: Terminals) -> None:
    when_a_prompt_is_said(yeaft, WAITS)
    write = Calls(calls=(call("FileWrite", file_path="list.txt", content="milk\n"),))
    await serve(Script(lines=(Line(steps=(write, Says(text="Noted."))),)))
    screen = terminals(columns=80, rows=24)
    screen.starts("--line")
    await screen.shows("yeaft>")
    screen.types("make a list\r")
    await exists(yeaft.folder / "began")
    (yeaft.folder / "go").touch()
    await screen.shows("+milk")

    screen.types(QUIT)

    assert await screen.leaves() == 0
    assert not (yeaft.folder / "list.txt").exists()


async def test_the_terminal_is_left_as_it_was_found(serve: Serve, terminals: Terminals) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts("--line")
    found = screen.line_discipline()
    await screen.shows("yeaft>")
    screen.types("hello\r")
    await screen.shows("Good morning.")

    screen.types(QUIT)

    assert await screen.leaves() == 0
    assert screen.line_discipline() == found == {"icrnl", "echo", "icanon"}
