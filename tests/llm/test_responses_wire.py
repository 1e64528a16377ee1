"""Recorded traffic of many servers, replayed whole and broken, gives what the official SDK makes of it."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.llm.conftest import Wire, wire_cases, wire_dir
from tests.llm.wire_compare import HARMLESS
from yeaft.kernel.errors import ModelFailed
from yeaft.kernel.messages import (
    AssistantMessage,
    Call,
    PromptMessage,
    ResultPart,
    TextPart,
    ThinkingItem,
    UserMessage,
    text_of,
)
from yeaft.kernel.usage import Usage
from yeaft.llm.model import ModelEntry, Piece, Reply
from yeaft.llm.prompt import Prompt
from yeaft.llm.responses import RESPONSES, responses_url
from yeaft.llm.responses_reply import ResponsesReply
from yeaft.llm.sse import SseEvent, SseSplitter
from yeaft.llm.transport import Endpoint, Transport
from yeaft.llm.wire_model import WireModel


def wire_file(case: str, name: str) -> bytes:
    path = (wire_dir() or Path()) / "dev" / case / name
    return path.read_bytes() if path.is_file() else b""


ENTRY = ModelEntry(
    provider="wire",
    id="m",
    protocol="openai-responses",
    context_tokens=100_000,
    output_tokens=10_000,
    efforts=("low", "high"),
)
CASES = wire_cases("or-")
STREAMED = [case for case in CASES if wire_file(case, "response.body").startswith(b"event:")]
FAULTS_PER_CASE = 3
FOLLOWED = [case for case in CASES if re.search(r"-t[23]$", case) and b'"assistant"' in wire_file(case, "request.json")]
FOLLOWED += [
    case for case in CASES if b'"function_call_output"' in wire_file(case, "request.json") and "-t" in case[-3:]
]
LARGE_BYTES = 100_000  # sent one byte at a time, these would take too long
INCOMPLETE_STOPS = {"max_output_tokens": "max_tokens", "content_filter": "filtered"}

needs_recordings = pytest.mark.skipif(not CASES, reason="the recorded wire traffic is not here (YEAFT_WIRE_DIR)")


@asynccontextmanager
async def model(base_url: str, idle_timeout_s: float = 20.0) -> AsyncIterator[WireModel]:
    transport = Transport()

    async def endpoint() -> Endpoint:
        return Endpoint(url=base_url, headers={"authorization": "Bearer k"}, idle_timeout_s=idle_timeout_s)

    try:
        yield WireModel(RESPONSES, ENTRY, transport, endpoint)
    finally:
        await transport.aclose()


async def ask(base_url: str, heard: list[Piece], idle_timeout_s: float = 20.0) -> Reply | ModelFailed:
    async with model(base_url, idle_timeout_s) as asked:
        try:
            return await asked.generate(b"{}", heard.append)
        except ModelFailed as failed:
            return failed


def told(reply: Reply) -> dict[str, Any]:
    """A reply in the words of the corpus."""
    return {
        "model": reply.model,
        "text": text_of(reply.items),
        "calls": [(call.wire_id, call.tool, call.args_raw) for call in reply.calls],
        "stop": reply.stop,
        "usage": reply.usage,
        "output": [known(msgspec.json.decode(item.raw)) for item in reply.items],
    }


def expected(message: dict[str, Any]) -> dict[str, Any]:
    usage = message["usage"] or {}
    details = usage.get("input_tokens_details") or {}
    cached, written = details.get("cached_tokens", 0), details.get("cache_write_tokens", 0)
    match message["status"]:
        case "completed":
            stop = "calls" if message["tool_calls"] else "end"
        case "incomplete":
            stop = INCOMPLETE_STOPS.get(message["incomplete_details"]["reason"], "cut")
        case status:
            stop = f"other:{status}"
    return {
        "model": message["model"] or "",
        "text": message["text"],
        "calls": [
            (call["id"], call["name"], call["input"] if call.get("custom") else call["arguments_raw"])
            for call in message["tool_calls"]
        ],
        "stop": stop,
        "usage": Usage(
            input=usage.get("input_tokens", 0) - cached - written,
            output=usage.get("output_tokens", 0),
            cache_read=cached,
            cache_write=written,
            reasoning=(usage.get("output_tokens_details") or {}).get("reasoning_tokens", 0),
        ),
        "output": [known(item) for item in message["output"]],
    }


def known(value: Any) -> Any:
    """JSON without nulls, which the SDK drops, and with times as whole numbers."""
    match value:
        case dict():
            return {key: known(item) for key, item in value.items() if item is not None}
        case list():
            return [known(item) for item in value]
        case _:
            return value


def compare(outcome: Reply | ModelFailed, heard: list[Piece], wanted: dict[str, Any]) -> None:
    said = "".join(text for piece in heard if piece.kind == "text" for text in piece.pieces)
    if wanted["outcome"] == "message":
        assert isinstance(outcome, Reply), outcome
        assert told(outcome) == expected(wanted["message"])
        summary = wanted["message"]["reasoning_summary"]
        if summary:
            assert "".join(item.text for item in outcome.items if isinstance(item, ThinkingItem)) == summary
        if wanted.get("deltas_match", True):
            assert said == wanted["message"]["text"]
        return
    assert isinstance(outcome, ModelFailed)
    assert outcome.text_so_far == said == wanted.get("delta_text", "")
    error = (wanted.get("message") or wanted).get("error") or {}
    assert outcome.status == error.get("status_code")
    if wanted["outcome"] == "truncated":
        assert outcome.kind == "truncated"
        return
    body = error.get("body", error)
    assert outcome.wire_type == str(body.get("code") or body.get("type"))
    assert outcome.kind == "auth" or body["message"] in outcome.message


@needs_recordings
@pytest.mark.parametrize("case", CASES)
async def test_a_recorded_answer_is_understood_as_the_official_sdk_does_however_it_is_sent(
    case: str, wire: Wire
) -> None:
    wanted = wire.load(case, "expected")
    first = CASES.index(case) * FAULTS_PER_CASE
    faults = [HARMLESS[(first + number) % len(HARMLESS)] for number in range(FAULTS_PER_CASE)]
    if (wire.folder / "dev" / case / "response.body").stat().st_size > LARGE_BYTES:
        faults = [fault for fault in faults if fault.get("split") != "1"]

    for fault in ({}, *faults):
        heard: list[Piece] = []
        compare(await ask(wire.url(case, **fault), heard), heard, wanted)


def hear(events: list[SseEvent]) -> tuple[ModelFailed | None, str, bool]:
    """How a stream of just these events fails, what was heard of it, and whether its end was among them."""
    reply, said = ResponsesReply("wire"), ""
    try:
        for event in events:
            said += "".join(text for piece in reply.feed(event) if piece.kind == "text" for text in piece.pieces)
        reply.finish()
    except ModelFailed as failed:
        return failed, said, failed.kind != "truncated"
    return None, said, reply.is_done


@needs_recordings
@pytest.mark.parametrize("case", STREAMED)
def test_a_stream_that_ends_before_its_terminal_event_is_never_a_reply(case: str, wire: Wire) -> None:
    body = (wire.folder / "dev" / case / "response.body").read_bytes()
    events = SseSplitter().feed(body.rstrip() + b"\n\n")

    for count in range(len(events)):
        failed, said, ended = hear(events[:count])
        if ended:
            assert count > 1
            break
        assert failed is not None
        assert (failed.kind, failed.text_so_far) == ("truncated", said)


@needs_recordings
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ({"cut": "event:5"}, "truncated"),
        ({"cut": "-3"}, "truncated"),
        ({"cut": "event:5", "rst": "1"}, "truncated"),
        ({"cut": "event:5", "te": "close"}, "truncated"),
        ({"stall": "event:5"}, "idle"),
        ({"fail": "1:429", "ra": "3"}, "rate_limit"),
        ({"fail": "1:503"}, "overloaded"),
        ({"fail": "1:500"}, "server"),
        ({"fail": "1:401"}, "auth"),
    ],
)
async def test_every_way_to_break_has_its_kind_and_keeps_the_text(fault: dict[str, str], kind: str, wire: Wire) -> None:
    heard: list[Piece] = []

    outcome = await ask(wire.url("or-include-raw-annotations-streaming-t3", **fault), heard, idle_timeout_s=1.0)

    assert isinstance(outcome, ModelFailed)
    assert outcome.kind == kind
    assert outcome.text_so_far == "".join(text for piece in heard for text in piece.pieces)
    assert outcome.retry_after_s == (3.0 if "ra" in fault else 0.0 if kind == "overloaded" else None)


def answered(reply: Reply, number: int) -> AssistantMessage:
    calls = tuple(
        Call(
            call_id=f"c_{number}_{index}",
            wire_id=call.wire_id,
            tool=call.tool,
            args_raw=call.args_raw,
            complete=call.complete,
        )
        for index, call in enumerate(reply.calls)
    )
    return AssistantMessage(items=reply.items, calls=calls, origin=ENTRY.ref)


def follow_up(message: AssistantMessage, recorded: list[dict[str, Any]]) -> UserMessage:
    outputs = {item["call_id"]: item["output"] for item in recorded if item.get("type") == "function_call_output"}
    results = tuple(ResultPart(call_id=call.call_id, text=outputs[call.wire_id]) for call in message.calls)
    return UserMessage(parts=results or (TextPart(text="go on"),))


@needs_recordings
@pytest.mark.parametrize("case", FOLLOWED)
async def test_what_recorded_clients_sent_back_we_send_back_unchanged(case: str, wire: Wire) -> None:
    recorded = wire.load(case, "request")["input"]
    messages: list[PromptMessage] = [UserMessage(parts=(TextPart(text="go"),))]
    for number, earlier in enumerate(wire.session(case)):
        if earlier == case:
            break
        reply = await ask(wire.url(earlier), [])
        assert isinstance(reply, Reply)
        message = answered(reply, number)
        messages += [message, follow_up(message, recorded)]

    async with model("http://127.0.0.1:9") as asked:
        sent = json.loads(asked.encoder()(Prompt(messages=tuple(messages), max_output_tokens=100)))["input"]

    for theirs in recorded:
        if theirs.get("role", "assistant") == "assistant" and theirs.get("type") != "tool_search_call":  # rewritten
            assert any(repeats(ours, theirs) for ours in sent), theirs


def repeats(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Whether our item says what theirs does: JSON texts by their value, messages by their text."""
    return all(key in ours and plain(key, ours[key]) == plain(key, value) for key, value in theirs.items())


