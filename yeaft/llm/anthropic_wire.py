"""The Messages API as JSON: what is sent and what comes back, field by field.

After https://docs.claude.com/en/api/messages and .../messages-streaming. What comes back is read tolerantly: unknown
fields are skipped, and content blocks stay plain objects, because new kinds of them appear all the time.
"""

from typing import Any, Literal

from msgspec import Raw, Struct


class Mark(Struct, frozen=True, tag="ephemeral", tag_field="type"):
    """Asks the provider to cache the request up to here."""


class Text(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="text", tag_field="type"):
    """A text block."""

    text: str
    cache_control: Mark | None = None


class ImageSource(Struct, frozen=True, kw_only=True, tag="base64", tag_field="type"):
    """The bytes of a picture."""

    media_type: str
    data: str


class Image(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="image", tag_field="type"):
    """A picture."""

    source: ImageSource
    cache_control: Mark | None = None


class ToolUse(Struct, frozen=True, kw_only=True, tag="tool_use", tag_field="type"):
    """A call that the model made."""

    id: str
    name: str
    input: dict[str, Any]


class ToolResult(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="tool_result", tag_field="type"):
    """The result of a call; content that would be empty is left out. With pictures it is a list."""

    tool_use_id: str
    content: str | list[Text | Image] = ""
    is_error: bool = False
    cache_control: Mark | None = None


class Tool(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool that is offered."""

    name: str
    description: str
    input_schema: Raw
    cache_control: Mark | None = None


UserBlock = Text | Image | ToolResult
AssistantBlock = Text | ToolUse | Raw


class UserTurn(Struct, kw_only=True, tag="user", tag_field="role"):
    """A message to the model."""

    content: list[UserBlock]


class AssistantTurn(Struct, kw_only=True, tag="assistant", tag_field="role"):
    """A message of the model."""

    content: list[AssistantBlock]


class Thinking(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Whether to think, and for how many tokens at most."""

    type: Literal["adaptive", "enabled"]
    budget_tokens: int | None = None


class OutputConfig(Struct, frozen=True, kw_only=True):
    """How hard to try."""

    effort: str


class Body(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body of a request."""

    model: str
    max_tokens: int
    stream: Literal[True]
    system: list[Text] = []
    tools: list[Tool] = []
    messages: Raw
    thinking: Thinking | None = None
    output_config: OutputConfig | None = None
    stop_sequences: tuple[str, ...] = ()


class OutputDetails(Struct, frozen=True, kw_only=True):
    """What the output tokens went into."""

    thinking_tokens: int | None = None


class WireUsage(Struct, frozen=True, kw_only=True):
    """Tokens; each report replaces the fields that it has, and `input_tokens` leaves the cache out."""

    input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    output_tokens: int | None = None
    output_tokens_details: OutputDetails | None = None


class WireMessage(Struct, frozen=True, kw_only=True):
    """A reply, or what is known of it when its stream starts."""

    id: str | None = None
    model: str | None = None
    content: list[dict[str, Any]] | None = None
    stop_reason: str | None = None
    usage: WireUsage | None = None


class TextDelta(Struct, frozen=True, kw_only=True, tag="text_delta", tag_field="type"):
    """More text."""

    text: str


class ThinkingDelta(Struct, frozen=True, kw_only=True, tag="thinking_delta", tag_field="type"):
    """More thinking."""

    thinking: str


class InputDelta(Struct, frozen=True, kw_only=True, tag="input_json_delta", tag_field="type"):
    """More of a tool's arguments."""

    partial_json: str


class SignatureDelta(Struct, frozen=True, kw_only=True, tag="signature_delta", tag_field="type"):
    """The signature of a thinking block, whole."""

    signature: str


class CitationsDelta(Struct, frozen=True, kw_only=True, tag="citations_delta", tag_field="type"):
    """One more citation of a text block."""

    citation: dict[str, Any]


class CompactionDelta(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="compaction_delta", tag_field="type"):
    """The content of a compaction block, whole."""

    content: str | None = None
    encrypted_content: str | None = None


Delta = TextDelta | ThinkingDelta | InputDelta | SignatureDelta | CitationsDelta | CompactionDelta


class MessageStart(Struct, frozen=True, kw_only=True, tag="message_start", tag_field="type"):
    """The stream begins."""

    message: WireMessage


class BlockStart(Struct, frozen=True, kw_only=True, tag="content_block_start", tag_field="type"):
    """A block begins; `content_block` is complete but for what its deltas add."""

    index: int
    content_block: dict[str, Any]


class BlockDelta(Struct, frozen=True, kw_only=True, tag="content_block_delta", tag_field="type"):
    """A block goes on."""

    index: int
    delta: Delta


class BlockStop(Struct, frozen=True, kw_only=True, tag="content_block_stop", tag_field="type"):
    """A block is complete."""

    index: int


class Ending(Struct, frozen=True, kw_only=True):
    """Why the model stopped."""

    stop_reason: str | None = None


class MessageDelta(Struct, frozen=True, kw_only=True, tag="message_delta", tag_field="type"):
    """The reply as a whole changed."""

    delta: Ending = Ending()
    usage: WireUsage | None = None


class MessageStop(Struct, frozen=True, kw_only=True, tag="message_stop", tag_field="type"):
    """The terminal event."""


class StreamError(Struct, frozen=True, kw_only=True, tag="error", tag_field="type"):
    """The server failed after it had begun to answer."""

    error: Any = None


StreamEvent = BlockDelta | BlockStart | BlockStop | MessageStart | MessageDelta | MessageStop | StreamError
