"""Adding to a running turn, and stopping one, whatever it is doing."""

import pytest

from tests.session.session_given import CLAUDE, Given, a_call, calls, cast, for_vp, held, lines_of, says
from yeaft.events.call import AskWithdrawn, CallFinished, CallOutput
from yeaft.events.ops import Close, ContinueTurn, Interrupt, Say, Steer
from yeaft.events.session import MessagePosted
from yeaft.events.turn import TextStreamed, TurnEnded
from yeaft.kernel.errors import BadData, NotFound
from yeaft.llm.scripted.script import Calls, Stalls


@pytest.mark.parametrize("model", ["", CLAUDE])
async def test_a_steer_is_seen_after_all_results_of_the_round(given: Given, model: str) -> None:
    three = Calls(calls=(a_call("ListDir", "c1"), a_call("ListDir", "c2", path="."), a_call("TodoWrite", "c3")))
    talk = await given.session(held(three, "gate"), says("done"), model=model)
    talk.say("look around")
    await talk.server.reached("gate")

    talk.steer("and count the files")
    talk.server.release("gate")

    assert await talk.outcome() == "answered"
    assert [who for who, _ in lines_of(talk.server.requests[1])] == [
        *("user", "call", "call", "call"),
        *("c1", "c2", "c3", "user"),
    ]
    assert lines_of(talk.server.requests[1])[-1][1].endswith("and count the files")


async def test_a_steer_during_the_last_words_gets_a_round_of_its_own(given: Given) -> None:
    talk = await given.session(held(says("I am done"), "gate", after_events=3), says("Also in French"))
    root = talk.say("translate")
    await talk.server.reached("gate")

    talk.steer("French, too")
    talk.server.release("gate")

    assert await talk.outcome(root) == "answered"
    assert len(talk.turns) == 1
    assert [who for who, _ in lines_of(talk.server.requests[1])] == ["user", "assistant", "user"]


async def test_a_steer_with_nobody_at_work_is_a_message(given: Given) -> None:
    talk = await given.session(says("hi"))

    talk.steer("hello")

    assert await talk.outcome() == "answered"
    assert [(m.kind, m.text) for m in talk.all_of(MessagePosted)] == [("user", "hello")]


async def test_a_steer_reaches_one_vp_or_all_at_work(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", held(says("1"), "omni"), says("2")), for_vp("skeptic", held(says("3"), "skeptic"), says("4"))
        ),
        roster=("omni", "skeptic"),
    )
    talk.say("@all work")
    await talk.server.reached("omni")
    await talk.server.reached("skeptic")

    talk.steer("only you", "skeptic")
    talk.steer("both of you")
    talk.server.release("omni")
    talk.server.release("skeptic")
    await talk.outcomes()

    assert [(m.to, m.text) for m in talk.all_of(MessagePosted) if m.kind == "steer"] == [
        (("skeptic",), "only you"),
        (("omni",), "both of you"),
        (("skeptic",), "both of you"),
    ]
    assert "only you" not in str(talk.requests_of("omni"))
    assert "both of you" in str(talk.requests_of("omni")[-1])
    assert "only you" in str(talk.requests_of("skeptic")[-1])


async def test_the_same_steer_delivered_twice_counts_once_and_an_empty_one_not_at_all(given: Given) -> None:
    talk = await given.session(held(says("1"), "gate"), says("2"))
    talk.say("go")
    await talk.server.reached("gate")

    talk.send(Steer(text="faster", op_id="s1"))
    talk.send(Steer(text="faster", op_id="s1"))
    with pytest.raises(BadData):
        talk.steer("  ")
    talk.server.release("gate")
    await talk.outcome()

    assert [m.text for m in talk.all_of(MessagePosted)] == ["go", "faster"]


async def test_a_stopped_reply_keeps_what_was_said_and_the_next_turn_works(given: Given) -> None:
    talk = await given.session(Stalls(of=says("One two three", chunk=4), after_events=7), says("Of course."))
    talk.say("count")
    await talk.until(lambda: next((one for one in talk.shown if isinstance(one, TextStreamed)), None))

    talk.interrupt()
    assert await talk.outcome() == "aborted"
    heard = len(talk.shown)
    talk.say("go on")

    assert await talk.outcome() == "answered"
    assert not [one for one in talk.shown[heard:] if isinstance(one, TextStreamed) and "One" in "".join(one.pieces)]
    request = lines_of(talk.server.requests[1])
    assert [who for who, _ in request] == ["user", "assistant", "user", "user"]
    assert request[1][1].startswith("One")
    assert "broke off" in request[2][1]


