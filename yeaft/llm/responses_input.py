"""What a Responses request says about the talk so far: its `input` items.

The shapes are chosen so that OpenAI and the stricter of the plain servers all take them: llama.cpp wants `type` on
every message, vLLM wants `id`, `status` and `annotations` on what the model said and `detail` on pictures.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from yeaft.kernel.messages import (
    AssistantMessage,
    Call,
    CallItem,
    ImagePart,
    OpaqueItem,
    PromptMessage,
    ReplyItem,
    ResultPart,
    TextItem,
    TextPart,
    ThinkingItem,
    UserMessage,
)
from yeaft.kernel.pattern import Pattern
from yeaft.kernel.text import without_surrogates
from yeaft.llm import wire_json
from yeaft.llm.model import ModelEntry
from yeaft.llm.responses_items import head_of, is_object, text_in
from yeaft.llm.wire_ids import WireIds

IMAGE_LEFT_OUT = "[picture left out: this model takes text only]"
NAME_CHARS = 128
_NOT_IN_NAMES = Pattern(r"[^a-zA-Z0-9_-]")


class InputText(Struct, frozen=True, kw_only=True, tag="input_text"):
    """Text of the user."""

    text: str


class InputImage(Struct, frozen=True, kw_only=True, tag="input_image"):
    """A picture as a data URI."""

    image_url: str
    detail: str


class InputMessage(Struct, frozen=True, kw_only=True, tag="message"):
    """What the user said."""

    role: str
    content: tuple[InputText | InputImage, ...]


class OutputText(Struct, frozen=True, kw_only=True, tag="output_text"):
    """Text of the model."""

    text: str
    annotations: tuple[str, ...]


class OutputMessage(Struct, frozen=True, kw_only=True, tag="message"):
    """What this or another model said, without anything that only its own provider understands."""

    id: str
    role: str
    status: str
    content: tuple[OutputText, ...]


class FunctionCall(Struct, frozen=True, kw_only=True, tag="function_call"):
    """A call that this or another model made."""

    call_id: str
    name: str
    arguments: str


class FunctionCallOutput(Struct, frozen=True, kw_only=True, tag="function_call_output"):
    """The result of a call; a list only if it has pictures."""

    call_id: str
    output: str | tuple[InputText | InputImage, ...]


class CustomCallOutput(Struct, frozen=True, kw_only=True, tag="custom_tool_call_output"):
    """The result of a call of a tool without a schema."""

    call_id: str
    output: str | tuple[InputText | InputImage, ...]


InputItem = Raw | InputMessage | OutputMessage | FunctionCall | FunctionCallOutput | CustomCallOutput

_objects: msgspec.json.Decoder[dict[str, Raw]] = msgspec.json.Decoder(dict[str, Raw])
_encoder = msgspec.json.Encoder()


class Input:
    """The `input` of a request to `entry`, written message by message.

    Items that the same model said go back byte-equal, others in portable form. Results without a call before them are
    left out.
    """

    def __init__(self, entry: ModelEntry) -> None:
        self._entry = entry
        self._ids = WireIds()
        self._custom: set[str] = set()  # ids of calls whose results need the custom form
        self._written: list[bytes] = []

    def add(self, message: PromptMessage) -> None:
        """Write another message."""
        if isinstance(message, UserMessage):
            self._write(_results(message, self._ids.of, self._custom, images=self._entry.images))
            self._write(_said_by_user(message, images=self._entry.images))
            return
        self._ids.add(message.calls)
        if message.origin == self._entry.ref:
            said = list(_said_by_us(message, self._ids.of))
            self._custom.update(_custom_ids(said))
        else:
            said = list(_said_by_another(message.items, message.calls, self._ids.of))
        self._write(_numbered(said, len(self._written)))

    def copy(self) -> "Input":
        """The same, to which more can be added."""
        other = Input(self._entry)
        other._ids, other._custom, other._written = self._ids.copy(), set(self._custom), list(self._written)
        return other

    def whole(self) -> Raw:
        """All items."""
        return wire_json.array(self._written)

    def _write(self, items: Iterable[InputItem]) -> None:
        self._written.extend(map(_encoder.encode, items))


def _results(
    message: UserMessage, plan: Mapping[str, str], custom: Container[str], *, images: bool
) -> Iterator[InputItem]:
    for part in message.parts:
        if isinstance(part, ResultPart) and part.call_id in plan:
            wire_id = plan[part.call_id]
            result = CustomCallOutput if wire_id in custom else FunctionCallOutput
            yield result(call_id=wire_id, output=_output(part, images=images))


def _output(part: ResultPart, *, images: bool) -> str | tuple[InputText | InputImage, ...]:
    text = without_surrogates(part.text)
    if not part.images:
        return text
    said = (InputText(text=text),) if text.strip() else ()
    return (*said, *(_picture(image, images=images) for image in part.images))


def _said_by_user(message: UserMessage, *, images: bool) -> Iterator[InputItem]:
    content: list[InputText | InputImage] = []
    for part in message.parts:
        match part:
            case TextPart():
                if part.text.strip():
                    content.append(InputText(text=without_surrogates(part.text)))
            case ImagePart():
                content.append(_picture(part, images=images))
            case ResultPart():
                pass
    if content:
        yield InputMessage(role="user", content=tuple(content))


def _picture(part: ImagePart, *, images: bool) -> InputText | InputImage:
    if not images:
        return InputText(text=IMAGE_LEFT_OUT)
    return InputImage(image_url=f"data:{part.mime};base64,{part.data}", detail="auto")


def _said_by_us(message: AssistantMessage, plan: Mapping[str, str]) -> Iterator[InputItem]:
    """Raw items, with two exceptions that keep the request valid.

    Reasoning goes back only with the item that it led to. Reasoning that does not carry itself (nothing is stored at
    the provider, so its id alone means nothing) is left out, and then the items that it led to lose their ids: hence
    the rest of the reply is sent as if another model had said it.
    """
    thoughts: list[Raw] = []
    for position, item in enumerate(message.items):
        match item:
            case ThinkingItem():
                if not _carries_itself(item.raw):
                    later = message.items[position + 1 :]
                    yield from _said_by_another(later, message.calls, plan)
                    return
                thoughts.append(item.raw)
                continue
            case TextItem():
                led_to = _text(item)
            case CallItem():
                led_to = _call(item, message.calls[item.index], plan)
            case OpaqueItem():
                led_to = item.raw
        if led_to is not None:
            yield from thoughts
            yield led_to
            thoughts.clear()


def _said_by_another(items: Sequence[ReplyItem], calls: Sequence[Call], plan: Mapping[str, str]) -> Iterator[InputItem]:
    for item in items:
        if isinstance(item, TextItem) and item.text.strip():
            yield _portable_text(item.text)
        elif isinstance(item, CallItem):
            yield _portable_call(calls[item.index], plan)


def _text(item: TextItem) -> InputItem | None:
    if not item.text.strip():
        return None  # an empty message is refused by some servers
    return item.raw if bytes(item.raw) else _portable_text(item.text)


def _call(item: CallItem, call: Call, plan: Mapping[str, str]) -> InputItem:
    return item.raw if _goes_back(item.raw, plan[call.call_id]) else _portable_call(call, plan)


def _portable_text(text: str) -> OutputMessage:
    content = (OutputText(text=without_surrogates(text), annotations=()),)
    return OutputMessage(id="", role="assistant", status="completed", content=content)


def _portable_call(call: Call, plan: Mapping[str, str]) -> FunctionCall:
    name = _NOT_IN_NAMES.sub("_", call.tool)[:NAME_CHARS] or "unknown"
    return FunctionCall(call_id=plan[call.call_id], name=name, arguments=_object_text(call.args_raw))


def _numbered(items: Iterable[InputItem], start: int) -> Iterator[InputItem]:
    """Give messages that have no id of the provider's one of ours, which only has to look like one."""
    for position, item in enumerate(items, start):
        yield replace(item, id=f"msg_{position}") if isinstance(item, OutputMessage) else item


