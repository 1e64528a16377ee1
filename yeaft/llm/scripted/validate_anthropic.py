"""What the Anthropic Messages service demands of a request (https://docs.anthropic.com/en/api/messages)."""

import re
from collections.abc import Iterator
from itertools import chain, pairwise

from yeaft.llm.scripted.shapes import Json, a_list, a_text, an_object, objects
from yeaft.llm.scripted.wire import SEAL, seal_of

ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
CACHE_MARKS = 4
LEAST_BUDGET_TOKENS = 1024
FIELDS = {
    "model",
    "messages",
    "max_tokens",
    "system",
    "tools",
    "tool_choice",
    "stream",
    "temperature",
    "top_k",
    "top_p",
    "stop_sequences",
    "metadata",
    "thinking",
    "output_config",
    "output_format",
    "service_tier",
    "container",
    "context_management",
    "mcp_servers",
    "inference_geo",
    "betas",
    "speed",
    "fallbacks",
    "cache_control",
}


def anthropic_problems(body: Json) -> Iterator[str]:
    """What is wrong with a Messages request."""
    for name in body.keys() - FIELDS:
        yield f"{name}: extra inputs are not permitted"
    if not a_text(body.get("model")):
        yield "model: field required"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: a positive number is required"
    yield from _system(body)
    yield from _tools(body)
    yield from _thinking_budget(body)
    yield from _messages(objects(body.get("messages")))
    marks = sum(1 for block in _all_blocks(body) if block.get("cache_control"))
    if marks > CACHE_MARKS:
        yield f"cache_control: at most {CACHE_MARKS} blocks may have it, found {marks}"


def _all_blocks(body: Json) -> Iterator[Json]:
    yield from objects(body.get("tools"))
    yield from objects(body.get("system"))
    for message in objects(body.get("messages")):
        for block in objects(message.get("content")):
            yield block
            yield from objects(block.get("content"))


def _system(body: Json) -> Iterator[str]:
    for number, block in enumerate(objects(body.get("system"))):
        yield from _text(block, f"system.{number}")


def _tools(body: Json) -> Iterator[str]:
    names: set[str] = set()
    for number, tool in enumerate(objects(body.get("tools"))):
        place = f"tools.{number}"
        name = a_text(tool.get("name"))
        if tool.get("type", "custom") == "custom":
            if not TOOL_NAME.fullmatch(name):
                yield f"{place}.name: {name!r} does not match {TOOL_NAME.pattern}"
            if an_object(tool.get("input_schema")).get("type") != "object":
                yield f"{place}.input_schema.type: must be 'object'"
        if name and name in names:
            yield f"{place}.name: tool names must be unique, {name!r} is not"
        names.add(name)


def _thinking_budget(body: Json) -> Iterator[str]:
    thinking = an_object(body.get("thinking"))
    if thinking.get("type") != "enabled":
        return
    budget = thinking.get("budget_tokens")
    if not isinstance(budget, int) or budget < LEAST_BUDGET_TOKENS:
        yield f"thinking.budget_tokens: must be at least {LEAST_BUDGET_TOKENS}"
    elif isinstance(body.get("max_tokens"), int) and budget >= body["max_tokens"]:
        yield "thinking.budget_tokens: must be less than max_tokens"


def _messages(messages: list[Json]) -> Iterator[str]:
    if not messages:
        yield "messages: at least one message is required"
        return
    for number, message in enumerate(messages):
        yield from _message(message, f"messages.{number}")
    for number, (before, after) in enumerate(pairwise(messages), 1):
        if before.get("role") == after.get("role"):
            yield f"messages.{number}: roles must alternate, two {after.get('role')!r} in a row"
    if messages[0].get("role") != "user":
        yield "messages.0: the first message must be the user's"
    if messages[-1].get("role") != "user" and not _is_paused(messages[-1]):
        yield "messages: the conversation must end with a user message (no assistant prefill)"
    yield from _pairs(messages)


def _is_paused(message: Json) -> bool:
    """A turn that the service paused during its own tools goes on when it is sent back as it is."""
    return any(block.get("type") == "server_tool_use" for block in objects(message.get("content")))


