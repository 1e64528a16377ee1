"""How a recorded case is asked for, and what counts as a difference from what the official SDKs made of it."""

import json
from typing import Any

from msgspec import Struct

from yeaft.kernel.errors import ModelFailed
from yeaft.kernel.messages import (
    AssistantMessage,
    Call,
    ReplyItem,
    TextItem,
    TextPart,
    ThinkingItem,
    UserMessage,
    WireCall,
)
from yeaft.llm.anthropic import ANTHROPIC
from yeaft.llm.model import Model, ModelEntry, Piece, Reply
from yeaft.llm.prompt import Prompt
from yeaft.llm.responses import RESPONSES
from yeaft.llm.transport import Endpoint, Transport
from yeaft.llm.wire_model import WireModel

HARMLESS: tuple[dict[str, str], ...] = (
    {"split": "1"},
    {"split": "utf8"},
    {"split": "event"},
    {"split": "line"},
    {"split": "rand:7"},
    {"crlf": "1"},
    {"cr": "1"},
    {"comments": "1"},
    {"pings": "1"},
    {"unknown": "1"},
    {"nospace": "1"},
    {"multidata": "1"},
    {"id": "1"},
    {"bom": "1"},
    {"notail": "1"},
    {"gzip": "1"},
    {"te": "chunked"},
    {"te": "length"},
    {"te": "close"},
    {"split": "1", "crlf": "1", "bom": "1"},
    {"split": "rand:3", "cr": "1", "multidata": "1", "comments": "1"},
    {"split": "utf8", "gzip": "1", "unknown": "1", "pings": "1"},
)
"""Faults under which the outcome must not change."""

BREAKING: tuple[dict[str, str], ...] = (
    {"cut": "0"},
    {"cut": "1"},
    {"cut": "-1"},
    {"cut": "-40", "te": "close"},
    {"cut": "event:1"},
    {"cut": "event:3", "te": "close"},
    {"cut": "event:6", "rst": "1"},
    {"cut": "event:12", "gzip": "0"},
    {"cut": "300", "te": "length"},
    {"stall": "event:2", "stallfor": "2"},
    {"stall": "event:5", "stallfor": "2", "te": "close"},
)
"""Faults that leave a whole reply or a typed error, and no text that was not sent."""

IDLE_S = 1.0
STOPS = {"end_turn": "end", "stop_sequence": "end", "tool_use": "calls", "pause_turn": "pause"}
STATUS_STOPS = {"max_output_tokens": "max_tokens", "content_filter": "filtered"}


class Outcome(Struct, kw_only=True):
    """What became of one request."""

    reply: Reply | None = None
    failed: ModelFailed | None = None
    pieces: list[Piece] = []

    @property
    def text(self) -> str:
        """What was heard."""
        return "".join(text for piece in self.pieces if piece.kind == "text" for text in piece.pieces)

    def __str__(self) -> str:
        return repr(self.reply) if self.failed is None else f"{self.failed.kind}: {self.failed}"


def model_at(url: str, protocol: str, transport: Transport, model_id: str = "m") -> Model:
    """A model whose server is the replay server; it waits `IDLE_S` for a byte."""
    is_anthropic = protocol == "anthropic"
    entry = ModelEntry(
        provider="recorded",
        id=model_id,
        protocol="anthropic" if is_anthropic else "openai-responses",
        context_tokens=200_000,
        output_tokens=64_000,
    )

    async def endpoint() -> Endpoint:
        return Endpoint(url=url if is_anthropic else f"{url}/v1", headers={}, idle_timeout_s=IDLE_S)

    return WireModel(ANTHROPIC if is_anthropic else RESPONSES, entry, transport, endpoint)


async def ask(model: Model) -> Outcome:
    """Send one request and keep everything that came of it."""
    outcome = Outcome()
    body = model.encoder()(Prompt(messages=(told("hi"),), max_output_tokens=64))
    try:
        outcome.reply = await model.generate(body, outcome.pieces.append)
    except ModelFailed as failed:
        outcome.failed = failed
    return outcome


