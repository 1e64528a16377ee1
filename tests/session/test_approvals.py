"""What needs the human's yes or word: asked once, answered by rule or person, never waited for without one."""

import json

import pytest

from tests.session.session_given import CLAUDE, Given, a_call, calls, cast, for_vp, hands_on, says
from yeaft.events.call import AskAnswered, AskOpened, AskWithdrawn
from yeaft.events.ops import Answer, SetMode
from yeaft.kernel.errors import NotFound
from yeaft.llm.scripted.script import Calls


def writes(name: str, wire_id: str, content: str = "x") -> Calls:
    return calls("FileWrite", wire_id, file_path=name, content=content)


@pytest.mark.parametrize("model", ["", CLAUDE])
async def test_a_write_waits_for_a_yes_and_then_happens(given: Given, model: str) -> None:
    talk = await given.session(writes("a.txt", "c1", "hello"), says("Written."), model=model)
    talk.say("write")

    ask = await talk.asked()
    assert (ask.kind, ask.vp_id) == ("approval", "omni")
    assert "a.txt" in ask.text
    assert not (given.folder / "a.txt").exists()
    talk.answer(ask)

    assert await talk.outcome() == "answered"
    assert (given.folder / "a.txt").read_text() == "hello"
    assert talk.result("c1").status == "ok"


async def test_once_is_once_and_the_session_answer_holds_for_the_session(given: Given) -> None:
    talk = await given.session(*(writes("a.txt", f"c{number}", str(number)) for number in range(4)), says("done"))
    talk.say("write four times")

    talk.answer(await talk.asked(1), decision="once")
    talk.answer(await talk.asked(2), decision="session")

    assert await talk.outcome() == "answered"
    assert len(talk.all_of(AskOpened)) == 2
    assert (given.folder / "a.txt").read_text() == "3"


async def test_a_session_answer_covers_only_what_it_was_given_for(given: Given) -> None:
    talk = await given.session(writes("a.txt", "c1"), writes("b.txt", "c2"), says("done"))
    talk.say("write two")

    talk.answer(await talk.asked(1), decision="session")
    second = await talk.asked(2)
    talk.answer(second, decision="deny")

    assert await talk.outcome() == "answered"
    assert "b.txt" in second.text
    assert not (given.folder / "b.txt").exists()


async def test_always_lets_the_same_call_of_a_peer_through_too(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", writes("a.txt", "c1"), says("done")),
            for_vp("tester", calls("FileRead", "t0", file_path="a.txt"), writes("a.txt", "t1", "y"), says("done")),
        ),
        roster=("omni", "tester"),
    )
    talk.say("@omni write")
    talk.answer(await talk.asked(), decision="always")
    await talk.outcomes()

    talk.say("@tester write")

    assert await talk.outcomes() == {"tester": "answered"}
    assert len(talk.all_of(AskOpened)) == 1
    assert (given.folder / "a.txt").read_text() == "y"


async def test_a_no_is_told_to_the_model_with_its_reason(given: Given) -> None:
    talk = await given.session(writes("a.txt", "c1"), says("Understood."))
    talk.say("write")

    talk.answer(await talk.asked(), decision="deny", text="Use b.txt")

    assert await talk.outcome() == "answered"
    assert talk.result("c1").status == "denied"
    assert "Use b.txt" in talk.told_model("c1")
    assert not (given.folder / "a.txt").exists()


async def test_a_deny_rule_asks_nobody(given: Given) -> None:
    talk = await given.session(writes("secret.txt", "c1"), says("Understood."), deny=("FileWrite(secret.txt)",))

    talk.say("write")

    assert await talk.outcome() == "answered"
    assert talk.all_of(AskOpened) == []
    assert talk.result("c1").status == "denied"


@pytest.mark.parametrize(("options", "kind"), [([], "question"), (["tea", "coffee"], "choice")])
async def test_a_question_of_a_vp_gets_the_humans_words(given: Given, options: list[str], kind: str) -> None:
    talk = await given.session(calls("AskUser", "c1", question="What to drink?", options=options), says("Fine."))
    talk.say("ask me")

    ask = await talk.asked()
    assert (ask.kind, ask.text, ask.options) == (kind, "What to drink?", tuple(options))
    talk.answer(ask, **({"choice": ("tea",)} if options else {"text": "tea"}))

    assert await talk.outcome() == "answered"
    assert json.loads(talk.told_model("c1")) == {"question": "What to drink?", "answers": ["tea"]}


