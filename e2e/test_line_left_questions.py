"""Questions that a killed process has left open, in line mode: put again, answered, or given up by saying something else."""

import signal

import pytest

from e2e.conftest import Serve
from e2e.given import Yeaft
from e2e.typist import Typist
from yeaft.llm.scripted.script import Calls, Says, ScriptedCall, script

WRITES = Calls(calls=(ScriptedCall(tool="FileWrite", id="w1", args={"file_path": "list.txt", "content": "milk\n"}),))
ASKS = Calls(calls=(ScriptedCall(tool="AskUser", id="a1", args={"question": "Tea?", "options": ["yes", "no"]}),))


@pytest.fixture(params=["xterm-256color", "dumb"])
def term(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.mark.parametrize(("says", "wanted"), [("y", "milk\n"), ("never mind", None)])
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
