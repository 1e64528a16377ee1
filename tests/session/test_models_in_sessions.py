"""What a Session makes of its models: retries, the spare one, keys that expire, settings that change on the way."""

import sys

import pytest

from tests.session.session_given import BOX, CLAUDE, Given, calls, cast, for_vp, held, lines_of, says
from yeaft.events.call import TodoChanged, TodoItem
from yeaft.events.ops import SetModel
from yeaft.events.session import SettingsFrozen
from yeaft.events.turn import (
    ModelSwitched,
    ReplyCompleted,
    RequestFailed,
    RequestSent,
    RetryScheduled,
    RetryWaiting,
    TurnEnded,
)
from yeaft.llm.scripted.script import Breaks, Cuts, Fails, Line, Script
from yeaft.llm.scripted.script import says as script_of

SPARE = "box/spare"


def by_model(**steps: tuple[object, ...]) -> Script:
    """What each model says, by its id."""
    return Script(lines=tuple(Line(model=model, steps=said, repeat=True) for model, said in steps.items()))


async def test_a_busy_provider_is_tried_again(given: Given) -> None:
    talk = await given.session(Fails(status=503), says("There."))

    talk.say("hello")

    assert await talk.outcome() == "answered"
    assert [(one.round, one.attempt) for one in talk.all_of(RequestSent)] == [(0, 0), (0, 1)]
    assert [one.how for one in talk.all_of(RetryScheduled)] == ["restart"]
    assert any(isinstance(one, RetryWaiting) for one in talk.shown)
    assert talk.server.requests[0].raw == talk.server.requests[1].raw


@pytest.mark.parametrize("model", ["", CLAUDE])
@pytest.mark.parametrize("breaks", [Breaks, Cuts])
async def test_text_that_was_shown_is_kept_and_the_rest_asked_for(given: Given, model: str, breaks: type) -> None:
    broken = breaks(of=says("One two three four", chunk=4), after_events=7)
    talk = await given.session(broken, says(" and five."), model=model)

    talk.say("count")

    assert await talk.outcome() == "answered"
    assert [one.how for one in talk.all_of(RetryScheduled)] == ["continue"]
    second = lines_of(talk.server.requests[1])
    assert [who for who, _ in second] == ["user", "assistant", "user"]
    assert second[1][1].startswith("One")
    assert "Continue exactly where it stopped" in second[2][1]


async def test_a_call_that_had_begun_to_arrive_is_never_asked_for_again(given: Given) -> None:
    broken = Breaks(of=calls("Bash", "c1", command="touch made"), after_events=5)
    talk = await given.session(broken, says("next"), mode="auto")

    talk.say("go")

    assert await talk.outcome() == "failed"
    assert len(talk.server.requests) == 1
    assert not (given.folder / "made").exists()
    talk.say("and now?")
    assert await talk.outcome() == "answered"


async def test_when_the_first_model_stays_away_the_spare_one_takes_over_for_the_turn(given: Given) -> None:
    talk = await given.session(
        by_model(scripted=(Fails(status=500),), spare=(calls("ListDir", "c1"), says("The spare one."))),
        settings=(f"models.fallback={SPARE}",),
    )

    talk.say("hello")

    assert await talk.outcome() == "answered"
    assert [(one.from_model, one.to_model) for one in talk.all_of(ModelSwitched)] == [(BOX, SPARE)]
    assert [one.model for one in talk.all_of(RequestSent)] == [BOX, BOX, SPARE, SPARE]
    talk.say("again")
    await talk.outcome()
    assert [one.model for one in talk.all_of(RequestSent)][4] == BOX


async def test_a_switch_to_another_protocol_takes_the_whole_conversation_along(given: Given) -> None:
    given.file("a.txt", "content")
    talk = await given.session(
        Script(
            lines=(
                Line(steps=(calls("FileRead", "c1", file_path="a.txt"), Fails(status=500), Fails(status=500))),
                Line(steps=(says("From the other."),)),
            )
        ),
        settings=(f"models.fallback={CLAUDE}",),
    )

    talk.say("read")

    assert await talk.outcome() == "answered"
    assert [one.protocol for one in talk.all_of(RequestSent)][-1] == "anthropic"
    assert [who for who, _ in lines_of(talk.server.requests[-1])] == ["user", "call", "c1"]


async def test_without_a_spare_model_the_turn_fails_and_says_why(given: Given) -> None:
    talk = await given.session(Fails(status=500), Fails(status=500), says("back again"))

    talk.say("hello")

    assert await talk.outcome() == "failed"
    (ended,) = talk.all_of(TurnEnded)
    assert ended.error is not None
    assert (ended.error.kind, ended.error.status) == ("server", 500)
    talk.say("hello?")
    assert await talk.outcome() == "answered"


