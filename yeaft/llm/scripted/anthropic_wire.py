"""Answers in the Anthropic Messages protocol (https://docs.anthropic.com/en/api/messages-streaming)."""

from collections.abc import Iterator
from typing import Any

import msgspec

from yeaft.kernel.usage import Usage
from yeaft.llm.scripted.asked import Asked
from yeaft.llm.scripted.script import Answer, ScriptedCall
from yeaft.llm.scripted.shapes import Json
from yeaft.llm.scripted.wire import (
    ARGUMENT_CHUNK,
    Wire,
    call_id,
    calls_of,
    pieces,
    quoted,
    said,
    seal_of,
    sse,
    usage_of,
    wire_id,
)

STOPS = {
    "end": "end_turn",
    "calls": "tool_use",
    "pause": "pause_turn",
    "context": "model_context_window_exceeded",
}
ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def _events(answer: Answer, asked: Asked) -> Iterator[bytes]:
    usage = usage_of(answer, asked)
    yield sse({"type": "message_start", "message": _message(asked, [], None, _usage(usage, 1))})
    yield sse({"type": "ping"})
    index = 0
    if answer.thinking:
        yield from _thinking(index, answer)
        index += 1
    if text := said(answer):
        yield from _text(index, text, answer.chunk)
        index += 1
    for number, call in enumerate(calls_of(answer)):
        yield from _call(index + number, call, call_id(call, "toolu_", asked, number), answer.chunk)
    delta = {"stop_reason": STOPS.get(answer.stop, answer.stop), "stop_sequence": None}
    yield sse({"type": "message_delta", "delta": delta, "usage": _usage(usage, usage.output)})
    yield sse({"type": "message_stop"})


def _thinking(index: int, answer: Answer) -> Iterator[bytes]:
    yield _start(index, {"type": "thinking", "thinking": "", "signature": ""})
    for piece in pieces(answer.thinking, answer.chunk):
        yield _delta(index, {"type": "thinking_delta", "thinking": piece})
    yield _delta(index, {"type": "signature_delta", "signature": seal_of(answer.thinking)})
    yield _stop(index)


def _text(index: int, text: str, chunk: int) -> Iterator[bytes]:
    yield _start(index, {"type": "text", "text": ""})
    head = b'event: content_block_delta\ndata: {"type":"content_block_delta","index":%d,' % index
    head += b'"delta":{"type":"text_delta","text":'
    for piece in pieces(text, chunk):
        yield head + quoted(piece) + b"}}\n\n"
    yield _stop(index)


def _call(index: int, call: ScriptedCall, ident: str, chunk: int) -> Iterator[bytes]:
    yield _start(index, {"type": "tool_use", "id": ident, "name": call.tool, "input": {}})
    for piece in pieces(call.arguments, chunk or ARGUMENT_CHUNK):
        yield _delta(index, {"type": "input_json_delta", "partial_json": piece})
    yield _stop(index)


def _start(index: int, block: Json) -> bytes:
    return sse({"type": "content_block_start", "index": index, "content_block": block})


def _delta(index: int, delta: Json) -> bytes:
    return sse({"type": "content_block_delta", "index": index, "delta": delta})


def _stop(index: int) -> bytes:
    return sse({"type": "content_block_stop", "index": index})


def _whole(answer: Answer, asked: Asked) -> Json:
    blocks: list[Json] = []
    if answer.thinking:
        blocks.append({"type": "thinking", "thinking": answer.thinking, "signature": seal_of(answer.thinking)})
    if text := said(answer):
        blocks.append({"type": "text", "text": text})
    for number, call in enumerate(calls_of(answer)):
        ident = call_id(call, "toolu_", asked, number)
        blocks.append({"type": "tool_use", "id": ident, "name": call.tool, "input": _input(call)})
    usage = usage_of(answer, asked)
    return _message(asked, blocks, STOPS.get(answer.stop, answer.stop), _usage(usage, usage.output))


def _input(call: ScriptedCall) -> Any:
    """The service parses arguments itself before it puts them into a JSON reply."""
    try:
        return msgspec.json.decode(call.arguments)
    except msgspec.DecodeError:
        return {}


def _message(asked: Asked, blocks: list[Json], stop: str | None, usage: Json) -> Json:
    return {
        "id": wire_id("msg_", asked),
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": blocks,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }


def _usage(usage: Usage, output: int) -> Json:
    return {
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": output,
    }


def _failure(status: int, kind: str, message: str) -> Json:
    return {"type": "error", "error": {"type": kind or ERROR_TYPES.get(status, "api_error"), "message": message}}


def _broken(kind: str, message: str, _: int) -> bytes:
    return sse(_failure(529, kind, message))


ANTHROPIC = Wire(events=_events, whole=_whole, failure=_failure, broken=_broken)
