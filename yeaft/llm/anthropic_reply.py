"""A Messages reply put together from its stream, or read from one JSON body."""

from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from yeaft.kernel.errors import ModelFailed
from yeaft.kernel.usage import Usage
from yeaft.llm import wire_json
from yeaft.llm.anthropic_block import Block, implied
from yeaft.llm.anthropic_errors import refusal, stream_failure
from yeaft.llm.anthropic_wire import (
    BlockDelta,
    BlockStart,
    BlockStop,
    Delta,
    MessageDelta,
    MessageStart,
    MessageStop,
    StreamError,
    StreamEvent,
    WireMessage,
    WireUsage,
)
from yeaft.llm.model import Piece, Reply
from yeaft.llm.sse import SseEvent

STOPS: Mapping[str, str] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "calls",
    "max_tokens": "max_tokens",
    "refusal": "refusal",
    "pause_turn": "pause",
    "model_context_window_exceeded": "context",
}
WHOLE_STOPS = {"end", "calls", "pause"}
CHAT_SENTINEL = b"[DONE]"  # ends a stream of OpenAI's chat protocol; some gateways send it here too
KNOWN_EVENTS = {str(kind.__struct_config__.tag) for kind in get_args(StreamEvent)}
KNOWN_DELTAS = {str(kind.__struct_config__.tag) for kind in get_args(Delta)}

_events: msgspec.json.Decoder[StreamEvent] = msgspec.json.Decoder(StreamEvent)


