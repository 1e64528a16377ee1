"""What the OpenAI Responses service demands of a request (https://platform.openai.com/docs/api-reference/responses)."""

import re
from collections.abc import Iterator

from yeaft.llm.scripted.shapes import Json, a_text, an_object, objects
from yeaft.llm.scripted.wire import SEAL, seal_of

TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
ID_CHARS = 64
LEAST_OUTPUT_TOKENS = 16
OUTPUT = "_output"
PARTS = {"user": ("input_text", "input_image", "input_file"), "assistant": ("output_text", "refusal")}
FIELDS = {
    "model",
    "input",
    "instructions",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "stream",
    "stream_options",
    "store",
    "include",
    "metadata",
    "max_output_tokens",
    "max_tool_calls",
    "temperature",
    "top_p",
    "top_logprobs",
    "reasoning",
    "text",
    "truncation",
    "user",
    "service_tier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "safety_identifier",
    "previous_response_id",
    "conversation",
    "background",
    "prompt",
    "context_management",
}


def responses_problems(body: Json) -> Iterator[str]:
    """What is wrong with a Responses request."""
    for name in body.keys() - FIELDS:
        yield f"{name}: unknown parameter"
    if not a_text(body.get("model")):
        yield "model: missing required parameter"
    limit = body.get("max_output_tokens")
    if limit is not None and (not isinstance(limit, int) or limit < LEAST_OUTPUT_TOKENS):
        yield f"max_output_tokens: must be at least {LEAST_OUTPUT_TOKENS}"
    key = body.get("prompt_cache_key")
    if key is not None and not 0 < len(a_text(key)) <= ID_CHARS:
        yield f"prompt_cache_key: must be a string of 1 to {ID_CHARS} characters"
    yield from _tools(body)
    if isinstance(body.get("input"), str):
        if not body["input"].strip():
            yield "input: must not be empty"
        return
    yield from _input(objects(body.get("input")), stored=body.get("store") is not False)


def _tools(body: Json) -> Iterator[str]:
    names: set[str] = set()
    for number, tool in enumerate(objects(body.get("tools"))):
        if tool.get("type") not in ("function", "custom"):
            continue
        name = a_text(tool.get("name"))
        if not TOOL_NAME.fullmatch(name):
            yield f"tools[{number}].name: {name!r} does not match {TOOL_NAME.pattern}"
        if name in names:
            yield f"tools[{number}].name: tool names must be unique, {name!r} is not"
        names.add(name)
        if tool.get("type") == "function" and an_object(tool.get("parameters")).get("type") != "object":
            yield f"tools[{number}].parameters: must be the schema of an object"


def _input(items: list[Json], *, stored: bool) -> Iterator[str]:
    if not items:
        yield "input: must not be empty"
        return
    for number, item in enumerate(items):
        yield from _item(item, f"input[{number}]", stored=stored)
    last = items[-1]
    if last.get("role") == "assistant" or (_kind(last) != "message" and not _kind(last).endswith(OUTPUT)):
        yield "input: must end with a message of the user or the output of a call"
    yield from _pairs(items)
    yield from _reasoning_order(items)
    yield from _unique_ids(items)


def _item(item: Json, place: str, *, stored: bool) -> Iterator[str]:
    kind = _kind(item)
    if kind == "message":
        yield from _message(item, place)
    elif kind in ("function_call", "custom_tool_call"):
        if not TOOL_NAME.fullmatch(a_text(item.get("name"))):
            yield f"{place}.name: {item.get('name')!r} does not match {TOOL_NAME.pattern}"
        if not isinstance(item.get("arguments" if kind == "function_call" else "input"), str):
            yield f"{place}.arguments: must be a string"
        yield from _call_id(item, place)
    elif kind in ("function_call_output", "custom_tool_call_output"):
        if not isinstance(item.get("output"), str | list):
            yield f"{place}.output: must be a string or a list"
        yield from _call_id(item, place)
    elif kind == "reasoning":
        yield from _reasoning(item, place, stored=stored)


def _call_id(item: Json, place: str) -> Iterator[str]:
    if not 0 < len(a_text(item.get("call_id"))) <= ID_CHARS:
        yield f"{place}.call_id: must be a string of 1 to {ID_CHARS} characters"


def _message(item: Json, place: str) -> Iterator[str]:
    role = a_text(item.get("role"))
    if role not in ("user", "assistant", "system", "developer"):
        yield f"{place}.role: {role!r} is no role"
    content = item.get("content")
    if isinstance(content, str):
        if not content.strip():
            yield f"{place}.content: must not be empty"
        return
    if not objects(content):
        yield f"{place}.content: must not be empty"
    allowed = PARTS.get(role, PARTS["user"])
    for number, part in enumerate(objects(content)):
        if part.get("type") not in allowed:
            yield f"{place}.content[{number}].type: {part.get('type')!r} is not allowed for {role!r}"
        elif part.get("type") in ("input_text", "output_text") and not a_text(part.get("text")).strip():
            yield f"{place}.content[{number}].text: must not be empty"


def _reasoning(item: Json, place: str, *, stored: bool) -> Iterator[str]:
    sealed = a_text(item.get("encrypted_content"))
    if not stored and not sealed:
        yield f"{place}: reasoning that is not stored needs its encrypted_content"
    thought = "".join(a_text(part.get("text")) for part in objects(item.get("summary")))
    if sealed.startswith(SEAL) and sealed != seal_of(thought):
        yield f"{place}: encrypted_content could not be verified; it was changed on the way"
    if not isinstance(item.get("summary"), list):
        yield f"{place}.summary: missing required parameter"


def _pairs(items: list[Json]) -> Iterator[str]:
    """Each call has exactly one output, after it and before anything else is said; no output is without a call."""
    calls: set[str] = set()
    waiting: set[str] = set()
    for number, item in enumerate(items):
        place, kind, ident = f"input[{number}]", _kind(item), a_text(item.get("call_id"))
        if kind in ("function_call", "custom_tool_call"):
            if ident in calls:
                yield f"{place}.call_id: must be unique, {ident!r} is not"
            calls.add(ident)
            waiting.add(ident)
        elif kind in ("function_call_output", "custom_tool_call_output"):
            if ident not in waiting:
                yield f"{place}: no call waits for an output of {ident!r}"
            waiting.discard(ident)
        elif kind == "message" and item.get("role") != "assistant":
            yield from (f"{place}: no tool output found for function call {ident!r}" for ident in sorted(waiting))
            waiting.clear()
    yield from (f"input: no tool output found for function call {ident!r}" for ident in sorted(waiting))


def _reasoning_order(items: list[Json]) -> Iterator[str]:
    for number, item in enumerate(items):
        if _kind(item) != "reasoning":
            continue
        following = items[number + 1] if number + 1 < len(items) else {}
        by_user = _kind(following) == "message" and following.get("role") != "assistant"
        if not following or by_user or _kind(following).endswith(OUTPUT):
            yield f"input[{number}]: reasoning was provided without its required following item"


def _unique_ids(items: list[Json]) -> Iterator[str]:
    seen: set[str] = set()
    for number, item in enumerate(items):
        ident = a_text(item.get("id"))
        if ident and ident in seen:
            yield f"input[{number}].id: duplicate item {ident!r}"
        seen.add(ident)


def _kind(item: Json) -> str:
    return a_text(item.get("type", "message"))
