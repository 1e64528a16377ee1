"""`/high explain this`: a message that asks for an effort has it for all it leads to, and for nothing else."""

from pathlib import Path
from typing import Any

import pytest

from tests.session.agents_given import requests_of, spawns
from tests.session.session_given import Given, Talk, calls, cast, for_vp, hands_on, held, lines_of, says
from yeaft.events.ops import SetModel
from yeaft.events.session import MessagePosted
from yeaft.kernel.errors import UsageError
from yeaft.llm.scripted.script import Script, script
from yeaft.session.opening import meta_of

KNOWN = 'efforts = ["low", "high", "max"]\nprice_usd_per_mtok'


async def session(given: Given, told: Script, **wish: Any) -> Talk:
    """A Session with a model that knows three efforts."""
    await given.model(told)
    given.config(price_usd_per_mtok=KNOWN)
    return await given.session(**wish)


def efforts(talk: Talk) -> list[str | None]:
    """What each request asked for."""
    return [(received.body.get("reasoning") or {}).get("effort") for received in talk.server.requests]


async def test_an_effort_holds_for_its_message_alone_and_the_model_is_told_the_rest(given: Given) -> None:
    talk = await session(given, script(says("One."), calls("ListDir", "c1"), says("Two."), says("Three.")))

    for text in ("first", "/high explain this", "and now?"):
        await talk.types(text)
        await talk.outcome()

    assert efforts(talk) == [None, "high", "high", None]
    said = [[text for who, text in lines_of(one) if who == "user"] for one in talk.server.requests]
    assert said[-1] == ["first", "explain this", "and now?"]
    assert [message.text for message in talk.all_of(MessagePosted)] == ["first", "/high explain this", "and now?"]


@pytest.mark.parametrize(
    ("typed", "asked", "told"),
    [
        ("@skeptic /max count", "max", "count"),
        ("/max @skeptic count", "max", "count"),
        ("/ULTRA @skeptic, count", "max", "count"),
        ("/xhigh\n@skeptic count\n\ntwice", "high", "count\n\ntwice"),
    ],
)
async def test_an_effort_stands_before_or_behind_who_it_is_for(given: Given, typed: str, asked: str, told: str) -> None:
    talk = await session(given, cast(for_vp("skeptic", says("Three."))), roster=("skeptic",))

    await talk.types(typed)
    assert await talk.outcomes() == {"skeptic": "answered"}

    assert efforts(talk) == [asked]
    assert lines_of(talk.server.requests[0])[-1] == ("user", told)


async def test_an_effort_behind_a_name_of_two_words_is_found(given: Given) -> None:
    given.vp("ada", name="Ada Lovelace")
    talk = await session(given, cast(for_vp("ada", says("Three."))), roster=("ada",))

    message_id = await talk.types("@Ada Lovelace, /high count")
    assert await talk.outcomes() == {"ada": "answered"}

    assert efforts(talk) == ["high"]
    assert talk.state.messages[message_id].text == "/high @Ada Lovelace, count"


async def test_those_whom_a_message_is_handed_on_to_have_its_effort(given: Given) -> None:
    told = cast(for_vp("omni", hands_on("skeptic", "check"), says("Checked.")), for_vp("skeptic", says("Fine.")))
    talk = await session(given, told, roster=("omni", "skeptic"))

    await talk.types("/low ask the other one")
    await talk.outcomes()
    await talk.idle()

    assert set(efforts(talk)) == {"low"}


async def test_what_is_added_with_an_effort_changes_the_rest_of_the_turn(given: Given) -> None:
    talk = await session(given, script(held(calls("ListDir", "c1"), "gate"), says("Done."), says("Bye.")))
    await talk.types("/low look around")
    await talk.server.reached("gate")

    talk.steer("/max and think about it")
    talk.server.release("gate")
    await talk.outcome()
    await talk.types("thanks")
    await talk.outcome()

    assert efforts(talk) == ["low", "max", None]
    steered = lines_of(talk.server.requests[1])[-1][1]
    assert "and think about it" in steered
    assert "/max" not in steered


async def test_the_callers_effort_wins_and_the_user_is_told_until_another_one_is_ordered(given: Given) -> None:
    talk = await session(given, script(says("1"), says("2"), says("3"), says("4")), effort="low")

    await talk.types("/high one")
    await talk.outcome()
    await talk.types("/high two")
    await talk.outcome()
    talk.send(SetModel(effort="max"))
    await talk.types("/high three")
    await talk.outcome()
    await talk.types("four")
    await talk.outcome()

    assert efforts(talk) == ["low", "low", "high", "max"]
    assert talk.notices() == [("effort.callers_counts", {"effort": "low", "asked": "high"})]


async def test_a_command_behind_an_effort_is_started(given: Given) -> None:
    path = given.home / "commands" / "ship.md"
    path.parent.mkdir(parents=True)
    path.write_text("Ship $1.\n", encoding="utf-8")
    talk = await session(given, script(says("Done.")))

    message_id = await talk.types("/high /ship cake")
    await talk.outcome()

    assert efforts(talk) == ["high"]
    assert talk.state.messages[message_id].text.startswith("/high /ship cake\n\n<command")
    assert "Ship cake." in lines_of(talk.server.requests[0])[-1][1]


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("/high", "/high holds for the message that it stands before, and none follows. Write /high MESSAGE;"),
        ("@omni /MAX  ", "/max holds for the message"),
        ("/high /low hi", "One effort can stand before a message: /high or /low, not both."),
        ("/high /shipp cake", "There is no command /shipp."),
    ],
)
async def test_what_cannot_be_meant_is_refused_and_nothing_is_said(given: Given, typed: str, reason: str) -> None:
    talk = await session(given, script(says("Never.")))

    with pytest.raises(UsageError) as refused:
        await talk.types(typed)

    assert str(refused.value).startswith(reason)
    assert not talk.state.messages
    assert not talk.server.requests


async def test_a_file_alone_can_go_along_with_an_effort(given: Given) -> None:
    path = given.file("notes.txt", "milk")
    talk = await session(given, script(says("Milk.")))

    await talk.types("/high", files=(Path(path),))
    await talk.outcome()

    assert efforts(talk) == ["high"]
    assert "milk" in lines_of(talk.server.requests[0])[-1][1]


async def test_a_session_goes_on_shows_and_replays_what_an_effort_stood_before(given: Given) -> None:
    talk = await session(given, script(says("One."), says("Two.")))
    await talk.types("/high explain the parser")
    await talk.outcome()

    again = await given.again(talk)
    await again.types("and the lexer")
    await again.outcome()

    assert efforts(again) == ["high", None]
    assert [text for who, text in lines_of(again.server.requests[-1]) if who == "user"] == [
        "explain the parser",
        "and the lexer",
    ]
    assert meta_of(again.state).title == "explain the parser"


async def test_what_an_agent_is_told_by_a_vp_asks_for_nothing_and_loses_no_word(given: Given) -> None:
    told = cast(
        for_vp("omni", spawns("ann", task="/max 3 is the limit."), says("On it."), says("Done.")),
        for_vp("omni/ann", says("Three.")),
    )
    talk = await session(given, told)

    await talk.types("/low ask somebody")
    await talk.outcome()

    (asked,) = requests_of(talk, "omni/ann")
    assert lines_of(asked) == [("user", "/max 3 is the limit.")]
    assert "max" not in efforts(talk)
