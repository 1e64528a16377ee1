"""Troubles that conversations with models are known for, each under the name of its symptom."""

import json

import pytest

from tests.session.session_given import CLAUDE, Given, a_call, held, lines_of, says
from yeaft.events.ops import SetModel
from yeaft.events.turn import ReplyCompleted, RequestSent, RetryScheduled, TextStreamed
from yeaft.kernel.usage import Usage
from yeaft.llm.scripted.script import Calls, Fails, Line, Script
from yeaft.session.filled import fillings
from yeaft.session.offline import read_session
from yeaft.store.blobs import FileBlobs

COUNTED = 8100
"""What the scripted provider says that each request had."""


def thought(text: str, wire_id: str) -> Calls:
    return Calls(thinking=text, text="I look.", calls=(a_call("ListDir", wire_id, path="."),))


@pytest.mark.parametrize("model", [CLAUDE, "box/scripted"])
async def test_thinking_is_rejected_after_the_session_was_stored_and_found_again(given: Given, model: str) -> None:
    talk = await given.session(thought("a quiet 想法 \u2028 thought", "c1"), says("Done."), model=model)
    talk.say("look")
    assert await talk.outcome() == "answered"

    again = await given.again(talk, model=model)
    again.say("and now?")

    assert await again.outcome() == "answered"
    assert "想法" in json.dumps(again.server.requests[-1].body, ensure_ascii=False)


async def test_a_model_that_is_changed_between_two_rounds_is_given_the_thinking_of_the_other(given: Given) -> None:
    talk = await given.session(held(thought("mine alone", "c1"), "thinking"), says("Done."), model=CLAUDE)
    talk.say("look")
    await talk.server.reached("thinking")
    talk.send(SetModel(model="box/scripted"))
    talk.server.release("thinking")

    assert await talk.outcome() == "answered"
    first, second = talk.all_of(RequestSent)
    assert (first.model, second.model) == (CLAUDE, "box/scripted")
    assert [reply.model for reply in talk.all_of(ReplyCompleted)] == [CLAUDE, "box/scripted"]
    assert "mine alone" not in json.dumps(talk.server.requests[-1].body)
    assert talk.told_model("c1")


async def test_a_retry_is_noted_as_sent_though_it_never_left(given: Given) -> None:
    await given.model(Script(lines=(Line(steps=(Fails(status=529), says("never"))),)))
    given.config(**{"base_delay_s = 0.01": "base_delay_s = 60.0", "max_delay_s = 0.02": "max_delay_s = 60.0"})
    talk = await given.session()
    talk.say("hello")
    await talk.heard_of(RetryScheduled)

    talk.interrupt()

    assert await talk.outcome() == "aborted"
    assert len(talk.all_of(RequestSent)) == len(talk.server.requests) == 1


async def test_text_goes_on_appearing_after_the_stop(given: Given) -> None:
    talk = await given.session(held(says("one two three four five six"), "middle", after_events=6), says("Again."))
    talk.say("count")
    await talk.until(lambda: next((one for one in talk.shown if isinstance(one, TextStreamed)), None))

    talk.interrupt()
    assert await talk.outcome() == "aborted"
    count = len(talk.shown)
    talk.server.release("middle")
    talk.say("and now?")
    assert await talk.outcome() == "answered"

    (first, second) = {one.request_id: None for one in talk.shown if isinstance(one, TextStreamed)}
    assert all(getattr(one, "request_id", second) != first for one in talk.shown[count:])


async def test_what_a_provider_counts_is_not_what_we_count_and_the_next_request_knows(given: Given) -> None:
    talk = await given.session(
        *(says("yes", usage=Usage(input=count, output=1)) for count in (COUNTED, COUNTED, 0, COUNTED, 10**6, COUNTED))
    )
    for number in range(7):
        talk.say(f"question {number}")
        assert await talk.outcome() == "answered"

    windows = [sent.window for sent in talk.all_of(RequestSent)]
    assert windows[0].factor == 1.0
    assert [round(one.factor * one.tokens_est / COUNTED, 1) for one in windows[1:]] == [1.0] * 6
    reading = read_session(given.home, talk.state.session_id)
    (found,) = fillings(reading.state, reading.records, FileBlobs(reading.paths.blobs))
    talk.say("question 7")
    assert await talk.outcome() == "answered"
    assert found.factor == talk.all_of(RequestSent)[-1].window.factor


async def test_one_paste_longer_than_the_window_makes_every_later_turn_fail(given: Given) -> None:
    talk = await given.session(says("Too long, but I have seen its ends."), says("Fine."))
    talk.say("begin " + "很长的一段话。" * 30_000 + " end")
    assert await talk.outcome() == "answered"

    talk.say("and a short one")

    assert await talk.outcome() == "answered"
    told = [text for who, text in lines_of(talk.server.requests[-1]) if who == "user"]
    assert told[-1] == "and a short one"
    assert sum(map(len, told)) < 10_000
    assert any("1 earlier turns" in text and "begin 很长的一段话" in text for text in told)
