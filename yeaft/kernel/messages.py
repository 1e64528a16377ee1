"""What a model says and is told, in one form for every protocol.

A reply is a sequence of items. Each item keeps `raw`, the JSON object the provider sent (or that its stream adds up
to), so that it can go back to the same provider and model unchanged; to any other model only text and calls are sent.
"""

from msgspec import Raw, Struct


class TextPart(Struct, frozen=True, kw_only=True, tag="text", tag_field="type"):
    """Text of a message."""

    text: str


class ImagePart(Struct, frozen=True, kw_only=True, tag="image", tag_field="type"):
    """A picture; `data` is base64 without line breaks."""

    mime: str
    data: str


class ResultPart(Struct, frozen=True, kw_only=True, tag="result", tag_field="type"):
    """The one result of a call, as the model is told it; pictures come after the text."""

    call_id: str
    text: str
    failed: bool = False
    images: tuple[ImagePart, ...] = ()


Part = TextPart | ImagePart | ResultPart


class TextItem(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="text", tag_field="type"):
    """Something said to the reader."""

    text: str
    raw: Raw = Raw()


class ThinkingItem(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="thinking", tag_field="type"):
    """Reasoning; signature or encrypted content stay inside `raw`. `text` may be empty (redacted)."""

    text: str
    raw: Raw


class CallItem(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="call", tag_field="type"):
    """The place of a tool call among the items; `index` counts the calls of the reply from 0."""

    index: int
    raw: Raw = Raw()


class OpaqueItem(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="opaque", tag_field="type"):
    """Anything else: server-side tool use and its results, compaction, items of a type nobody has seen yet."""

    wire_type: str
    raw: Raw


ReplyItem = TextItem | ThinkingItem | CallItem | OpaqueItem


class WireCall(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool call as it came: `wire_id` may be empty or repeated, `args_raw` need not be JSON.

    `complete` is False when the stream ended or was cut before the call did; such a call is never run.
    """

    wire_id: str
    tool: str
    args_raw: str
    complete: bool = True


class Call(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool call with the id that yeaft gave it; everything but the wire goes by `call_id`."""

    call_id: str
    wire_id: str
    tool: str
    args_raw: str
    complete: bool = True


class UserMessage(Struct, frozen=True, kw_only=True):
    """What the model is told: text, pictures, results of its calls. Results come first."""

    parts: tuple[Part, ...]


class AssistantMessage(Struct, frozen=True, kw_only=True):
    """What the model said; `origin` is the `provider/model` that said it and may get its raw items back."""

    items: tuple[ReplyItem, ...]
    calls: tuple[Call, ...] = ()
    origin: str = ""


PromptMessage = UserMessage | AssistantMessage


def text_of(items: tuple[ReplyItem, ...]) -> str:
    """All that was said to the reader, without thinking and calls."""
    return "".join(item.text for item in items if isinstance(item, TextItem))
