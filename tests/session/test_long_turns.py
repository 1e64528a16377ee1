"""Turns far longer than the model's window end well, also where the provider counts in another way than we do."""

import json

import pytest

from tests.session.session_given import Given, a_call, calls, lines_of, says
from yeaft.events.session import NoticePosted
from yeaft.events.turn import RequestFailed, RequestSent
from yeaft.llm.scripted.script import Calls, Line, Script, Step

GOAL = "Read all of big.txt, and never lose sight of this."
BIG = "".join(f"line {number} {'x' * 48}\n" for number in range(3000))


def reading(rounds: int, context_tokens: int, bytes_per_token: float) -> Script:
    """A model with this window that reads a large part of a file in each round."""
    steps: list[Step] = [calls("FileRead", f"w{n}", file_path="big.txt", offset=n) for n in range(rounds)]
    lines = (Line(steps=(*steps, says("Done."))),)
    return Script(lines=lines, context_tokens=context_tokens, bytes_per_token=bytes_per_token)


@pytest.mark.parametrize(
    ("model", "rounds", "context_tokens", "bytes_per_token"),
    [("claude/scripted", 400, 8_000, 3.4), ("box/scripted", 60, 200_000, 2.6)],  # sixteen results fill the large one
)
async def test_long_turns_of_large_results_end_well_in_any_window(
    given: Given, model: str, rounds: int, context_tokens: int, bytes_per_token: float
) -> None:
    given.file("big.txt", BIG)
    server = await given.model(reading(rounds, context_tokens, bytes_per_token))
    given.config(**{"context_tokens = 32768": f"context_tokens = {context_tokens}"})
    talk = await given.session(model=model, max_rounds=rounds + 1)
    talk.patience_s = 240

    talk.say(GOAL)

    assert await talk.outcome() == "answered"
    refused = [one for one in talk.all_of(RequestFailed) if one.error.kind == "context"]
    sent = talk.all_of(RequestSent)
    assert len(refused) <= 2
    assert len(sent) == rounds + 1 + len(refused)
    assert all(GOAL in json.dumps(received.body) for received in server.requests)
    assert sent[-1].window.factor > 1.0


async def test_every_new_session_begins_with_a_notice_about_a_model_that_is_not_in_the_catalogue(given: Given) -> None:
    given.file("big.txt", BIG)
    await given.model(reading(8, 200_000, 4.0))
    talk = await given.session(model="box/unheard-of")
    talk.say("hi")
    await talk.outcome()

    assert talk.notices() == [("model.unknown", {"model": "box/unheard-of", "context_tokens": "32768"})]
    first_cut = next(one for one in talk.heard if isinstance(one.event, RequestSent) and one.event.window.stubbed)
    told = next(one for one in talk.heard if isinstance(one.event, NoticePosted))
    assert told.seq > first_cut.seq


async def test_a_window_smaller_than_it_was_said_to_be_is_found_out_in_two_refusals(given: Given) -> None:
    given.file("big.txt", BIG)
    await given.model(reading(6, 16_000, 4.0))
    talk = await given.session(model="box/scripted")

    talk.say(GOAL)

    assert await talk.outcome() == "answered"
    refused = [one.error.kind for one in talk.all_of(RequestFailed)]
    assert 1 <= len(refused) <= 6
    assert set(refused) == {"context"}


async def test_a_prompt_that_the_model_can_never_take_ends_with_what_fills_the_window(given: Given) -> None:
    await given.model(Script(lines=(), context_tokens=3_000))
    talk = await given.session(model="box/scripted")

    talk.say("hi")

    assert await talk.outcome() == "failed"
    (failure, *_) = [one.error for one in talk.all_of(RequestFailed)]
    assert "By estimate it had" in failure.message
    assert len(talk.all_of(RequestFailed)) <= 3


async def test_what_stands_for_a_result_names_a_call_that_brings_it_back(given: Given) -> None:
    given.file("big.txt", BIG)
    command = "echo begins here; seq 9000; echo ends here"
    first = Calls(calls=(a_call("Bash", "b0", command=command), a_call("FileRead", "f0", file_path="big.txt")))
    steps: list[Step] = [calls("FileRead", f"w{n}", file_path="big.txt", offset=n) for n in range(6)]
    await given.model(Script(lines=(Line(steps=(first, *steps, says("so far"))),)))
    given.config(**{"context_tokens = 32768": "context_tokens = 50000"})
    talk = await given.session(model="box/scripted", mode="auto")
    talk.say(GOAL)
    assert await talk.outcome() == "answered"
    stubs = dict(lines_of(talk.server.requests[-1]))

    assert "The result of Bash" in stubs["b0"]
    assert "It began: begins here 1 2 3" in stubs["b0"]
    assert 'ReadTaskLog with taskId "c_' in stubs["b0"]
    assert "Call FileRead again with the same arguments" in stubs["f0"]

    call_id = stubs["b0"].partition('taskId "')[2].partition('"')[0]
    await given.model(
        Script(
            lines=(
                Line(
                    steps=(
                        calls("ReadTaskLog", "r1", taskId=call_id, maxBytes=40),
                        calls("ReadTaskLog", "r2", taskId=call_id, tail=True, maxBytes=20),
                        calls("ReadTaskLog", "r3", taskId="c_nothing"),
                        says("seen"),
                    )
                ),
            )
        )
    )
    again = await given.again(talk, model="box/scripted")
    again.say("Look at it again.")
    assert await again.outcome() == "answered"
    shown = json.loads(again.result("r1").text)
    assert (shown["text"][:13], shown["nextOffset"], shown["truncated"]) == ("begins here\n1", 40, True)
    assert json.loads(again.result("r2").text)["text"].endswith("ends here")
    assert (again.result("r3").status, "no result" in again.result("r3").text) == ("failed", True)
