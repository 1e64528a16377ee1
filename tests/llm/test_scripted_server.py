"""The scripted model, asked by the official clients, which are the judges of what it puts on the wire."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.llm import sdks
from yeaft.kernel.errors import BadData, NotFound
from yeaft.kernel.usage import Usage
from yeaft.llm.scripted.script import (
    Answer,
    Breaks,
    Bytes,
    Calls,
    Cuts,
    Fails,
    Holds,
    Line,
    Says,
    Script,
    ScriptedCall,
    Stalls,
    call,
    read_script,
    says,
    script,
)
from yeaft.llm.scripted.server import ScriptedServer

USAGE = Usage(input=70, output=9, cache_read=30, reasoning=4)
FULL = Calls(
    text="Let me look at 清单.txt.",
    thinking="Reading comes first.",
    calls=(ScriptedCall(tool="FileRead", args={"file_path": "清单.txt"}, id="t_1"), call("ListDir", path=".")),
    usage=USAGE,
)


def claude(server: ScriptedServer) -> sdks.anthropic.AsyncAnthropic:
    return sdks.anthropic.AsyncAnthropic(base_url=server.base_url, api_key="k", max_retries=0)


def gpt(server: ScriptedServer) -> sdks.openai.AsyncOpenAI:
    return sdks.openai.AsyncOpenAI(base_url=f"{server.base_url}/v1", api_key="k", max_retries=0)


async def ask_claude(server: ScriptedServer, text: str = "hi", **more: object) -> sdks.anthropic.types.Message:
    async with (
        claude(server) as client,
        client.messages.stream(
            model="m", max_tokens=99, messages=[{"role": "user", "content": text}], **more
        ) as stream,
    ):
        return await stream.get_final_message()


async def ask_gpt(server: ScriptedServer, text: str = "hi", **more: object) -> sdks.openai.types.responses.Response:
    async with gpt(server) as client:
        stream = await client.responses.create(model="m", input=text, stream=True, **more)
        return [event async for event in stream][-1].response


async def test_the_anthropic_client_assembles_text_thinking_calls_and_usage() -> None:
    async with ScriptedServer(script(FULL)) as server:
        message = await ask_claude(server)

    thinking, text, first, second = message.content
    assert (thinking.thinking, text.text) == ("Reading comes first.", "Let me look at 清单.txt.")
    assert (first.id, first.name, first.input) == ("t_1", "FileRead", {"file_path": "清单.txt"})
    assert (second.name, second.input) == ("ListDir", {"path": "."})
    assert message.stop_reason == "tool_use"
    assert (message.usage.input_tokens, message.usage.cache_read_input_tokens, message.usage.output_tokens) == (
        70,
        30,
        9,
    )


async def test_the_openai_client_assembles_text_reasoning_calls_and_usage() -> None:
    async with ScriptedServer(script(FULL)) as server:
        response = await ask_gpt(server)

    reasoning, message, first, second = response.output
    assert (reasoning.summary[0].text, message.content[0].text) == ("Reading comes first.", "Let me look at 清单.txt.")
    assert (first.call_id, first.name, json.loads(first.arguments)) == ("t_1", "FileRead", {"file_path": "清单.txt"})
    assert (second.name, response.status) == ("ListDir", "completed")
    assert (response.usage.input_tokens, response.usage.input_tokens_details.cached_tokens) == (100, 30)
    assert (response.usage.output_tokens, response.usage.output_tokens_details.reasoning_tokens) == (9, 4)


async def test_every_openai_event_is_one_the_official_types_know_and_is_numbered_without_gaps() -> None:
    async with ScriptedServer(script(FULL)) as server, gpt(server) as client:
        events = [event async for event in await client.responses.create(model="m", input="hi", stream=True)]

    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert all(type(event).__module__.startswith("openai.types.responses") for event in events)


@pytest.mark.parametrize("answer", [FULL, Says(text="Milk and eggs.", usage=USAGE)], ids=["calls", "text"])
async def test_a_reply_that_is_not_streamed_says_the_same(answer: Answer) -> None:
    async with ScriptedServer(Script(fallback=answer)) as server, claude(server) as one, gpt(server) as two:
        message = await one.messages.create(model="m", max_tokens=99, messages=[{"role": "user", "content": "hi"}])
        response = await two.responses.create(model="m", input="hi")
        streamed, events = await ask_claude(server), await ask_gpt(server)

    def wanted(block: object) -> dict[str, object]:
        return {key: value for key, value in block.model_dump().items() if key not in ("id", "call_id")}

    assert [wanted(block) for block in message.content] == [wanted(block) for block in streamed.content]
    assert [wanted(item) for item in response.output] == [wanted(item) for item in events.output]


@pytest.mark.parametrize(
    ("stop", "reason", "status"),
    [
        ("end", "end_turn", "completed"),
        ("max_tokens", "max_tokens", "incomplete"),
        ("refusal", "refusal", "completed"),
        ("pause", "pause_turn", "incomplete"),
        ("filtered", "filtered", "incomplete"),
        ("never_seen", "never_seen", "incomplete"),
    ],
)
async def test_every_way_to_stop_reaches_the_client(stop: str, reason: str, status: str) -> None:
    async with ScriptedServer(Script(fallback=Says(text="Well.", stop=stop))) as server:
        message, response = await ask_claude(server), await ask_gpt(server)

    assert message.stop_reason == reason
    assert response.status == status
    assert [part.type for part in response.output[0].content] == ["refusal" if stop == "refusal" else "output_text"]


async def test_an_http_error_carries_its_kind_and_how_long_to_wait() -> None:
    async with ScriptedServer(Script(fallback=Fails(status=429, message="Slow down.", retry_after="7"))) as server:
        with pytest.raises(sdks.anthropic.RateLimitError) as one:
            await ask_claude(server)
        with pytest.raises(sdks.openai.RateLimitError) as two:
            await ask_gpt(server)

    assert one.value.body == {"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down."}}
    assert one.value.response.headers["retry-after"] == "7"
    assert (two.value.code, two.value.body["message"]) == ("rate_limit_exceeded", "Slow down.")


async def test_a_stream_can_break_off_with_an_error_in_it() -> None:
    async with ScriptedServer(Script(fallback=Breaks(of=Says(text="One two"), after_events=4))) as server:
        with pytest.raises(sdks.anthropic.APIStatusError) as one:
            await ask_claude(server)
        async with gpt(server) as client:
            events = [event async for event in await client.responses.create(model="m", input="hi", stream=True)]

    assert one.value.body["error"]["type"] == "overloaded_error"
    assert (events[-1].type, events[-1].code, events[-1].sequence_number) == ("error", "server_is_overloaded", 4)


async def test_a_stalled_stream_stands_still_until_the_client_leaves() -> None:
    async with ScriptedServer(script(Stalls(of=Says(text="One two three"), after_events=5))) as server:
        async with claude(server) as client:
            stream = await client.messages.create(
                model="m", max_tokens=9, messages=[{"role": "user", "content": "hi"}], stream=True
            )
            seen = [await anext(stream) for _ in range(4)]  # the client swallows the ping
            assert not server.exchanges
            await stream.close()

        ended = await server.ended(1)

    assert [event.type for event in seen][-2:] == ["content_block_delta", "content_block_delta"]
    assert (ended.step, ended.whole) == ("Stalls", False)


async def test_a_test_can_stop_a_stream_at_an_exact_place_and_let_it_go_on() -> None:
    async with ScriptedServer(script(Holds(of=Says(text="One two"), after_events=4, gate="middle"))) as server:
        asking = asyncio.create_task(ask_claude(server))
        await server.reached("middle")
        before = asking.done()
        server.release("middle")
        message = await asking

    assert (before, message.content[0].text) == (False, "One two")


async def test_a_cut_body_ends_in_the_middle_of_an_event() -> None:
    async with ScriptedServer(script(Cuts(of=Says(text="One two"), after_bytes=30))) as server, gpt(server) as client:
        raw = await client.responses.with_raw_response.create(model="m", input="hi", stream=True)
        body = await raw.http_response.aread()

    assert len(body) == 30
    assert b"event: response.created\ndata: ".startswith(body)


async def test_a_reset_connection_is_a_transport_error_to_the_client() -> None:
    async with ScriptedServer(script(Cuts(of=Says(text="One"), after_events=2, reset=True))) as server:
        with pytest.raises(Exception, match=r"closed|reset|peer|[Cc]onnection"):
            await ask_claude(server)


async def test_given_bytes_go_out_unchanged() -> None:
    body = b"data: \xff not even text\n\n"
    async with ScriptedServer(script(Bytes(body=body))) as server, gpt(server) as client:
        raw = await client.responses.with_raw_response.create(model="m", input="hi", stream=True)

        assert await raw.http_response.aread() == body


async def test_a_call_can_have_broken_arguments_and_an_empty_id() -> None:
    odd = Calls(calls=(ScriptedCall(tool="Bash", args_raw='{"command": "ls', id=""),))
    async with ScriptedServer(script(odd)) as server:
        response = await ask_gpt(server)

    assert (response.output[0].call_id, response.output[0].arguments) == ("", '{"command": "ls')


async def test_lines_answer_by_vp_by_text_and_in_order_and_the_fallback_takes_the_rest() -> None:
    lines = (
        Line(vp="skeptic", steps=(Says(text="I doubt it."),), repeat=True),
        Line(when="first", steps=(Says(text="a"), Says(text="b"))),
    )
    async with ScriptedServer(Script(lines=lines, fallback=Says(text="rest"))) as server:
        persona = "Rules.\n\n# Skeptic (@skeptic)\nYou doubt.\n\nOthers: Omni (@omni)"
        answers = [
            await ask_claude(server, "first", system=persona),
            await ask_claude(server, "the first"),
            await ask_claude(server, "first", system="# Omni (@omni)\nOthers: (@skeptic)"),
            await ask_claude(server, "first"),
        ]

    assert [answer.content[0].text for answer in answers] == ["I doubt it.", "a", "b", "rest"]


async def test_a_line_by_round_gives_the_same_answer_to_the_same_request_and_goes_on_with_the_conversation() -> None:
    look = Calls(calls=(ScriptedCall(tool="ListDir", id="t_1"),))
    line = Line(order="round", steps=(Fails(status=529), look, Says(text="Empty.")))
    after = [
        {"role": "user", "content": "look"},
        {"type": "function_call", "call_id": "t_1", "name": "ListDir", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "t_1", "output": "nothing"},
    ]
    async with ScriptedServer(Script(lines=(line,))) as server, gpt(server) as client:
        with pytest.raises(sdks.openai.APIStatusError, match="529"):
            await ask_gpt(server, "look")
        again = [await ask_gpt(server, "look") for _ in range(2)]
        other = client.responses.create(model="m", input="look")
        with pytest.raises(sdks.openai.APIStatusError, match="529"):
            await other
        last = await client.responses.create(model="m", input=after)
        with pytest.raises(sdks.openai.APIStatusError, match="529"):
            await ask_gpt(server, "a new conversation")

    assert [response.output[0].name for response in again] == ["ListDir", "ListDir"]
    assert last.output_text == "Empty."


async def test_a_request_that_the_real_service_would_refuse_is_refused_with_its_reason() -> None:
    orphan = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t_9", "content": "x"}]}]
    async with ScriptedServer(says("Never said.")) as server, claude(server) as client:
        with pytest.raises(sdks.anthropic.BadRequestError, match="tool_result 't_9' has no tool_use"):
            await client.messages.create(model="m", max_tokens=9, messages=orphan)

        assert server.requests[0].problems == (
            "messages.0: tool_result 't_9' has no tool_use in the message before it",
        )


async def test_a_missing_key_is_refused_when_one_is_asked_for() -> None:
    async with ScriptedServer(says("Hello."), key="right") as server:
        with pytest.raises(sdks.anthropic.AuthenticationError):
            await ask_claude(server)


async def test_many_deltas_arrive_whole_and_in_order() -> None:
    async with ScriptedServer(script(Says(text="word ", times=5000, chunk=5))) as server, gpt(server) as client:
        stream = await client.responses.create(model="m", input="hi", stream=True)
        deltas = [event.delta async for event in stream if event.type == "response.output_text.delta"]

    assert deltas == ["word "] * 5000


async def test_a_script_file_that_is_wrong_is_named_with_the_place(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('{"lines": [{"steps": [{"step": "says", "text": 5}]}]}')

    with pytest.raises(BadData, match=r"s\.json.*\$\.lines\[0\]\.steps\[0\]\.text"):
        read_script(tmp_path / "s.json")
    with pytest.raises(NotFound, match=r"none\.json"):
        read_script(tmp_path / "none.json")