def plain(key: str, value: Any) -> Any:
    if key == "content" and isinstance(value, list):
        return "".join(part["text"] for part in value)
    return json.loads(value) if key == "arguments" and isinstance(value, str) else value


async def test_a_request_is_posted_below_the_base_url_as_it_was_encoded() -> None:
    requests: list[bytes] = []
    stream = b'data: {"type":"response.completed","response":{"output":[]}}\n\n'

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        requests.append(head + await reader.readexactly(int(length[1] if length else 0)))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: %d\r\n\r\n" % len(stream))
        writer.write(stream)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    prompt = Prompt(messages=(UserMessage(parts=(TextPart(text="hi"),)),), max_output_tokens=100)

    async with server, model(f"http://127.0.0.1:{port}") as asked:
        body = asked.encoder()(prompt)
        reply = await asked.generate(body, lambda _: None)

    assert reply.stop == "end"
    head, _, sent = requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v1/responses HTTP/1.1")
    assert b"authorization: bearer k" in head.lower()
    assert sent == body


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1/responses"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1/responses"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/responses"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1/responses"),
        ("https://gateway/openai", "https://gateway/openai/responses"),
        (
            "https://x.openai.azure.com/openai/v1?api-version=preview",
            "https://x.openai.azure.com/openai/v1/responses?api-version=preview",
        ),
        ("https://gateway/v1/responses", "https://gateway/v1/responses"),
    ],
)
def test_the_url_follows_from_the_base_url(base_url: str, url: str) -> None:
    assert responses_url(base_url) == url
