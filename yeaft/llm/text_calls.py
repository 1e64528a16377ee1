"""A prompt for a model that has no tool calling: the same, with tools, calls and results written out as text.

Pure functions of the prompt, so that a replay gives the same bytes. What such a model answers, `text_call_reading`
reads.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from yeaft.kernel.messages import (
    AssistantMessage,
    Call,
    CallItem,
    Part,
    PromptMessage,
    ReplyItem,
    ResultPart,
    TextItem,
    TextPart,
    ThinkingItem,
    UserMessage,
)
from yeaft.kernel.pattern import Pattern
from yeaft.llm.model import Encode
from yeaft.llm.prompt import Prompt, SystemBlock, ToolSpec
from yeaft.llm.text_call_arguments import is_object, written
from yeaft.llm.tool_listing import listed
from yeaft.prompts.find import templates_dir
from yeaft.prompts.phrases import sections

STOPS = ("\nObservation:",)
UNREADABLE_IN_ROW = 2
"""After so many calls that could not be read the model is asked for plain words, and its next reply stands."""
ERROR = "Error: "
THOUGHT = Raw(b'{"type":"thinking","thinking":"","written":true}')
"""Marks thoughts that were read out of a reply's text; no provider is sent it."""


_LISTED = Pattern(r"^- ([\w.-]+)\((?:(\w+)(?= \(|,|\)))?", re.MULTILINE)


class _Block(Struct, frozen=True):
    text: str = ""


class _Head(Struct, frozen=True):
    """The system prompt of a request in either protocol."""

    instructions: str = ""
    system: tuple[_Block, ...] = ()


def encoder(encode: Encode) -> Encode:
    """Make bodies of written-out prompts by `encode`."""
    return lambda prompt: encode(written_out(prompt))


def written_out(prompt: Prompt) -> Prompt:
    """The prompt in text alone. Tools are left out after calls that could not be read, or if there are none."""
    messages = tuple(_written(prompt.messages))
    if not prompt.tools:
        return replace(prompt, messages=messages)
    if _unreadable_in_row(prompt) >= UNREADABLE_IN_ROW:
        return replace(prompt, tools=(), messages=_with_request(messages, _texts()["enough"]))
    tools = SystemBlock(text=tools_text(prompt.tools), cache=True)
    return replace(prompt, system=(*prompt.system, tools), tools=(), messages=messages, stops=STOPS)


def tools_text(tools: Sequence[ToolSpec]) -> str:
    """What is said of the tools and of how to call them."""
    return "\n".join((_texts()["form"], *map(listed, tools)))


def offered(body: bytes) -> Mapping[str, str] | None:
    """The tools that a request tells how to call in text; None if it tells of none, so that its reply is just text.

    Each comes with the name of its first argument if that is a text which must be given, else with an empty one.
    """
    head = msgspec.json.decode(body, type=_Head)
    told = "\n\n".join((head.instructions, *(block.text for block in head.system)))
    _, form, tools = told.rpartition(_texts()["form"] + "\n")
    return {found[1]: found[2] or "" for found in _LISTED.finditer(tools)} if form else None


@cache
def _texts() -> dict[str, str]:
    return sections((templates_dir() / "tools" / "calls_as_text.md").read_text(encoding="utf-8"))


def _written(messages: Sequence[PromptMessage]) -> Iterator[PromptMessage]:
    """Yield the messages; calls that were made together come one after the other, each with its result."""
    calls: tuple[Call, ...] = ()
    for message in messages:
        if isinstance(message, AssistantMessage):
            calls = message.calls
            yield from _reply(message)
            continue
        results = {part.call_id: part for part in message.parts if isinstance(part, ResultPart)}
        others = tuple(part for part in message.parts if not isinstance(part, ResultPart))
        answered = [results[call.call_id] for call in calls if call.call_id in results]
        for call, result in zip(calls[1:], answered, strict=False):
            yield UserMessage(parts=tuple(_observation(result)))
            yield _said(_call(call))
        last = tuple(_observation(answered[-1])) if answered else ()
        calls = ()
        if last or others:
            yield UserMessage(parts=(*last, *others))


def _reply(message: AssistantMessage) -> Iterator[AssistantMessage]:
    """Yield the reply up to its first call. One without calls and thoughts of ours goes back as it came."""
    thoughts = [item.text for item in message.items if isinstance(item, ThinkingItem) and _is_written(item)]
    if not message.calls and not thoughts:
        yield message
        return
    text = "".join(item.text for item in message.items if isinstance(item, TextItem)).strip()
    lines = [f"Thought: {thought}" for thought in thoughts]
    if text:
        lines.append(f"Final Answer: {text}" if thoughts and not message.calls else text)
    if message.calls:
        lines.append(_call(message.calls[0]))
    kept = tuple(item for item in message.items if not isinstance(item, TextItem | CallItem) and not _is_written(item))
    yield replace(message, items=(*kept, TextItem(text="\n".join(lines))), calls=())


def _is_written(item: ReplyItem) -> bool:
    return isinstance(item, ThinkingItem) and bytes(item.raw) == bytes(THOUGHT)


def _said(text: str) -> AssistantMessage:
    return AssistantMessage(items=(TextItem(text=text),))


def _call(call: Call) -> str:
    return f"Action: {call.tool}\nAction Input: {written(call.args_raw)}"


def _observation(result: ResultPart) -> Iterator[Part]:
    yield TextPart(text=f"Observation: {ERROR if result.failed else ''}{result.text}")
    yield from result.images


def _unreadable_in_row(prompt: Prompt) -> int:
    """Count the calls without an object for arguments, or to no tool, that the prompt ends with."""
    names = {tool.name for tool in prompt.tools}
    count = 0
    for message in reversed(prompt.messages):
        if isinstance(message, UserMessage):
            if not any(isinstance(part, ResultPart) for part in message.parts):
                break
            continue
        if not message.calls or all(call.tool in names and is_object(call.args_raw) for call in message.calls):
            break
        count += 1
    return count


def _with_request(messages: tuple[PromptMessage, ...], request: str) -> tuple[PromptMessage, ...]:
    last = messages[-1]
    assert isinstance(last, UserMessage), "a request ends with what the user's side says"
    return (*messages[:-1], replace(last, parts=(*last.parts, TextPart(text=request))))