def told(text: str) -> UserMessage:
    return UserMessage(parts=(TextPart(text=text),))


def differs(plain: Outcome, faulty: Outcome) -> str:
    """In what `faulty` is not the same outcome as `plain`; empty if it is."""
    if faulty.text != plain.text:
        return f"heard {faulty.text!r}, not {plain.text!r}"
    if plain.failed is None or faulty.failed is None:
        return "" if plain.reply == faulty.reply else f"{faulty}, not {plain}"
    ours, theirs = faulty.failed, plain.failed
    same = (ours.kind, ours.message, ours.text_so_far, ours.calls_seen)
    return (
        "" if same == (theirs.kind, theirs.message, theirs.text_so_far, theirs.calls_seen) else f"{ours}, not {theirs}"
    )


def spoils(plain: Outcome, broken: Outcome) -> str:
    """What is wrong with the outcome of a request that broke off; empty if nothing is."""
    if broken.failed is None:
        return "" if broken.reply == plain.reply else f"a reply that is not the whole one: {broken}"
    if not plain.text.startswith(broken.text):
        return f"heard {broken.text!r} of {plain.text!r}"
    if broken.failed.text_so_far != broken.text:
        return f"the error kept {broken.failed.text_so_far!r}, heard was {broken.text!r}"
    if broken.failed.kind in {"truncated", "idle"}:
        return ""
    if plain.failed is not None and broken.failed.status == plain.failed.status:
        return ""  # the same refusal, its reason perhaps lost
    return f"{broken}"


def unlike_recorded(case: dict[str, Any], expected: dict[str, Any], outcome: Outcome) -> list[str]:
    """The fields in which `outcome` is not what the SDK of the case's protocol made of it (DECISIONS 5.6 aside)."""
    kind = _expected_failure(case, expected)
    if kind is not None:
        return _unlike_failure(kind, expected, outcome)
    if outcome.reply is None:
        return [str(outcome)]
    if "message" not in expected:
        return []
    compare = _anthropic if case["protocol"] == "anthropic" else _responses
    ours, theirs = compare(outcome.reply, expected["message"])
    return [f"{name}: {ours[name]!r} is not {theirs[name]!r}" for name in ours if ours[name] != theirs[name]]


def sent_back(reply: Reply, url: str = "", model_id: str = "m") -> list[dict[str, Any]]:
    """The content of the assistant message in the next Anthropic request after `reply`."""
    model = model_at(url, "anthropic", Transport(), model_id)
    said = AssistantMessage(items=reply.items, calls=our_calls(reply.calls), origin=model.entry.ref)
    body = json.loads(model.encoder()(Prompt(messages=(told("hi"), said, told("go on")), max_output_tokens=64)))
    return body["messages"][1]["content"] if len(body["messages"]) > 1 else []


def our_calls(calls: tuple[WireCall, ...]) -> tuple[Call, ...]:
    return tuple(
        Call(call_id=f"c_{index}", wire_id=call.wire_id, tool=call.tool, args_raw=call.args_raw, complete=call.complete)
        for index, call in enumerate(calls)
    )


def plain_block(block: Any) -> Any:
    """A block without what says nothing: nulls, an empty list of citations, the default caller, cache marks."""
    if isinstance(block, list):
        return [plain_block(item) for item in block]
    if not isinstance(block, dict):
        return block
    return {
        name: plain_block(value)
        for name, value in block.items()
        if value is not None
        and name != "cache_control"
        and (name, value) not in (("citations", []), ("caller", {"type": "direct"}), ("is_error", False))
    }


def _expected_failure(case: dict[str, Any], expected: dict[str, Any]) -> str | None:
    if case["id"] == "an-spliced-message-start":
        return "protocol"
    if any(name.startswith("eof_without") for name in case["features"]):
        return "truncated"
    error = expected.get("error") or {}
    sdk_is_blind = error.get("exception", "").startswith("builtins.")  # the SDK itself broke
    return None if expected["outcome"] == "message" or sdk_is_blind else "any"


