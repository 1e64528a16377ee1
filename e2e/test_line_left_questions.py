"""Questions that a killed process has left open, in line mode: put again, answered, or given up by saying something else."""

import asyncio
import signal

import pytest

from e2e.conftest import Serve
from e2e.given import PATIENCE_S, Yeaft
from e2e.graphs_given import put
from e2e.typist import Typist
from yeaft.llm.scripted.script import Calls, Line, Says, Script, ScriptedCall, script


def writes(*names: str) -> Calls:
    return Calls(
        calls=tuple(
            ScriptedCall(tool="FileWrite", id=f"w{number}", args={"file_path": name, "content": "milk\n"})
            for number, name in enumerate(names)
        )
    )


WRITES = writes("list.txt")
ASKS = Calls(calls=(ScriptedCall(tool="AskUser", id="a1", args={"question": "Tea?", "options": ["yes", "no"]}),))


@pytest.mark.parametrize(("term", "says", "wanted"), [("xterm-256color", "y", "milk\n"), ("dumb", "never mind", None)])
async def test_after_a_kill_a_question_is_put_again_until_it_is_answered_or_something_else_is_said(
    yeaft: Yeaft, serve: Serve, term: str, says: str, wanted: str | None
) -> None:
    await serve(script(WRITES, Says(text="Noted.")))
    first = Typist(yeaft, "--line", term=term)
    await first.sees("yeaft>")
    first.types("make a list")
    await first.sees("answer>")
    first.ends(signal.SIGKILL)

    user = Typist(yeaft, "--line", "-c", term=term)
    await user.sees("left open when yeaft stopped")
    await user.sees("list.txt")
    await user.sees("Type y (yes, once)")
    await user.sees("answer>")
    user.types(says)
    await user.sees("Noted.")
    user.types("/quit")

    assert await user.leaves() == 0
    file = yeaft.folder / "list.txt"
    assert (file.read_text() if file.exists() else None) == wanted


async def test_after_a_kill_a_question_of_a_vp_is_put_again_and_answered(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(script(ASKS, Says(text="Fine.")))
    first = Typist(yeaft, "--line")
    await first.sees("yeaft>")
    first.types("ask me")
    await first.sees("answer>")
    first.ends(signal.SIGKILL)

    user = Typist(yeaft, "--line", "-c")
    await user.sees("left open when yeaft stopped")
    await user.sees("2. no")
    await user.sees("answer>")
    user.types("2")
    await user.sees("Fine.")
    user.types("/quit")

    assert await user.leaves() == 0
    assert "no" in server.requests[-1].raw.decode()


GIVES_UP = "anything else is said as a message"


async def test_what_a_turn_that_goes_on_asks_as_well_is_answered_and_not_given_up(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(writes("one.txt", "two.txt"), Says(text="Noted.")))
    first = Typist(yeaft, "--line", term="dumb")
    await first.sees("yeaft>")
    first.types("make two lists")
    await first.sees("answer>")
    first.ends(signal.SIGKILL)

    user = Typist(yeaft, "--line", "-c", term="dumb")
    assert GIVES_UP in await user.sees("answer>")
    user.types("y")
    await user.sees("two.txt")
    assert GIVES_UP not in await user.sees("n with a reason")
    user.types("never mind")
    await user.sees("this is no answer to it")
    user.types("n")
    assert "unfinished" not in await user.sees("Noted.")
    user.types("/quit")

    assert await user.leaves() == 0
    assert [(yeaft.folder / name).exists() for name in ("one.txt", "two.txt")] == [True, False]


async def test_what_the_turn_of_another_vp_has_left_is_answered_once_one_goes_on(yeaft: Yeaft, serve: Serve) -> None:
    lines = (Line(vp=vp, steps=(writes(f"{vp}.txt"), Says(text="Noted."))) for vp in ("builder", "omni"))
    await serve(Script(lines=tuple(lines)))
    first = Typist(yeaft, "--line", term="dumb")
    await first.sees("yeaft>")
    first.types("@builder @omni make lists")
    async with asyncio.timeout(PATIENCE_S):
        while (await yeaft.run("session", "export", "last")).out.count(b'"yeaft.ask.opened"') < 2:
            pass
    first.ends(signal.SIGKILL)

    user = Typist(yeaft, "--line", "-c", term="dumb")
    assert GIVES_UP in await user.sees("answer>")
    user.types("y")
    await user.sees("This was left open")
    assert GIVES_UP not in await user.sees("n with a reason")
    user.types("never mind")
    await user.sees("this is no answer to it")
    user.types("y")
    await user.sees("Noted.")
    await user.sees("Noted.")
    user.types("/quit")

    assert await user.leaves() == 0
    assert all((yeaft.folder / f"{vp}.txt").exists() for vp in ("builder", "omni"))


async def test_a_question_of_a_step_is_answered_and_not_given_up(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(WRITES, Says(text="Noted.")))
    put(yeaft, "graph: {steps: [{id: ask, agent: omni, prompt: 'Ask: {{ input }}'}]}")
    first = Typist(yeaft, "--line", term="dumb")
    await first.sees("yeaft>")
    first.types("/graph g.yaml tea")
    await first.sees("answer>")
    first.ends(signal.SIGKILL)

    user = Typist(yeaft, "--line", "-c", term="dumb")
    shown = await user.sees("answer>")
    assert "An answer lets the work go on" in shown
    assert GIVES_UP not in shown
    user.types("never mind")
    await user.sees("this is no answer to it")
    user.types("y")
    await user.sees("graph completed")
    user.types("/quit")

    assert await user.leaves() == 0
    assert (yeaft.folder / "list.txt").exists()