def _message(message: Json, place: str) -> Iterator[str]:
    role = message.get("role")
    if role not in ("user", "assistant"):
        yield f"{place}.role: {role!r} is neither 'user' nor 'assistant'"
    for name in message.keys() - {"role", "content"}:
        yield f"{place}.{name}: extra inputs are not permitted"
    content = message.get("content")
    if isinstance(content, str):
        yield from _text({"text": content}, f"{place}.content")
        return
    if not objects(content):
        yield f"{place}.content: must not be empty"
    seen_other = False
    for number, block in enumerate(objects(content)):
        where = f"{place}.content.{number}"
        yield from _block(block, where, a_text(role))
        is_result = block.get("type") == "tool_result"
        if is_result and seen_other:
            yield f"{where}: tool_result blocks must come before any other content"
        seen_other = seen_other or not is_result


def _block(block: Json, place: str, role: str) -> Iterator[str]:
    kind = block.get("type")
    if kind in ("tool_use", "thinking", "redacted_thinking") and role != "assistant":
        yield f"{place}: {kind} blocks are the assistant's"
    if kind in ("tool_result", "image") and role != "user":
        yield f"{place}: {kind} blocks are the user's"
    if kind == "text":
        yield from _text(block, place)
    elif kind == "thinking":
        yield from _thinking(block, place)
    elif kind == "redacted_thinking" and not a_text(block.get("data")):
        yield f"{place}.data: field required"
    elif kind == "tool_use":
        yield from _tool_use(block, place)
    elif kind == "tool_result":
        yield from _tool_result(block, place)
    elif kind == "image" and not an_object(block.get("source")).get("type"):
        yield f"{place}.source.type: field required"
    elif not kind:
        yield f"{place}.type: field required"


def _text(block: Json, place: str) -> Iterator[str]:
    if not isinstance(block.get("text"), str):
        yield f"{place}.text: field required"
    elif not block["text"].strip():
        yield f"{place}: text content blocks must contain non-whitespace text"


def _thinking(block: Json, place: str) -> Iterator[str]:
    signature = a_text(block.get("signature"))
    if not signature:
        yield f"{place}.signature: field required"
    if signature.startswith(SEAL) and signature != seal_of(a_text(block.get("thinking"))):
        yield f"{place}: invalid signature in thinking block; it was changed on the way"
    if block.get("cache_control"):
        yield f"{place}.cache_control: extra inputs are not permitted"


def _tool_use(block: Json, place: str) -> Iterator[str]:
    if not ID.fullmatch(a_text(block.get("id"))):
        yield f"{place}.id: {block.get('id')!r} does not match {ID.pattern}"
    if not TOOL_NAME.fullmatch(a_text(block.get("name"))):
        yield f"{place}.name: {block.get('name')!r} does not match {TOOL_NAME.pattern}"
    if not isinstance(block.get("input"), dict):
        yield f"{place}.input: must be an object"


def _tool_result(block: Json, place: str) -> Iterator[str]:
    if not a_text(block.get("tool_use_id")):
        yield f"{place}.tool_use_id: field required"
    content = block.get("content")
    if block.get("is_error") and not content:
        yield f"{place}.content: cannot be empty if is_error is true"
    for number, part in enumerate(objects(content)):
        if part.get("type") == "text":
            yield from _text(part, f"{place}.content.{number}")


def _pairs(messages: list[Json]) -> Iterator[str]:
    """Each tool_use has exactly one tool_result, in the very next message, and nothing else has one."""
    seen: set[str] = set()
    no_message: Json = {}
    for number, (before, message) in enumerate(pairwise(chain([no_message], messages, [no_message]))):
        place = f"messages.{number}"
        uses = _ids(before, "tool_use", "id")
        results = _ids(message, "tool_result", "tool_use_id")
        for ident in uses:
            if results.count(ident) != 1:
                yield f"{place}: tool_use {ident!r} needs exactly one tool_result here, found {results.count(ident)}"
            if ident in seen:
                yield f"messages.{number - 1}: tool_use ids must be unique, {ident!r} is not"
            seen.add(ident)
        for ident in sorted(set(results) - set(uses)):
            yield f"{place}: tool_result {ident!r} has no tool_use in the message before it"


def _ids(message: Json, kind: str, key: str) -> list[str]:
    return [a_text(block.get(key)) for block in objects(a_list(message.get("content"))) if block.get("type") == kind]