async def test_an_expired_key_is_asked_for_anew_and_the_user_notices_nothing(given: Given) -> None:
    await given.model(script_of("Let in."), key="fresh-key")
    code = "import pathlib; used = pathlib.Path('used'); print('fresh-key' if used.exists() else 'stale-key'); used.touch()"
    command = f'["{sys.executable}", "-c", "import os; os.chdir(\'{given.home}\'); {code}"]'
    given.config(**{'protocol = "openai-responses"': f'protocol = "openai-responses"\napi_key_cmd = {command}'})
    talk = await given.session()

    talk.say("hello")

    assert await talk.outcome() == "answered"
    assert [received.headers["authorization"] for received in talk.server.requests] == [
        "Bearer stale-key",
        "Bearer fresh-key",
    ]
    assert talk.all_of(RequestFailed) == []


async def test_a_wrong_key_fails_at_once_and_is_never_shown(given: Given) -> None:
    await given.model(script_of("never"), key="right")
    given.config(**{'protocol = "openai-responses"': 'protocol = "openai-responses"\napi_key = "sk-wrong-key"'})
    talk = await given.session()

    talk.say("hello")

    assert await talk.outcome() == "failed"
    assert len(talk.server.requests) == 1
    assert all("sk-wrong-key" not in str(one.event) for one in talk.heard)


async def test_a_model_chosen_meanwhile_counts_from_the_next_request_on(given: Given) -> None:
    talk = await given.session(held(calls("ListDir", "c1"), "gate"), says("done"), says("more"))
    talk.say("look")
    await talk.server.reached("gate")

    talk.send(SetModel(model=SPARE))
    talk.server.release("gate")
    await talk.outcome()

    assert [one.model for one in talk.all_of(ReplyCompleted)] == [BOX, SPARE]
    assert [one.model for one in talk.all_of(RequestSent)] == [BOX, SPARE]
    assert len({one.settings for one in talk.all_of(RequestSent)}) == 2


async def test_a_model_may_be_chosen_for_one_vp_alone(given: Given) -> None:
    talk = await given.session(cast(for_vp("omni", says("a")), for_vp("tester", says("b"))), roster=("omni", "tester"))

    talk.send(SetModel(model=SPARE, vp_id="tester"))
    talk.say("@all go")
    await talk.outcomes()

    assert {one.vp: one.model for one in talk.all_of(RequestSent)} == {"omni": BOX, "tester": SPARE}


async def test_a_model_chosen_for_all_before_the_first_word_holds_for_whoever_joins_later(given: Given) -> None:
    talk = await given.session(cast(for_vp("omni", says("a")), for_vp("tester", says("b"))), roster=("omni",))

    talk.send(SetModel(model=SPARE))
    talk.say("hello")
    await talk.outcomes()
    talk.say("@tester and you?")
    await talk.outcomes()

    assert {one.vp: one.model for one in talk.all_of(RequestSent)} == {"omni": SPARE, "tester": SPARE}


async def test_a_model_that_does_not_exist_fails_the_turn_with_its_name(given: Given) -> None:
    talk = await given.session(says("never"), model="nowhere/nothing")

    talk.say("hello")

    assert await talk.outcome() == "failed"
    (ended,) = talk.all_of(TurnEnded)
    assert ended.error is not None
    assert "nowhere" in ended.error.message
    assert talk.server.requests == []


async def test_settings_are_kept_once_while_they_stay_the_same(given: Given) -> None:
    talk = await given.session(calls("ListDir", "c1"), says("1"), says("2"), says("3"))
    for _ in range(3):
        talk.say("go")
        await talk.outcome()

    talk.say("@tester hello")
    await talk.outcomes()
    talk.say("@omni and you?")
    await talk.outcomes()

    of_omni = [one.digest for one in talk.all_of(SettingsFrozen) if one.vp_id == "omni"]
    assert len(of_omni) == len(set(of_omni)) == 2


async def test_the_rounds_of_a_turn_end_at_the_limit(given: Given) -> None:
    talk = await given.session(*(calls("ListDir", f"c{number}") for number in range(5)), max_rounds=2)

    talk.say("loop")

    assert await talk.outcome() == "limit"
    (ended,) = talk.all_of(TurnEnded)
    assert (ended.limit, ended.rounds) == ("rounds", 2)


async def test_the_money_of_a_process_ends_at_the_limit_for_all_vps(given: Given) -> None:
    talk = await given.session(
        cast(for_vp("omni", says("long " * 50)), for_vp("tester", says("never"))),
        roster=("omni", "tester"),
        max_cost_usd=0.000001,
    )
    talk.say("@omni spend")
    assert await talk.outcomes() == {"omni": "answered"}

    talk.say("@tester spend more")

    assert await talk.outcomes() == {"tester": "limit"}
    assert len(talk.server.requests) == 1
    assert talk.all_of(ReplyCompleted)[0].cost_usd