async def test_an_answer_counts_once(given: Given) -> None:
    talk = await given.session(writes("a.txt", "c1"), says("ok"))
    talk.say("write")
    ask = await talk.asked()

    talk.answer(ask)
    with pytest.raises(NotFound):
        talk.answer(ask, decision="deny")
    with pytest.raises(NotFound):
        talk.send(Answer(ask_id="k_unknown"))

    assert await talk.outcome() == "answered"
    assert len(talk.all_of(AskAnswered)) == 1


async def test_two_vps_ask_at_once_and_each_gets_its_own_answer(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", writes("omni.txt", "c1"), says("omni done")),
            for_vp("tester", writes("tester.txt", "c2"), says("tester done")),
        ),
        roster=("omni", "tester"),
    )
    talk.say("@all write")
    await talk.asked(2)
    asks = {ask.vp_id: ask for ask in talk.all_of(AskOpened)}

    talk.answer(asks["tester"], decision="deny")
    await talk.until(lambda: talk.said_by("tester") == ["tester done"] or None)
    assert talk.said_by("omni") == [""]
    talk.answer(asks["omni"])

    assert await talk.outcomes() == {"omni": "answered", "tester": "answered"}
    assert (given.folder / "omni.txt").exists()
    assert not (given.folder / "tester.txt").exists()


async def test_calls_of_one_reply_are_asked_about_one_after_another(given: Given) -> None:
    two = Calls(
        calls=(
            a_call("FileWrite", "c1", file_path="a.txt", content="a"),
            a_call("FileWrite", "c2", file_path="b.txt", content="b"),
        )
    )
    talk = await given.session(two, says("ok"))
    talk.say("write both")

    talk.answer(await talk.asked(1), decision="deny")
    talk.answer(await talk.asked(2))

    assert await talk.outcome() == "answered"
    assert [path.name for path in given.folder.iterdir()] == ["b.txt"]


async def test_where_nobody_is_there_a_question_ends_the_turn(given: Given) -> None:
    two = Calls(calls=(a_call("AskUser", "c1", question="Which?"), a_call("ListDir", "c2")))
    talk = await given.session(two, says("fine"), has_human=False)

    talk.say("go")

    assert await talk.outcome() == "needs_human"
    assert [one.text for one in talk.all_of(AskOpened)] == ["Which?"]
    assert [one.reason for one in talk.all_of(AskWithdrawn)] == ["headless"]
    assert (talk.result("c1").status, talk.result("c2").status) == ("not_run", "not_run")
    talk.say("never mind")
    assert await talk.outcome() == "answered"


async def test_where_nobody_is_there_the_flag_that_would_allow_it_is_named_and_works(given: Given) -> None:
    first = await given.session(calls("Bash", "c1", command="touch made"), says("done"), has_human=False)
    first.say("go")
    assert await first.outcome() == "needs_human"
    flag = (await first.asked()).flag
    assert flag.startswith("--allow ")
    rule = flag.removeprefix("--allow ").strip("'")
    await first.close()

    second = await given.session(
        calls("Bash", "c1", command="touch made"), says("done"), has_human=False, allow=(rule,)
    )
    second.say("go")

    assert await second.outcome() == "answered"
    assert (given.folder / "made").exists()


async def test_an_unmet_ask_of_a_peer_is_reported_to_whoever_handed_on(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", hands_on("tester", "write it"), says("It needs you.")),
            for_vp("tester", writes("a.txt", "c1"), says("never")),
        ),
        roster=("omni", "tester"),
        has_human=False,
    )

    talk.say("delegate")

    assert await talk.outcomes() == {"omni": "answered", "tester": "needs_human"}


async def test_plan_mode_denies_and_leaving_it_helps_from_the_next_call_on(given: Given) -> None:
    talk = await given.session(writes("a.txt", "c1"), says("planned"), writes("a.txt", "c2"), says("ok"), mode="plan")
    talk.say("write")
    await talk.outcome()
    assert talk.result("c1").status == "denied"

    talk.send(SetMode(mode="auto"))
    talk.say("now do it")

    assert await talk.outcome() == "answered"
    assert talk.result("c2").status == "ok"
    assert talk.all_of(AskOpened) == []


async def test_a_human_who_leaves_ends_what_waits_for_an_answer(given: Given) -> None:
    talk = await given.session(writes("a.txt", "c1"), says("fine"))
    talk.say("write")
    await talk.asked()

    talk.human_leaves()

    assert await talk.outcome() == "needs_human"
    assert [one.reason for one in talk.all_of(AskWithdrawn)] == ["headless"]
