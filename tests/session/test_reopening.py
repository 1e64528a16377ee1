"""What a dead process left open: closed or taken up again, nothing asked or done twice."""

from collections.abc import Callable

import pytest

from tests.session.session_given import CLAUDE, Given, calls, cast, for_vp, hands_on, lines_of, says
from yeaft.events.call import AskAnswered, AskOpened, CallFinished, CallStarted
from yeaft.events.codec import Recorded
from yeaft.events.ops import Answer, ContinueTurn
from yeaft.events.session import MessagePosted
from yeaft.events.turn import ReplyCompleted, RequestSent, TurnContinued, TurnEnded
from yeaft.kernel.errors import NotFound
from yeaft.llm.scripted.script import Line, Script


def after(kind: type) -> Callable[[Recorded], bool]:
    """The first event of this kind."""
    return lambda one: isinstance(one.event, kind)


def by_round(*steps: object) -> Script:
    """A script whose steps follow from the request itself, so that a request that is sent again gets the same reply."""
    return Script(lines=(Line(steps=steps, order="round"),))


@pytest.mark.parametrize("tool", ["FileWrite", "AskUser"])
async def test_an_answer_given_right_before_a_crash_is_not_asked_for_again(given: Given, tool: str) -> None:
    args = {"FileWrite": {"file_path": "a.txt", "content": "x"}, "AskUser": {"question": "Which?"}}[tool]
    first = await given.session(by_round(calls(tool, "c1", **args), says("done")))
    first.say("go")
    first.answer(await first.asked(), text="this")
    await first.outcome()
    (given.folder / "a.txt").unlink(missing_ok=True)
    crashed = await given.crashed(first, after(AskAnswered))

    second = await given.session(ref=crashed)
    second.send(ContinueTurn())

    assert await second.outcome() == "answered"
    assert second.all_of(AskOpened) == []
    assert [one.status for one in second.all_of(CallFinished)] == ["ok"]


@pytest.mark.parametrize("kind", [AskOpened, CallStarted])
async def test_a_question_that_a_crash_left_open_can_be_answered_after_it(given: Given, kind: type) -> None:
    first = await given.session(by_round(calls("AskUser", "c1", question="Which?"), says("done")))
    first.say("go")
    first.answer(await first.asked(), text="this")
    await first.outcome()
    crashed = await given.crashed(first, after(kind))

    second = await given.session(ref=crashed)
    second.send(ContinueTurn())
    ask = await second.until(lambda: next(iter(second.state.open_asks.values()), None))
    second.answer(ask, text="that")

    assert await second.outcome() == "answered"
    assert '"that"' in second.told_model("c1")


async def test_a_question_may_be_answered_before_its_turn_is_taken_up_again(given: Given) -> None:
    first = await given.session(by_round(calls("FileWrite", "c1", file_path="a.txt", content="x"), says("done")))
    first.say("go")
    ask = await first.asked()
    first.answer(ask)
    await first.outcome()
    (given.folder / "a.txt").unlink()
    crashed = await given.crashed(first, after(AskOpened))

    second = await given.session(ref=crashed)
    second.send(Answer(ask_id=ask.ask_id))
    second.send(ContinueTurn())

    assert await second.outcome() == "answered"
    assert (given.folder / "a.txt").exists()


@pytest.mark.parametrize("kind", [MessagePosted, RequestSent, ReplyCompleted, CallStarted, CallFinished])
@pytest.mark.parametrize("model", ["", CLAUDE])
async def test_a_turn_left_open_goes_on_where_it_was(given: Given, kind: type, model: str) -> None:
    given.file("a.txt", "content")
    first = await given.session(by_round(calls("FileRead", "c1", file_path="a.txt"), says("done")), model=model)
    first.say("read")
    await first.outcome()
    crashed = await given.crashed(first, after(kind))

    second = await given.session(ref=crashed, model=model)
    second.send(ContinueTurn())

    assert await second.outcome() == "answered"
    assert second.said_by("omni") == ["done"]
    assert "content" in second.told_model("c1")


@pytest.mark.parametrize("kind", [MessagePosted, RequestSent, ReplyCompleted, CallStarted, CallFinished])
async def test_a_turn_left_open_is_lost_when_the_user_says_something_else(given: Given, kind: type) -> None:
    given.file("a.txt", "content")
    first = await given.session(by_round(calls("FileRead", "c1", file_path="a.txt"), says("done")))
    first.say("read")
    await first.outcome()
    crashed = await given.crashed(first, after(kind))

    second = await given.session(ref=crashed)
    second.say("leave it")

    assert await second.outcome() == "answered"
    assert [turn.ended.outcome for turn in second.turns if turn.ended] == ["lost", "answered"]


async def test_a_steer_after_a_crash_is_a_new_message(given: Given) -> None:
    first = await given.session(says("done"))
    first.say("go")
    await first.outcome()
    crashed = await given.crashed(first, after(RequestSent))

    second = await given.session(ref=crashed)
    second.steer("and quickly")

    assert await second.outcome() == "answered"
    assert next(message.text for message in second.state.messages.values()) == "go"
    assert lines_of(second.server.requests[-1])[-1] == ("user", "and quickly")


async def test_stopping_in_the_same_breath_as_continuing_is_heard(given: Given) -> None:
    first = await given.session(says("done"))
    first.say("go")
    await first.outcome()
    crashed = await given.crashed(first, after(RequestSent))

    second = await given.session(ref=crashed)
    second.send(ContinueTurn())
    second.interrupt()

    assert await second.outcome() == "aborted"
    assert len(second.server.requests) == 1


async def test_there_must_be_something_to_continue(given: Given) -> None:
    talk = await given.session(says("done"))
    talk.say("go")
    await talk.outcome()

    with pytest.raises(NotFound):
        talk.send(ContinueTurn())
    again = await given.again(talk)
    with pytest.raises(NotFound):
        again.send(ContinueTurn())


@pytest.mark.parametrize("place", range(1, 4))
async def test_a_hand_off_goes_on_after_a_crash_with_one_return(given: Given, place: int) -> None:
    """`place` counts the ends of turns: of the one that handed on, of the peer's, and none at all after the last."""
    first = await given.session(
        cast(
            for_vp("omni", hands_on("skeptic", "?"), says("Thanks.")),
            for_vp("skeptic", says("No.")),
        ),
        roster=("omni", "skeptic"),
    )
    first.say("ask")
    await first.outcomes()
    ends = [one.seq for one in first.heard if isinstance(one.event, TurnEnded)]
    crashed = await given.crashed(first, lambda one: one.seq == ends[place - 1])

    await given.model(cast(for_vp("omni", says("Thanks.")), for_vp("skeptic", says("No."))))
    second = await given.session(ref=crashed)
    if place < 3:
        second.send(ContinueTurn())
    else:
        second.say("@omni go on")
    await second.outcomes(next(iter(second.state.messages)))
    await second.idle()

    kinds = [message.kind for message in second.state.messages.values()]
    assert kinds.count("return") == 1
    assert second.said_by("omni")[1] == "Thanks."


async def test_continuing_is_recorded_and_requests_keep_their_numbers(given: Given) -> None:
    first = await given.session(by_round(says("done")))
    first.say("go")
    await first.outcome()
    crashed = await given.crashed(first, after(RequestSent))

    second = await given.session(ref=crashed)
    second.send(ContinueTurn())
    await second.outcome()

    assert len(second.all_of(TurnContinued)) == 1
    assert [(one.round, one.attempt) for one in second.all_of(RequestSent)] == [(0, 1)]
