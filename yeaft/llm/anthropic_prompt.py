"""A prompt as the body of a Messages request: a pure function, so that a replay gives the same bytes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from yeaft.kernel.grown import Grown
from yeaft.kernel.messages import (
    AssistantMessage,
    Call,
    CallItem,
    ImagePart,
    OpaqueItem,
    Part,
    PromptMessage,
    ReplyItem,
    ResultPart,
    TextItem,
    TextPart,
    ThinkingItem,
    UserMessage,
)
from yeaft.llm import wire_json
from yeaft.llm.anthropic_thinking import plan_thinking
from yeaft.llm.anthropic_wire import (
    AssistantBlock,
    AssistantTurn,
    Body,
    Image,
    ImageSource,
    Mark,
    Text,
    Tool,
    ToolResult,
    ToolUse,
    UserBlock,
    UserTurn,
)
from yeaft.llm.model import Encode, ModelEntry
from yeaft.llm.prompt import Prompt, SystemBlock, ToolSpec
from yeaft.llm.wire_ids import WireIds

MARKS = 4  # the API refuses more
MARK = Mark()
SILENT_FAILURE = "Failed without any output."  # the API refuses an error without content
UNNAMED = "unnamed"
NAME_CHARS = 128
NEWEST = 2
_encoder = msgspec.json.Encoder()


def encoder(entry: ModelEntry) -> Encode:
    """See `Model.encoder`.

    The messages must end with a user message, or with a reply that the provider paused in the middle of a tool of
    its own and now goes on with.
    """
    known: Grown[_Turns] = Grown()

    def encode(prompt: Prompt) -> bytes:
        messages = prompt.messages
        turns = known.of(messages[:-1], lambda: _Turns(entry), lambda turns, place: turns.add(messages[place])).copy()
        for message in messages[-1:]:
            turns.add(message)
        return _body(prompt, entry, turns)

    return encode


def _body(prompt: Prompt, entry: ModelEntry, turns: "_Turns") -> bytes:
    tools = _tools(prompt.tools, entry)
    newest = turns.newest()
    assert newest, "a request without messages"
    last = newest[-1]
    assert isinstance(last, UserTurn) or isinstance(last.content[-1], Raw), "a request that ends with a finished reply"
    if entry.cache and isinstance(last, UserTurn):
        _mark_last(last.content)
    thinking = plan_thinking(prompt, entry, newest)
    body = Body(
        model=entry.id,
        max_tokens=thinking.max_tokens,
        stream=True,
        system=_system(prompt.system, MARKS - 1 - bool(tools) if entry.cache else 0),
        tools=tools,
        messages=turns.whole(newest),
        thinking=thinking.thinking,
        output_config=thinking.output_config,
        stop_sequences=prompt.stops,
    )
    return _encoder.encode(body)


def _system(blocks: Sequence[SystemBlock], marks: int) -> list[Text]:
    told = [block for block in blocks if block.text.strip()]
    wanted = [place for place, block in enumerate(told) if block.cache]
    marked = set(wanted[-marks:] if marks else ())
    return [Text(text=block.text, cache_control=MARK if place in marked else None) for place, block in enumerate(told)]


def _tools(specs: Sequence[ToolSpec], entry: ModelEntry) -> list[Tool]:
    if not entry.tools:
        return []
    tools = [Tool(name=spec.name, description=spec.description, input_schema=spec.schema) for spec in specs]
    if tools and entry.cache:
        tools[-1] = replace(tools[-1], cache_control=MARK)
    return tools


def _mark_last(blocks: list[UserBlock]) -> None:
    """Mark the last block that is not empty: the API refuses a mark on an empty one."""
    for place in reversed(range(len(blocks))):
        block = blocks[place]
        if not isinstance(block, ToolResult) or block.content:
            blocks[place] = replace(block, cache_control=MARK)
            return


class _Turns:
    """The messages with nothing blank in them, roles taking turns, and results before anything else.

    What is said last decides how the newest two are written; those before them are bytes already.
    """

    def __init__(self, entry: ModelEntry) -> None:
        self._entry = entry
        self._ids = WireIds()
        self._written: list[bytes] = []
        self._newest: list[UserTurn | AssistantTurn] = []

    def add(self, message: PromptMessage) -> None:
        last = self._newest[-1] if self._newest else None
        match message:
            case UserMessage():
                told = [block for part in message.parts for block in _told(part, self._ids.of, self._entry)]
                if isinstance(last, UserTurn):
                    last.content += told
                elif told:
                    self._begin(UserTurn(content=told))
            case AssistantMessage():
                self._ids.add(message.calls)
                said = list(_said(message, self._ids.of, self._entry))
                if isinstance(last, AssistantTurn):
                    last.content += said
                elif said:
                    self._begin(AssistantTurn(content=said))

    def copy(self) -> "_Turns":
        other = _Turns(self._entry)
        other._ids, other._written = self._ids.copy(), list(self._written)
        other._newest = [replace(turn, content=list(turn.content)) for turn in self._newest]
        return other

    def newest(self) -> list[UserTurn | AssistantTurn]:
        """The newest two, if there are as many."""
        return list(map(_in_order, self._newest))

    def whole(self, newest: Sequence[UserTurn | AssistantTurn]) -> Raw:
        """All turns, the last of them as they are in `newest`."""
        return wire_json.array((*self._written, *map(_encoder.encode, newest)))

    def _begin(self, turn: UserTurn | AssistantTurn) -> None:
        self._newest.append(turn)
        if len(self._newest) > NEWEST:
            self._written.append(_encoder.encode(_in_order(self._newest.pop(0))))


def _in_order(turn: UserTurn | AssistantTurn) -> UserTurn | AssistantTurn:
    if isinstance(turn, AssistantTurn):
        return turn
    return UserTurn(content=sorted(turn.content, key=lambda block: not isinstance(block, ToolResult)))


def _told(part: Part, ids: Mapping[str, str], entry: ModelEntry) -> Iterator[UserBlock]:
    match part:
        case TextPart(text=text):
            if text.strip():
                yield Text(text=text)
        case ImagePart():
            yield _picture(part, entry)
        case ResultPart(call_id=call_id, failed=failed):
            yield ToolResult(tool_use_id=ids.get(call_id, call_id), content=_content(part, entry), is_error=failed)


def _content(part: ResultPart, entry: ModelEntry) -> str | list[Text | Image]:
    text = part.text if part.text.strip() else SILENT_FAILURE if part.failed else ""
    if not part.images:
        return text
    return [*([Text(text=text)] if text else []), *(_picture(image, entry) for image in part.images)]


def _picture(part: ImagePart, entry: ModelEntry) -> Text | Image:
    if not entry.images:
        return Text(text=f"[{part.mime}]")
    return Image(source=ImageSource(media_type=part.mime, data=part.data))


def _said(message: AssistantMessage, ids: Mapping[str, str], entry: ModelEntry) -> Iterator[AssistantBlock]:
    """The blocks of a reply in their order; raw ones only to the model that they came from."""
    is_own = message.origin == entry.ref
    placed: set[int] = set()
    for item in message.items:
        match item:
            case CallItem(index=index):
                if index < len(message.calls):
                    placed.add(index)
                    yield _call(message.calls[index], ids, item.raw if is_own else Raw())
            case TextItem(text=text, raw=raw):
                if text.strip():
                    yield raw if is_own and bytes(raw) else Text(text=text)
            case ThinkingItem() | OpaqueItem():
                if is_own and _can_return(item):
                    yield item.raw
    for index, call in enumerate(message.calls):
        if index not in placed:
            yield _call(call, ids, Raw())


def _can_return(item: ReplyItem) -> bool:
    """Thinking without a signature is refused; all else goes back as it came."""
    if isinstance(item, OpaqueItem):
        return True
    block = wire_json.decode_object(bytes(item.raw))
    return block.get("type") != "thinking" or bool(block.get("signature"))


def _call(call: Call, ids: Mapping[str, str], raw: Raw) -> ToolUse | Raw:
    """A call; `raw` is empty, or the block with fields that this module does not know."""
    block = ToolUse(id=ids[call.call_id], name=_name(call.tool), input=_arguments(call.args_raw))
    if not bytes(raw):
        return block
    return Raw(
        wire_json.encode(
            {**wire_json.decode_object(bytes(raw)), "id": block.id, "name": block.name, "input": block.input}
        )
    )


def _name(tool: str) -> str:
    """A name that the API takes, though the model may have called something by an odd name or none."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", tool)[:NAME_CHARS] or UNNAMED


def _arguments(args_raw: str) -> dict[str, Any]:
    """The API takes only an object here, so whatever else the model wrote cannot go back to it."""
    try:
        return wire_json.decode_object(args_raw)
    except ValueError:
        return {}
