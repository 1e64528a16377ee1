"""Troubles that users of other agents have reported, each under the name of its symptom: here it does not appear."""

import asyncio
import json
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.session.session_given import CLAUDE, Given, a_call, calls, cast, for_vp, held, says
from yeaft.events.agent import AgentEnded
from yeaft.events.call import CallFinished, CallStarted
from yeaft.events.turn import RequestSent
from yeaft.llm.scripted.script import Calls, Script, ScriptedCall

BOX = "box/scripted"
HALF = "\ud83d"
AGENTS = 8


@asynccontextmanager
async def a_server_that_says_nothing(given: Given) -> AsyncIterator[tuple[asyncio.Event, asyncio.Event]]:
    """In the place of the model; yields what is set when somebody connects, and when they hang up."""
    connected, hung_up = asyncio.Event(), asyncio.Event()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.set()
        while await reader.read(65536):
            pass
        hung_up.set()
        writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        config = given.home / "config.toml"
        text = config.read_text()
        (old,) = {line for line in text.splitlines() if line.startswith("base_url") and line.endswith('/v1"')}
        config.write_text(text.replace(old, f'base_url = "http://127.0.0.1:{port}/v1"'))
        yield connected, hung_up


@pytest.mark.parametrize("model", [BOX, CLAUDE])
async def test_half_a_character_in_a_result_or_in_arguments_is_rejected_by_the_provider(
    given: Given, model: str
) -> None:
    (given.folder / os.fsdecode(b"bad\xff.txt")).touch()
    odd = '{"path": ".", "\\ud800": "\\udc00 and \\ud83d"}'
    first = Calls(
        calls=(
            a_call("ListDir", "c1", path="."),
            ScriptedCall(tool="ListDir", id="c2", args_raw=odd),
        )
    )
    talk = await given.session(first, says("Done."), says("Still here."), model=model)

    talk.say(f"half {HALF} of it")
    assert await talk.outcome() == "answered"
    talk.say("and now?")

    assert await talk.outcome() == "answered"
    assert "bad" in talk.result("c1").text
    assert all(HALF not in json.dumps(received.body, ensure_ascii=False) for received in talk.server.requests)


async def test_a_file_that_a_command_has_changed_is_read_as_it_was_before(given: Given) -> None:
    given.file("notes.txt", "milk\n")
    talk = await given.session(
        calls("FileRead", "r1", file_path="notes.txt"),
        calls("Bash", "b1", command="echo eggs >> notes.txt"),
        calls("FileRead", "r2", file_path="notes.txt"),
        says("Done."),
        mode="auto",
    )

    talk.say("look, add eggs, look again")
    await talk.outcome()

    assert "eggs" not in talk.result("r1").text
    assert "eggs" in talk.result("r2").text
    assert "eggs" in talk.told_model("r2")


async def test_an_interrupt_is_acknowledged_but_the_request_goes_on(given: Given) -> None:
    await given.model(Script())
    async with a_server_that_says_nothing(given) as (connected, hung_up), asyncio.timeout(20):
        talk = await given.session()
        talk.say("hello")
        await connected.wait()

        talk.interrupt()

        assert await talk.outcome() == "aborted"
        await hung_up.wait()
        assert len(talk.all_of(RequestSent)) == 1


async def test_an_interrupt_leaves_sub_agents_running_and_exceptions_that_nobody_fetched(
    given: Given, caplog: pytest.LogCaptureFixture
) -> None:
    names = [f"a{number}" for number in range(AGENTS)]
    all_at_once = Calls(calls=tuple(a_call("SpawnAgent", f"s{name}", name=name, task="Do it.") for name in names))
    lines = [for_vp(f"omni/{name}", calls("Bash", f"b{name}", command="sleep 1000")) for name in names]
    await given.model(cast(for_vp("omni", all_at_once, held(says("never"), "gate")), *lines))
    given.config(
        f"\n[limits]\nagents_per_vp = {AGENTS}\nagents_per_session = {AGENTS}\nagents_per_message = {AGENTS}\n"
    )
    talk = await given.session(mode="auto")
    talk.say("go")
    await talk.server.reached("gate")

    with caplog.at_level(logging.WARNING):
        talk.interrupt()
        await talk.outcome()
        await talk.idle()

    assert sorted(one.state for one in talk.all_of(AgentEnded)) == ["closed"] * AGENTS
    assert [record.getMessage() for record in caplog.records] == []


async def test_a_conversation_beyond_the_window_costs_requests_that_nobody_sees(given: Given) -> None:
    prompts = 12
    talk = await given.session(*(says(f"Answer {number}. " + "word " * 3000) for number in range(prompts)))

    for number in range(prompts):
        talk.say(f"question {number}")
        assert await talk.outcome() == "answered"

    sent = talk.all_of(RequestSent)
    assert len(talk.server.requests) == len(sent) == prompts
    assert sent[-1].window.dropped, "the conversation is longer than what was sent"


@pytest.mark.parametrize(
    ("stop", "outcome"),
    [
        ("end", "answered"),
        ("refusal", "refused"),
        ("context", "limit"),
        ("solar_flare", "answered"),
    ],
)
async def test_a_turn_ends_in_silence_and_looks_frozen_for_a_reason_of_the_provider(
    given: Given, stop: str, outcome: str
) -> None:
    talk = await given.session(says("So far.", stop=stop), says("Here again."), model=CLAUDE)

    talk.say("go")
    ended = await talk.outcome()
    talk.say("and now?")

    assert await talk.outcome() == "answered"
    assert ended == outcome
    assert talk.said_by("omni")[-1] == "Here again."


async def test_an_id_that_a_provider_gives_twice_or_not_at_all_makes_a_session_useless(given: Given) -> None:
    twice = Calls(calls=(a_call("ListDir", "same", path="."), a_call("ListDir", "same", path=".")))
    without = Calls(calls=(a_call("ListDir", "", path="."), a_call("ListDir", "same", path=".")))
    talk = await given.session(twice, without, says("Done."), says("Still here."), model=CLAUDE)

    talk.say("look")
    assert await talk.outcome() == "answered"
    talk.say("and now?")

    assert await talk.outcome() == "answered"
    assert len({one.call_id for one in talk.all_of(CallStarted)}) == len(talk.all_of(CallFinished)) == 4


async def test_a_command_that_prints_nothing_makes_every_later_turn_fail(given: Given) -> None:
    talk = await given.session(
        calls("Bash", "b1", command="true"), says("Done."), says("Fine."), model=CLAUDE, mode="auto"
    )

    talk.say("run it")
    assert await talk.outcome() == "answered"
    talk.say("and now?")

    assert await talk.outcome() == "answered"
    assert talk.told_model("b1").strip()
