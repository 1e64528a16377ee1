"""What a user sees beside the answer: calls in short lines, questions with what to do next, never glued to the text."""

import os
import pty

import pytest

from e2e.conftest import Serve
from e2e.given import Yeaft
from e2e.test_stdout import whole
from yeaft.llm.scripted.script import Calls, Line, Says, Script, call, script

ASKS = Calls(text="Let me ask.", calls=(call("AskUser", question="Which colour?", options=["red", "blue"]),))
LOOKS = Calls(text="I look.", calls=(call("ListDir", path="."), call("FileRead", file_path="gone.txt")))
WORKS_TWICE = script(LOOKS, Says(text="Done."), LOOKS, Says(text="Done."))


async def at_terminal(yeaft: Yeaft, *words: str) -> tuple[int, str]:
    """Run it with both outputs at one terminal, and return the code and what that shows."""
    terminal, other = pty.openpty()
    process = await yeaft.start(*words, stdin=other, stdout=other, stderr=other)
    os.close(other)
    ran = await yeaft.ended(process)
    return ran.code, whole(terminal).decode().replace("\r\n", "\n")


async def test_calls_and_answer_stand_among_each_other_line_by_line(yeaft: Yeaft, serve: Serve) -> None:
    await serve(WORKS_TWICE)
    expected = "I look.\n  · ListDir .\n  · FileRead gone.txt\n    ✗ FileRead failed: No file gone.txt.\n\nDone.\n"

    code, shown = await at_terminal(yeaft, "-p", "hi")
    merged = await yeaft.shell("yeaft -v -p hi 2>&1")

    assert (code, merged.code) == (0, 0)
    assert expected in shown
    assert expected in merged.out.decode()


async def test_a_pipe_gets_calls_only_when_asked(yeaft: Yeaft, serve: Serve) -> None:
    await serve(WORKS_TWICE)

    ran = await yeaft.run("-p", "hi")
    _, quiet = await at_terminal(yeaft, "-q", "-p", "hi")

    assert (ran.code, "·" in ran.err, ran.out) == (0, False, b"I look.\n\nDone.\n")
    assert ("I look." in quiet, "·" in quiet) == (True, False)


async def test_a_denied_call_is_told_without_being_asked_for(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Calls(calls=(call("Bash", command="touch made"),)), Says(text="I may not.")))

    ran = await yeaft.run("-p", "hi", "--deny", "Bash")

    assert "✗ Bash denied:" in ran.err


@pytest.mark.parametrize("quiet", [(), ("-q",)])
async def test_a_question_shows_its_options_and_one_way_to_go_on(
    quiet: tuple[str, ...], yeaft: Yeaft, serve: Serve
) -> None:
    await serve(script(ASKS))

    ran = await yeaft.run(*quiet, "-p", "hi", "--output-format", "json")
    command = f'yeaft -r {ran.result["session"]} "your answer"'

    assert ran.code == 3
    assert "@omni needs an answer: Which colour?\n  1. red\n  2. blue\n" in ran.err
    assert ran.err.count("Go on with") == 1
    assert f"Go on with: {command}\n" in ran.err
    assert ran.result["questions"][0]["next"] == command


async def test_after_an_unmet_approval_the_command_that_is_shown_works(yeaft: Yeaft, serve: Serve) -> None:
    touches = Calls(calls=(call("Bash", command="touch made"),))
    await serve(script(touches, touches, Says(text="Made.")))

    asked = await yeaft.run("-p", "hi")
    command = asked.err.rpartition("Go on with: ")[2].strip()
    ran = await yeaft.shell(command)

    assert asked.code == 3
    assert command.endswith("--allow 'Bash(touch made)' \"go on\"")
    assert (ran.code, (yeaft.folder / "made").exists()) == (0, True)


async def test_two_at_work_are_told_apart(yeaft: Yeaft, serve: Serve) -> None:
    steps = (Calls(text="I look.", calls=(call("ListDir", path="."),)), Says(text="Done."))
    await serve(Script(lines=(Line(vp="omni", steps=steps), Line(vp="skeptic", steps=steps))))

    ran = await yeaft.run("-v", "-p", "@omni @skeptic hi")

    assert ran.code == 0
    assert ran.err.count("ListDir .") == 2


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 0, "yeaft demo"),
        (("--lang", "zh"), 0, "yeaft demo"),
        (("-r", "k7"), 2, 'There is no prompt. Go on with Session k7: yeaft -r k7 "…"'),
        (("-c",), 2, 'There is no prompt. Go on with the newest Session of this folder: yeaft -c "…"'),
        (("-m", "x"), 2, "There is no prompt. Ask with: yeaft [OPTIONS]"),
        (("-p", ""), 2, "There is nothing to ask"),
    ],
)
async def test_where_nothing_can_be_drawn_a_keyboard_without_a_prompt_is_told_what_to_type(
    words: tuple[str, ...], code: int, said: str, yeaft: Yeaft
) -> None:
    terminal, other = pty.openpty()
    ran = await yeaft.ended(await yeaft.start(*words, stdin=other))
    os.close(other)
    os.close(terminal)

    shown = ran.out.decode() + ran.err
    assert (ran.code, said in shown, "Usage:" in shown) == (code, True, False)
    assert not yeaft.dir.exists()


async def test_the_demo_shows_work_in_short_lines_and_asks_for_nothing(yeaft: Yeaft) -> None:
    ran = await yeaft.run("demo", "@builder Mend the price of tea and show that the total is right.")

    assert ran.code == 0
    assert "  · FileEdit total.py  34.0 → 3.40\n" in ran.err
    assert "  · Bash python3 total.py\n" in ran.err
    assert not any(word in ran.err for word in ("catalogue", "yeaft -r", "{"))
    assert not yeaft.dir.exists()
