"""`--input-format stream-json`: a program that talks to yeaft through lines on its standard input and output."""

import asyncio
from asyncio.subprocess import PIPE, Process
from typing import Any

import msgspec
import pytest

from e2e.conftest import Serve
from e2e.given import PATIENCE_S, Ran, Yeaft
from yeaft.interfaces.cli.json_input import read_op
from yeaft.kernel.errors import BadData
from yeaft.llm.scripted.script import Calls, Holds, Line, Says, Script, call, says, script

TALK = ("--input-format", "stream-json", "--output-format", "stream-json")
NEEDS_TOUCH = Calls(calls=(call("Bash", command="touch made"),))
ASKS_COLOUR = Calls(calls=(call("AskUser", question="Which colour?", options=["red", "blue"]),))


class Talk:
    """The other program: writes lines, and reads until it has seen what it waits for."""

    def __init__(self, yeaft: Yeaft, process: Process) -> None:
        self._yeaft = yeaft
        self._process = process
        self._seen = b""

    def say(self, **line: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode(line) + b"\n")

    async def heard(self, kind: str) -> dict[str, Any]:
        """The `data` of the next line of this type."""
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            while line := await self._process.stdout.readline():
                self._seen += line
                found = msgspec.json.decode(line)
                if found["type"] == kind:
                    return found["data"]
        raise AssertionError(f"no {kind} before the end of output: {self._seen!r}")

    async def is_killed(self) -> None:
        """The process dies on the spot."""
        self._process.kill()
        await self._process.wait()

    async def end(self) -> Ran:
        """Say no more, and take in the rest."""
        ran = await self._yeaft.ended(self._process)
        whole = ran._replace(out=self._seen + ran.out)
        assert [line["seq"] for line in whole.lines] == list(range(len(whole.lines)))
        assert whole.result["exit_code"] == whole.code
        return whole


async def talk_of(yeaft: Yeaft, *words: str) -> Talk:
    return Talk(yeaft, await yeaft.start(*TALK, *words, stdin=PIPE))


def lines(*given: dict[str, Any] | bytes) -> bytes:
    return b"\n".join(one if isinstance(one, bytes) else msgspec.json.encode(one) for one in given) + b"\n"


async def test_every_prompt_is_answered_and_settled_in_order(yeaft: Yeaft, serve: Serve) -> None:
    await serve(says("One.", "Two.", "Three."))
    given = lines(
        {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "first"}]}},
        {"type": "user", "text": "second"},
        b"",
        {"prompt": "third"},
    )

    ran = await yeaft.run(*TALK, given=b"\xef\xbb\xbf" + given)

    assert ran.code == 0
    assert [vp["text"] for vp in ran.result["vps"]] == ["One.", "Two.", "Three."]
    assert [line["type"] for line in ran.lines].count("message.settled") == 3


