"""What the Responses protocol puts on the wire: its stream events, items and final object, as far as yeaft reads them.

Fields that yeaft does not read are skipped; events of other types are left to the caller, who ignores them.
"""

from typing import ClassVar, Literal

import msgspec
from msgspec import Raw, Struct, field

from yeaft.llm import wire_json
from yeaft.llm.faults import ErrorBody


class Part(Struct, gc=False, frozen=True, kw_only=True):
    """Something about one part of one item. Plain servers leave out the index, the id, or both.

    The class variables say in which part of which type of item it belongs and how it is shown.
    """

    item_type: ClassVar[str]
    part_type: ClassVar[str]
    shown_as: ClassVar[Literal["text", "thinking", "call"]]
    output_index: int | None = None
    item_id: str | None = None
    content_index: int | None = 0
    summary_index: int | None = 0


class Delta(Part, gc=False, frozen=True, kw_only=True):
    """The next piece of a part."""

    delta: str


class Done(Part, gc=False, frozen=True, kw_only=True):
    """The whole of a part; repeats what its deltas said, if there were any."""

    text: str


class TextDelta(Delta, gc=False, frozen=True, kw_only=True, tag="response.output_text.delta"):
    """Text for the reader; by far the most frequent event."""

    item_type, part_type, shown_as = "message", "output_text", "text"


class TextDone(Done, gc=False, frozen=True, kw_only=True, tag="response.output_text.done"):
    """Text for the reader, whole."""

    item_type, part_type, shown_as = "message", "output_text", "text"


class RefusalDelta(Delta, gc=False, frozen=True, kw_only=True, tag="response.refusal.delta"):
    """Words with which the model declines; the reader should see them."""

    item_type, part_type, shown_as = "message", "refusal", "text"


class RefusalDone(Done, gc=False, frozen=True, kw_only=True, tag="response.refusal.done"):
    """The words with which the model declined."""

    item_type, part_type, shown_as = "message", "refusal", "text"
    text: str = field(name="refusal")


class SummaryDelta(Delta, gc=False, frozen=True, kw_only=True, tag="response.reasoning_summary_text.delta"):
    """A summary of hidden reasoning."""

    item_type, part_type, shown_as = "reasoning", "summary_text", "thinking"


class SummaryDone(Done, gc=False, frozen=True, kw_only=True, tag="response.reasoning_summary_text.done"):
    """One part of a summary, whole."""

    item_type, part_type, shown_as = "reasoning", "summary_text", "thinking"


class ThoughtDelta(Delta, gc=False, frozen=True, kw_only=True, tag="response.reasoning_text.delta"):
    """Open reasoning, as plain servers and open models give it."""

    item_type, part_type, shown_as = "reasoning", "reasoning_text", "thinking"


class ThoughtDone(Done, gc=False, frozen=True, kw_only=True, tag="response.reasoning_text.done"):
    """Open reasoning, whole."""

    item_type, part_type, shown_as = "reasoning", "reasoning_text", "thinking"


class ArgumentsDelta(Delta, gc=False, frozen=True, kw_only=True, tag="response.function_call_arguments.delta"):
    """JSON text of a call's arguments."""

    item_type, part_type, shown_as = "function_call", "arguments", "call"


class ArgumentsDone(Done, gc=False, frozen=True, kw_only=True, tag="response.function_call_arguments.done"):
    """A call's arguments, whole."""

    item_type, part_type, shown_as = "function_call", "arguments", "call"
    text: str = field(name="arguments")


class InputDelta(Delta, gc=False, frozen=True, kw_only=True, tag="response.custom_tool_call_input.delta"):
    """Free text for a tool without a schema."""

    item_type, part_type, shown_as = "custom_tool_call", "input", "call"


class InputDone(Done, gc=False, frozen=True, kw_only=True, tag="response.custom_tool_call_input.done"):
    """The free text for a tool without a schema, whole."""

    item_type, part_type, shown_as = "custom_tool_call", "input", "call"
    text: str = field(name="input")


class ItemAdded(Struct, frozen=True, kw_only=True, tag="response.output_item.added"):
    """An item begins; `item` is mostly empty."""

    item: Raw
    output_index: int | None = None


class ItemDone(Struct, frozen=True, kw_only=True, tag="response.output_item.done"):
    """An item is whole."""

    item: Raw
    output_index: int | None = None


class Ended(Struct, frozen=True, kw_only=True):
    """The terminal event; `status` is what its type says."""

    status: ClassVar[str]
    response: Raw


class Completed(Ended, frozen=True, kw_only=True, tag="response.completed"):
    """The reply is whole."""

    status = "completed"


class Incomplete(Ended, frozen=True, kw_only=True, tag="response.incomplete"):
    """The reply was cut, by a limit or a filter."""

    status = "incomplete"


class Failed(Ended, frozen=True, kw_only=True, tag="response.failed"):
    """The provider gave up."""

    status = "failed"


class ErrorEvent(Struct, frozen=True, kw_only=True, tag="error"):
    """The stream failed; servers describe it either here or in `error`."""

    message: str | None = None
    code: str | int | None = None
    error: ErrorBody | str | None = None

    @property
    def body(self) -> ErrorBody | str:
        """The description, wherever it is."""
        return ErrorBody(message=self.message, code=self.code) if self.error is None else self.error


StreamEvent = (
    TextDelta
    | TextDone
    | RefusalDelta
    | RefusalDone
    | SummaryDelta
    | SummaryDone
    | ThoughtDelta
    | ThoughtDone
    | ArgumentsDelta
    | ArgumentsDone
    | InputDelta
    | InputDone
    | ItemAdded
    | ItemDone
    | Completed
    | Incomplete
    | Failed
    | ErrorEvent
)


class Details(Struct, frozen=True, kw_only=True):
    """Why a reply was cut."""

    reason: str | None = None


class Response(Struct, frozen=True, kw_only=True):
    """The final object: of the terminal event, or the whole body of a reply that is not streamed."""

    object: str | None = None
    model: str | None = None
    status: str | None = None
    output: tuple[Raw, ...] | None = None
    usage: Raw = Raw()
    error: ErrorBody | str | None = None
    incomplete_details: Details | None = None


class Nameless(Struct, frozen=True, kw_only=True):
    """What can be said of a JSON object that is none of the above."""

    type: str | None = None
    error: ErrorBody | str | None = None


events: msgspec.json.Decoder[StreamEvent] = msgspec.json.Decoder(StreamEvent)
responses: msgspec.json.Decoder[Response] = msgspec.json.Decoder(Response)
nameless: msgspec.json.Decoder[Nameless] = msgspec.json.Decoder(Nameless)


def kept(raw: Raw) -> Raw:
    """`raw` as it can be kept and sent back: unchanged if it is one line of valid UTF-8, else made so."""
    data = bytes(raw)
    try:
        data.decode()
    except UnicodeDecodeError:
        data = wire_json.mended(data)
    if b"\n" in data or b"\r" in data:  # a journal line, and a line of JSONL output, is one line
        data = msgspec.json.format(data, indent=-1)
    return Raw(data)