async def test_a_stopped_command_is_cancelled_and_its_peers_calls_never_run(given: Given) -> None:
    two = Calls(calls=(a_call("Bash", "c1", command="echo begun; sleep 600"), a_call("ListDir", "c2")))
    talk = await given.session(two, says("fine"), mode="auto")
    talk.say("run it")
    await talk.until(lambda: next((one for one in talk.shown if isinstance(one, CallOutput)), None))

    talk.interrupt("omni")

    assert await talk.outcome() == "aborted"
    assert (talk.result("c1").status, talk.result("c2").status) == ("cancelled", "not_run")
    talk.say("what now?")
    assert await talk.outcome() == "answered"
    assert "Stopped by the user" in talk.told_model("c1")
    assert talk.told_model("c1").rstrip().endswith("begun")


async def test_stopping_one_vp_leaves_the_other_at_work(given: Given) -> None:
    talk = await given.session(
        cast(for_vp("omni", held(says("still here"), "omni")), for_vp("skeptic", held(says("never"), "skeptic"))),
        roster=("omni", "skeptic"),
    )
    talk.say("@all work")
    await talk.server.reached("omni")
    await talk.server.reached("skeptic")

    talk.interrupt("skeptic")
    await talk.heard_of(TurnEnded)
    talk.server.release("omni")

    assert await talk.outcomes() == {"omni": "answered", "skeptic": "aborted"}


async def test_stopping_also_ends_what_waits_behind(given: Given) -> None:
    talk = await given.session(held(says("never"), "gate"), says("fine"))
    roots = [talk.say("first")]
    await talk.server.reached("gate")
    roots += [talk.say("second"), talk.say("third")]

    talk.interrupt()

    assert [await talk.outcome(root) for root in roots] == ["aborted"] * 3
    assert len(talk.server.requests) == 1
    talk.say("fourth")
    assert await talk.outcome() == "answered"


async def test_stopping_in_the_same_breath_as_asking_is_heard(given: Given) -> None:
    talk = await given.session(says("never"))

    talk.send(Say(text="hello"))
    talk.send(Interrupt())

    assert await talk.outcome() == "aborted"
    assert talk.server.requests == []


async def test_stopping_again_and_again_is_harmless(given: Given) -> None:
    talk = await given.session(held(says("never"), "gate"), says("fine"))
    talk.interrupt()
    talk.say("hello")
    await talk.server.reached("gate")

    for _ in range(3):
        talk.interrupt()
    assert await talk.outcome() == "aborted"
    talk.interrupt()
    talk.say("hello again")

    assert await talk.outcome() == "answered"
    assert len(talk.all_of(TurnEnded)) == 2


async def test_a_question_of_a_stopped_turn_is_withdrawn(given: Given) -> None:
    talk = await given.session(calls("AskUser", "c1", question="Tea or coffee?"), says("fine"))
    talk.say("ask me")
    ask = await talk.asked()

    talk.interrupt()

    assert await talk.outcome() == "aborted"
    assert [(one.ask_id, one.reason) for one in talk.all_of(AskWithdrawn)] == [(ask.ask_id, "aborted")]
    with pytest.raises(NotFound):
        talk.answer(ask, text="tea")


async def test_an_approval_of_a_stopped_turn_is_withdrawn_and_the_file_not_written(given: Given) -> None:
    talk = await given.session(calls("FileWrite", "c1", file_path="a.txt", content="x"), says("fine"))
    talk.say("write")
    ask = await talk.asked()

    talk.interrupt()

    assert await talk.outcome() == "aborted"
    assert [one.ask_id for one in talk.all_of(AskWithdrawn)] == [ask.ask_id]
    assert [(one.status) for one in talk.all_of(CallFinished)] == ["not_run"]
    assert not (given.folder / "a.txt").exists()


async def test_continuing_while_everybody_is_at_work_starts_nothing_twice(given: Given) -> None:
    talk = await given.session(held(says("once"), "gate"), says("twice"))
    talk.say("hello")
    await talk.server.reached("gate")

    with pytest.raises(NotFound):
        talk.send(ContinueTurn())
    talk.server.release("gate")

    assert await talk.outcome() == "answered"
    assert len(talk.server.requests) == 1


async def test_closing_with_abort_stops_and_closing_gently_waits(given: Given) -> None:
    talk = await given.session(held(says("done"), "gate"), held(says("never"), "other"))
    first = talk.say("first")
    await talk.server.reached("gate")

    talk.send(Close(how="drain"))
    talk.server.release("gate")
    assert await talk.outcome(first) == "answered"
    second = talk.say("second")
    await talk.server.reached("other")
    talk.send(Close(how="abort"))

    assert await talk.outcome(second) == "aborted"