async def test_no_prompt_at_all_is_a_mistake_of_whoever_started_it(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(says("One."))

    ran = await yeaft.run(*TALK)

    assert (ran.code, ran.result["outcome"], server.requests) == (2, "failed", [])
    assert [line["type"] for line in ran.lines] == ["result"]


async def test_a_program_can_address_vps(yeaft: Yeaft, serve: Serve) -> None:
    await serve(Script(lines=(Line(vp="skeptic", steps=(Says(text="I doubt it."),)),), fallback=Says(text="Yes.")))

    ran = await yeaft.run(*TALK, given=lines({"type": "user", "text": "Is it so?", "to": ["skeptic", "omni"]}))

    assert {vp["vp"]: vp["text"] for vp in ran.result["vps"]} == {"skeptic": "I doubt it.", "omni": "Yes."}


@pytest.mark.parametrize(("decision", "made", "status"), [("once", True, "ok"), ("reject_once", False, "denied")])
async def test_an_approval_is_asked_for_and_answered(
    decision: str, made: bool, status: str, yeaft: Yeaft, serve: Serve
) -> None:
    await serve(script(NEEDS_TOUCH, Says(text="So be it.")))
    talk = await talk_of(yeaft)

    talk.say(type="user", text="Make it")
    ask = await talk.heard("ask.opened")
    talk.say(type="approval", id=ask["ask_id"], decision=decision)
    finished = await talk.heard("call.finished")
    ran = await talk.end()

    assert (ask["kind"], finished["status"], ran.code, ran.result["text"]) == ("approval", status, 0, "So be it.")
    assert (yeaft.folder / "made").exists() == made


async def test_a_question_of_a_vp_gets_the_programs_answer(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(script(ASKS_COLOUR, Says(text="Red it is.")))
    talk = await talk_of(yeaft)

    talk.say(type="user", text="Paint it")
    ask = await talk.heard("ask.opened")
    talk.say(type="answer", id=ask["ask_id"], choices=["red"])
    ran = await talk.end()

    assert (ask["text"], ask["options"]) == ("Which colour?", ["red", "blue"])
    assert (ran.code, ran.result["text"]) == (0, "Red it is.")
    (told,) = [item for item in server.requests[1].body["input"] if item["type"] == "function_call_output"]
    assert '"answers": ["red"]' in told["output"]


@pytest.mark.parametrize("step", [NEEDS_TOUCH, ASKS_COLOUR])
async def test_the_end_of_input_leaves_no_question_open(step: Calls, yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(script(step, Says(text="Never said.")))
    talk = await talk_of(yeaft)

    talk.say(type="user", text="Go")
    ask = await talk.heard("ask.opened")
    ran = await talk.end()

    assert (ran.code, ran.result["outcome"]) == (3, "needs_human")
    assert [question["id"] for question in ran.result["questions"]] == [ask["ask_id"]]
    assert len(server.requests) == 1
    assert not (yeaft.folder / "made").exists()


async def test_a_question_that_a_killed_process_put_is_told_by_whoever_goes_on_without_a_human(
    yeaft: Yeaft, serve: Serve
) -> None:
    await serve(script(NEEDS_TOUCH, NEEDS_TOUCH, Says(text="Never said.")))
    talk = await talk_of(yeaft)
    talk.say(type="user", text="Make it")
    ask = await talk.heard("ask.opened")
    await talk.is_killed()

    again = await yeaft.run("-c", "--continue-turn", "--output-format", "json")

    assert (again.code, again.result["outcome"]) == (3, "needs_human")
    assert [question["id"] for question in again.result["questions"]] == [ask["ask_id"]]
    assert "touch made" in again.err
    assert "To allow it, add: --allow 'Bash(touch made)'" in again.err


async def test_an_interrupt_stops_the_turn_and_the_next_prompt_is_answered(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Holds(of=Says(text="Never whole.", chunk=6), after_events=5, gate="never"), Says(text="Now.")))
    talk = await talk_of(yeaft)

    talk.say(type="user", text="Go")
    await talk.heard("text.streamed")
    talk.say(type="interrupt")
    ended = await talk.heard("turn.ended")
    talk.say(type="user", text="Again")
    ran = await talk.end()

    assert ended["outcome"] == "aborted"
    assert [(vp["outcome"], vp["text"]) for vp in ran.result["vps"]] == [("aborted", "Never"), ("answered", "Now.")]
    assert ran.code == 130


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("hello", "Line 3 of standard input"),
        ('["user"]', "Line 3 of standard input"),
        ('{"type": "user", "text": " "}', "the prompt is empty"),
        ('{"type": "user", "text": 5}', "Line 3 of standard input"),
        ('{"type": "answer", "decision": "maybe"}', "an answer needs"),
    ],
)
def test_what_is_wrong_with_a_line_is_told(line: str, said: str) -> None:
    with pytest.raises(BadData, match=said):
        read_op(line, 3)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"type": "user", "text": ', "Line 3 of standard input"),
        (b'{"type": "usr", "text": "x"}', "no input of type 'usr'"),
        (b"\xff\xfe\x00", "Line 3 of standard input"),
    ],
)
async def test_a_line_that_cannot_be_understood_ends_the_input_after_what_runs(
    line: bytes, said: str, yeaft: Yeaft, serve: Serve
) -> None:
    server = await serve(says("One."))
    given = lines({"type": "user", "text": "first"}, b"", line, {"type": "user", "text": "never asked"})

    ran = await yeaft.run(*TALK, given=given)

    assert (ran.code, ran.result["exit_code"], ran.result["text"]) == (65, 65, "One.")
    assert said in ran.err
    assert said in ran.result["error"]
    assert len(server.requests) == 1
    assert [line["seq"] for line in ran.lines] == list(range(len(ran.lines)))


async def test_an_op_that_cannot_be_done_is_told_and_the_talk_goes_on(yeaft: Yeaft, serve: Serve) -> None:
    await serve(says("One."))
    given = lines({"type": "user", "text": "hi", "to": ["skeptik"]}, {"type": "user", "text": "hello"})

    ran = await yeaft.run(*TALK, given=given)

    told = [line["data"]["params"]["message"] for line in ran.lines if line["type"] == "progress.shown"]
    assert told == ["Line 1 of standard input: No VP named 'skeptik'. Did you mean skeptic?"]
    assert (ran.code, ran.result["text"]) == (66, "One.")


async def test_the_time_limit_ends_a_talk_that_waits_for_input(yeaft: Yeaft, serve: Serve) -> None:
    await serve(says("One."))
    talk = await talk_of(yeaft, "--timeout", "1.5s")

    talk.say(type="user", text="hi")
    await talk.heard("message.settled")
    result = await talk.heard("result")
    ran = await talk.end()

    assert (ran.code, result["exit_code"], result["outcome"], result["text"]) == (4, 4, "limit", "One.")


async def test_lines_need_lines_as_output(yeaft: Yeaft) -> None:
    ran = await yeaft.run("--input-format", "stream-json")

    assert (ran.code, ran.out) == (2, b"")
    assert "needs --output-format stream-json" in ran.err