def _custom_ids(items: Iterable[InputItem]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Raw):
            head = head_of(item)
            if head.type == "custom_tool_call" and head.call_id:
                yield head.call_id


def _carries_itself(reasoning: Raw) -> bool:
    head = head_of(reasoning)
    return bool(head.encrypted_content or head.content)


def _goes_back(raw: Raw, wire_id: str) -> bool:
    """Whether a call can be sent back as it came: no server must choke on its id, name or arguments."""
    if not bytes(raw):
        return False
    head = head_of(raw)
    if head.call_id != wire_id or not head.name or len(head.name) > NAME_CHARS or _NOT_IN_NAMES.search(head.name):
        return False
    if head.type == "custom_tool_call":
        return True
    return bytes(head.arguments).startswith(b'"') and _is_strict_object(text_in(head.arguments))


def _object_text(args_raw: str) -> str:
    """The arguments as a JSON object; what is none becomes the empty object, its result says what was wrong."""
    if _is_strict_object(args_raw):
        return args_raw
    return wire_json.mended(args_raw.encode("utf-8", "surrogatepass")).decode() if is_object(args_raw) else "{}"


def _is_strict_object(text: str) -> bool:
    try:
        _objects.decode(text)
    except (ValueError, RecursionError):  # of which UnicodeEncodeError is one
        return False
    return True