class AnthropicReply:
    """The accumulator of this protocol: one per request. `provider` only names the server in messages."""

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._blocks: list[Block] = []
        self._open: dict[int, Block] = {}  # by the index that deltas name
        self._calls = 0
        self._id: str | None = None
        self._model = ""
        self._stop: str | None = None
        self._usage = WireUsage()
        self._done = False

    @property
    def text_so_far(self) -> str:
        """All that has been said to the reader."""
        return "".join(block.text for block in self._blocks if block.kind == "text")

    @property
    def calls_seen(self) -> bool:
        """Whether any part of a tool call has come."""
        return self._calls > 0

    @property
    def is_done(self) -> bool:
        """Whether `message_stop` has come."""
        return self._done

    def feed(self, event: SseEvent) -> list[Piece]:
        """The pieces in one event. Raises `ModelFailed` when the stream says that it failed, or is no such stream."""
        try:
            heard: StreamEvent | None = _events.decode(event.data)
        except (msgspec.DecodeError, RecursionError):
            heard = self._mended(event)
        return self._hear(heard) if heard is not None else []

    def whole(self, body: bytes) -> Reply:
        """The reply that a JSON body holds. Raises `ModelFailed` when it holds an error, or no reply."""
        try:
            value = wire_json.decode_object(body)
        except ValueError as error:
            raise self._not_the_protocol(str(error)) from error
        if value.get("error") and not value.get("content"):
            raise stream_failure(value["error"], self._provider)
        try:
            message = msgspec.convert(value, WireMessage)
        except msgspec.ValidationError as error:
            raise self._not_the_protocol(str(error)) from error
        if message.content is None:
            raise self._not_the_protocol("the body has no content")
        self._start(message)
        for block in self._blocks:
            block.stopped = True
        self._done = True
        return self.finish()

    def finish(self) -> Reply:
        """The reply, at the end of the stream. Raises `ModelFailed` if `message_stop` never came."""
        if not self._done:
            raise self._failed(
                ModelFailed("truncated", f"{self._provider} ended the stream before the reply was complete.")
            )
        calls = [block for block in self._blocks if block.is_call]
        stop = STOPS.get(self._stop, f"other:{self._stop}") if self._stop else "calls" if calls else "end"
        return Reply(
            items=tuple([block.item() for block in self._blocks]),
            calls=tuple([block.call(cut=stop not in WHOLE_STOPS) for block in calls]),
            stop=stop,
            usage=_usage(self._usage),
            model=self._model,
        )

    def refused(self, status: int, headers: Mapping[str, str], body: bytes) -> ModelFailed:
        """What an HTTP error status means. How long `headers` ask to wait is the transport's to say."""
        del headers
        return refusal(status, body, self._provider)

    def _hear(self, heard: StreamEvent) -> list[Piece]:
        match heard:
            case BlockDelta():
                return self._block(heard).add(heard.delta)
            case BlockStart(index=index, content_block=start):
                return self._begin(index, start)
            case BlockStop(index=index):
                if index in self._open:
                    self._open[index].stopped = True
            case MessageStart(message=message):
                return self._start(message)
            case MessageDelta(delta=ending, usage=usage):
                self._stop = ending.stop_reason or self._stop
                self._count(usage)
            case MessageStop():
                self._done = True
            case StreamError(error=error):
                raise self._failed(stream_failure(error, self._provider))
        return []

    def _start(self, message: WireMessage) -> list[Piece]:
        """Take the beginning of the reply; a gateway that tries again may send it twice, but not that of another."""
        if self._id is not None and message.id != self._id:
            raise self._not_the_protocol(f"reply {message.id} began inside reply {self._id}")
        is_repeated = self._id is not None
        self._id = message.id
        self._model = message.model or self._model
        self._stop = message.stop_reason or self._stop
        self._count(message.usage)
        if is_repeated:
            return []
        return [piece for index, start in enumerate(message.content or ()) for piece in self._begin(index, start)]

    def _begin(self, index: int, start: dict[str, Any]) -> list[Piece]:
        earlier = self._open.get(index)
        if earlier is not None and not earlier.stopped:
            raise self._not_the_protocol(f"block {index} began twice")
        is_call = start.get("type") == "tool_use"
        block = Block(start, self._calls if is_call else -1)
        self._calls += is_call
        self._add(index, block)
        if block.kind == "fallback":
            self._model = _fallback_model(start) or self._model
        return block.begin()

    def _block(self, heard: BlockDelta) -> Block:
        block = self._open.get(heard.index)
        if block is not None:
            return block
        block = implied(heard.delta)
        if block is None:
            raise self._not_the_protocol(f"block {heard.index} goes on but never began")
        self._add(heard.index, block)
        return block

    def _add(self, index: int, block: Block) -> None:
        self._open[index] = block
        self._blocks.append(block)

    def _count(self, usage: WireUsage | None) -> None:
        """Let the fields that `usage` has replace what was known: counts are totals."""
        if usage is None:
            return
        known = {name: value for name, value in msgspec.structs.asdict(usage).items() if value is not None}
        self._usage = msgspec.structs.replace(self._usage, **known)

    def _mended(self, event: SseEvent) -> StreamEvent | None:
        """An event that the strict decoder refuses, read leniently; None if it is of a kind that nobody knows yet."""
        if event.data.strip() in {b"", CHAT_SENTINEL}:
            return None
        try:
            value = wire_json.decode_object(event.data)
        except ValueError as error:
            raise self._not_the_protocol(f"an event is not JSON: {error}") from error
        value.setdefault("type", event.event)
        if not _is_known(value):
            return None
        try:
            return _converted(value)
        except msgspec.ValidationError as error:
            raise self._not_the_protocol(f"{value['type']}: {error}") from error

    def _not_the_protocol(self, what: str) -> ModelFailed:
        message = f"{self._provider} did not answer in the Messages protocol: {what}."
        return self._failed(ModelFailed("protocol", message))

    def _failed(self, failure: ModelFailed) -> ModelFailed:
        failure.text_so_far = self.text_so_far
        failure.calls_seen = self.calls_seen
        return failure


def _converted(value: dict[str, Any]) -> StreamEvent:
    event: StreamEvent = msgspec.convert(value, StreamEvent)
    return event


def _is_known(value: dict[str, Any]) -> bool:
    """Whether an event is of a kind that is read here, so that what is wrong with it matters."""
    match value:
        case {"type": "content_block_delta", "delta": {"type": kind}}:
            return kind in KNOWN_DELTAS
        case {"type": kind}:
            return kind in KNOWN_EVENTS
        case _:
            return False


def _fallback_model(start: dict[str, Any]) -> str:
    """The model that took over, of a block that says so."""
    match start.get("to"):
        case {"model": str(model)}:
            return model
        case _:
            return ""


def _usage(usage: WireUsage) -> Usage:
    details = usage.output_tokens_details
    return Usage(
        input=usage.input_tokens or 0,
        output=usage.output_tokens or 0,
        cache_read=usage.cache_read_input_tokens or 0,
        cache_write=usage.cache_creation_input_tokens or 0,
        reasoning=(details.thinking_tokens or 0) if details else 0,
    )