async def test_a_reply_cut_by_the_output_limit_is_continued_a_few_times(given: Given) -> None:
    talk = await given.session(*(says(f"part {number}", stop="max_tokens") for number in range(9)))

    talk.say("a long story")

    assert await talk.outcome() == "limit"
    assert len(talk.server.requests) == 4
    assert [who for who, _ in lines_of(talk.server.requests[1])] == ["user", "assistant", "user"]
    talk.say("go on")
    await talk.outcome()
    assert talk.server.requests[4].problems == ()


async def test_a_refusal_is_an_ending_of_its_own(given: Given) -> None:
    talk = await given.session(says("I will not.", stop="refusal"), says("Gladly."))

    talk.say("do it")
    assert await talk.outcome() == "refused"
    talk.say("do something else")

    assert await talk.outcome() == "answered"


async def test_the_third_same_call_is_remarked_upon_with_the_last_result(given: Given) -> None:
    given.file("a.txt", "same old content")
    reads = (calls("FileRead", f"c{number}", file_path="a.txt") for number in range(4))
    talk = await given.session(*reads, says("done"))

    talk.say("read it over and over")
    await talk.outcome()

    remarks = ["call number" in str(lines_of(received)) for received in talk.server.requests]
    assert remarks == [False, False, False, True, True]
    last = lines_of(talk.server.requests[3])
    assert "call number 3 of FileRead" in last[-1][1]
    assert "same old content" in last[-1][1]
    assert [talk.result(f"c{number}").status for number in range(4)] == ["ok"] * 4


async def test_a_vp_cannot_overwrite_what_a_peer_changed_meanwhile(given: Given) -> None:
    given.file("a.txt", "one\n")
    read = {"file_path": "a.txt"}
    talk = await given.session(
        cast(
            for_vp(
                "omni",
                calls("FileRead", "o1", **read),
                says("read"),
                calls("FileWrite", "o2", file_path="a.txt", content="omni"),
                calls("FileRead", "o3", **read),
                calls("FileWrite", "o4", file_path="a.txt", content="both"),
                says("done"),
            ),
            for_vp(
                "tester",
                calls("FileRead", "t1", **read),
                calls("FileWrite", "t2", file_path="a.txt", content="tester"),
                says("done"),
            ),
        ),
        roster=("omni", "tester"),
        mode="auto",
    )
    for text in ("@omni read", "@tester change it", "@omni change it, too"):
        talk.say(text)
        await talk.outcomes()

    assert [talk.result(name).status for name in ("t2", "o2", "o4")] == ["ok", "failed", "ok"]
    assert (given.folder / "a.txt").read_text() == "both"


async def test_what_a_vp_has_read_is_remembered_when_the_session_is_found_again(given: Given) -> None:
    given.file("a.txt", "one\n")
    first = await given.session(
        calls("FileRead", "c1", file_path="a.txt"),
        says("read"),
        calls("FileWrite", "c2", file_path="a.txt", content="two"),
        says("written"),
        mode="auto",
    )
    first.say("read")
    await first.outcome()

    second = await given.again(first, mode="auto")
    second.say("write")
    await second.outcome()

    assert second.result("c2").status == "ok"


async def test_each_vp_keeps_its_own_todo_list(given: Given) -> None:
    todo = {"content": "Test it", "status": "pending", "activeForm": "Testing it"}
    talk = await given.session(
        cast(for_vp("omni", calls("TodoWrite", "c1", todos=[todo]), says("noted")), for_vp("tester", says("hi"))),
        roster=("omni", "tester"),
    )

    talk.say("@all plan")
    await talk.outcomes()

    items = (TodoItem(content="Test it", status="pending", active_form="Testing it"),)
    assert [(one.vp_id, one.items) for one in talk.all_of(TodoChanged)] == [("omni", items)]
    assert talk.state.todos == {"omni": items}


@pytest.mark.parametrize("model", ["", CLAUDE])
async def test_what_a_model_makes_up_is_told_back_to_it(given: Given, model: str) -> None:
    talk = await given.session(
        calls("Teleport", "c1", to="moon"),
        calls("FileRead", "c2", wrong="name"),
        calls("ListDir", "c3", path=".", why="curious"),
        says("sorry"),
        model=model,
    )

    talk.say("go")

    assert await talk.outcome() == "answered"
    assert "There is no tool named 'Teleport'" in talk.told_model("c1")
    assert "file_path" in talk.told_model("c2")
    assert "why" in talk.told_model("c3")
    assert [talk.result(name).status for name in ("c1", "c2", "c3")] == ["failed", "failed", "ok"]
