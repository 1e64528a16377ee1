"""Answers in the OpenAI Responses protocol (https://platform.openai.com/docs/api-reference/responses-streaming)."""

from collections.abc import Iterator

from yeaft.kernel.usage import Usage
from yeaft.llm.scripted.asked import Asked
from yeaft.llm.scripted.script import Answer
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

COMPLETE = ("end", "calls", "refusal")
REASONS = {"max_tokens": "max_output_tokens", "filtered": "content_filter"}
ERROR_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded", 503: "server_is_overloaded"}
CLIENT_ERRORS_BELOW = 500


def _events(answer: Answer, asked: Asked) -> Iterator[bytes]:
    opening = _response(asked, "in_progress", [], None)
    number = 0
    for kind in ("created", "in_progress"):
        yield _numbered({"type": f"response.{kind}", "response": opening}, number)
        number += 1
    items = _items(answer, asked)
    for index, item in enumerate(items):
        for event in _item_events(item, index, answer.chunk, number):
            yield event
            number += 1
    whole = _whole(answer, asked)
    yield _numbered({"type": f"response.{whole['status']}", "response": whole}, number)


def _item_events(item: Json, index: int, chunk: int, number: int) -> Iterator[bytes]:
    """All events of one output item; `number` is the sequence number of the first."""
    yield _numbered({"type": "response.output_item.added", "output_index": index, "item": _opened(item)}, number)
    number += 1
    place: Json = {"item_id": item["id"], "output_index": index}
    for event in _inner_events(item, place, chunk, number):
        yield event
        number += 1
    yield _numbered({"type": "response.output_item.done", "output_index": index, "item": item}, number)


def _inner_events(item: Json, place: Json, chunk: int, number: int) -> Iterator[bytes]:
    if item["type"] == "function_call":
        key, text, chunk = "arguments", item["arguments"], chunk or ARGUMENT_CHUNK
        name, part, part_name = "response.function_call_arguments", None, ""
    elif item["type"] == "reasoning":
        place = {**place, "summary_index": 0}
        part = item["summary"][0]
        key, text = "text", part["text"]
        name, part_name = "response.reasoning_summary_text", "response.reasoning_summary_part"
    else:
        place = {**place, "content_index": 0}
        part = item["content"][0]
        key = "refusal" if part["type"] == "refusal" else "text"
        name = "response.refusal" if key == "refusal" else "response.output_text"
        text, part_name = part[key], "response.content_part"
    if part is not None:
        yield _numbered({"type": f"{part_name}.added", **place, "part": {**part, key: ""}}, number)
        number += 1
    head, tail = _frame(f"{name}.delta", place)
    for piece in pieces(text, chunk):
        yield head + quoted(piece) + tail % number
        number += 1
    yield _numbered({"type": f"{name}.done", **place, key: text}, number)
    if part is not None:
        yield _numbered({"type": f"{part_name}.done", **place, "part": part}, number + 1)


def _frame(name: str, place: Json) -> tuple[bytes, bytes]:
    """What stands before and after the delta, which is all that differs between the events of one text."""
    event = sse({"type": name, **place, "delta": ""})
    return event.removesuffix(b'""}\n\n'), b',"sequence_number":%d}\n\n'


def _numbered(event: Json, number: int) -> bytes:
    return sse({**event, "sequence_number": number})


def _opened(item: Json) -> Json:
    emptied: dict[str, Json] = {
        "function_call": {"arguments": ""},
        "reasoning": {"summary": []},
        "message": {"content": []},
    }
    return {**item, **emptied[item["type"]], "status": "in_progress"}


def _items(answer: Answer, asked: Asked) -> list[Json]:
    items: list[Json] = []
    if answer.thinking:
        summary = [{"type": "summary_text", "text": answer.thinking}]
        seal = seal_of(answer.thinking)
        items.append({"id": wire_id("rs_", asked), "type": "reasoning", "summary": summary, "encrypted_content": seal})
    if text := said(answer):
        items.append(_message(answer, asked, text))
    for number, call in enumerate(calls_of(answer)):
        items.append(
            {
                "id": wire_id("fc_", asked, number),
                "type": "function_call",
                "status": "completed",
                "call_id": call_id(call, "call_", asked, number),
                "name": call.tool,
                "arguments": call.arguments,
            }
        )
    return items


def _message(answer: Answer, asked: Asked, text: str) -> Json:
    refused = answer.stop == "refusal"
    part: Json = {"type": "refusal", "refusal": text} if refused else {"type": "output_text", "text": text}
    if not refused:
        part = {**part, "annotations": [], "logprobs": []}
    status = "completed" if answer.stop in COMPLETE else "incomplete"
    return {
        "id": wire_id("msg_", asked),
        "type": "message",
        "role": "assistant",
        "status": status,
        "content": [part],
    }


def _whole(answer: Answer, asked: Asked) -> Json:
    items = _items(answer, asked)
    usage = _usage(usage_of(answer, asked))
    if answer.stop in COMPLETE:
        return _response(asked, "completed", items, usage)
    reason = {"reason": REASONS.get(answer.stop, answer.stop)}
    return {**_response(asked, "incomplete", items, usage), "incomplete_details": reason}


def _response(asked: Asked, status: str, items: list[Json], usage: Json | None) -> Json:
    return {
        "id": wire_id("resp_", asked),
        "object": "response",
        "created_at": 1_750_000_000,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "model": asked.model,
        "output": items,
        "parallel_tool_calls": True,
        "store": False,
        "usage": usage,
    }


def _usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.sent,
        "input_tokens_details": {"cached_tokens": usage.cache_read},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.sent + usage.output,
    }


def _failure(status: int, kind: str, message: str) -> Json:
    general = "invalid_request_error" if status < CLIENT_ERRORS_BELOW else "server_error"
    code = kind or ERROR_CODES.get(status)
    return {"error": {"message": message, "type": kind or general, "param": None, "code": code}}


def _broken(kind: str, message: str, number: int) -> bytes:
    error = {"type": "error", "code": kind or "server_is_overloaded", "message": message, "param": None}
    return _numbered(error, number)


RESPONSES = Wire(events=_events, whole=_whole, failure=_failure, broken=_broken)