def _unlike_failure(kind: str, expected: dict[str, Any], outcome: Outcome) -> list[str]:
    if outcome.failed is None:
        return [f"no error, but {outcome.reply}"]
    failed = outcome.failed
    found = []
    if kind not in {"any", failed.kind}:
        found.append(f"{failed.kind}: {failed}")
    if failed.text_so_far != outcome.text:
        found.append(f"kept {failed.text_so_far!r}, heard {outcome.text!r}")
    error = expected.get("error") or {}
    body = error.get("body")
    described = body.get("error", body) if isinstance(body, dict) else {}
    message = described.get("message") if isinstance(described, dict) else None
    if message and failed.kind != "auth" and message[:200] not in failed.message:
        found.append(f"{failed.message!r} does not say {message!r}")
    if error.get("retry_after") and abs((failed.retry_after_s or 0) - float(error["retry_after"])) > 1:
        found.append(f"retry after {failed.retry_after_s}, not {error['retry_after']}")
    return found


def _anthropic(reply: Reply, message: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    usage = message["usage"]
    stop = message["stop_reason"]
    whole = [call for call in reply.calls if call.complete]
    content = [
        block
        for block in plain_block(message["content"])
        if block["type"] not in {"text", "thinking"} or block.get("text", "").strip() or block.get("signature")
    ]
    ours = {
        "text": _text(reply.items),
        "thinking": _thinking(reply.items),
        "calls": [(call.wire_id, call.tool, json.loads(call.args_raw)) for call in whole],
        "stop": reply.stop,
        "model": reply.model,
        "usage": (
            reply.usage.input,
            reply.usage.output,
            reply.usage.cache_read,
            reply.usage.cache_write,
            reply.usage.reasoning,
        ),
        "content": plain_block(sent_back(reply)) if len(whole) == len(reply.calls) else "cut",
    }
    tool_calls = [(call["id"], call["name"], call["arguments"]) for call in message["tool_calls"]]
    theirs = {
        "text": message["text"],
        "thinking": message["thinking"],
        "calls": tool_calls[: len(whole)],
        "stop": STOPS.get(stop, stop),
        "model": message["model"],
        "usage": (
            usage.get("input_tokens", 0),
            usage.get("output_tokens", 0),
            usage.get("cache_read_input_tokens") or 0,
            usage.get("cache_creation_input_tokens") or 0,
            (usage.get("output_tokens_details") or {}).get("thinking_tokens") or 0,
        ),
        "content": content if len(whole) == len(reply.calls) else "cut",
    }
    return ours, theirs


def _responses(reply: Reply, message: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    usage = message.get("usage") or {}
    cached = (usage.get("input_tokens_details") or {}).get("cached_tokens") or 0
    reason = (message.get("incomplete_details") or {}).get("reason")
    calls = message["tool_calls"]
    stop = STATUS_STOPS.get(reason, "cut") if message["status"] == "incomplete" else reply.stop
    ours = {
        "text": _text(reply.items),
        "calls": [(call.wire_id, call.tool, call.args_raw) for call in reply.calls if call.complete],
        "stop": reply.stop,
        "usage": (reply.usage.sent, reply.usage.output, reply.usage.cache_read),
    }
    theirs = {
        "text": message["text"] + (message.get("refusal") or ""),
        "calls": [(call["id"], call["name"], call.get("arguments_raw", call.get("input"))) for call in calls],
        "stop": stop,
        "usage": (usage.get("input_tokens", 0), usage.get("output_tokens", 0), cached),
    }
    return ours, theirs


def _text(items: tuple[ReplyItem, ...]) -> str:
    return "".join(item.text for item in items if isinstance(item, TextItem))


def _thinking(items: tuple[ReplyItem, ...]) -> str:
    return "".join(item.text for item in items if isinstance(item, ThinkingItem))
