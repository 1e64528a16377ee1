"""A Responses reply put together from its stream, or read from one JSON body."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Raw

from yeaft.kernel.errors import ModelErrorKind, ModelFailed
from yeaft.kernel.messages import TextItem, ThinkingItem
from yeaft.llm import faults, responses_items, responses_wire, wire_json
from yeaft.llm.faults import Fault
from yeaft.llm.model import Piece, Reply
from yeaft.llm.responses_blocks import Block, Blocks
from yeaft.llm.responses_usage import usage_of
from yeaft.llm.responses_wire import (
    Delta,
    Done,
    Ended,
    ErrorEvent,
    ItemAdded,
    ItemDone,
    Part,
    Response,
    StreamEvent,
)
from yeaft.llm.sse import SseEvent

INCOMPLETE_STOPS: Mapping[str, str] = {
    "max_output_tokens": "max_tokens",
    "max_tokens": "max_tokens",
    "length": "max_tokens",
    "content_filter": "filtered",
}
WRONG_ADDRESS_STATUSES = frozenset({404, 405})
WAIT_HEADERS = frozenset({"retry-after", "retry-after-ms"})
CHAT_SENTINEL = b"[DONE]"  # ends a stream of the older chat protocol; some gateways send it here too


class ResponsesReply:
    """The accumulator of this protocol: one per request. `provider` only names the server in messages."""

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._blocks = Blocks()
        self._said: list[str] = []
        self._reply: Reply | None = None

    @property
    def text_so_far(self) -> str:
        """All that has been said to the reader."""
        return "".join(self._said)

    @property
    def calls_seen(self) -> bool:
        """Whether any part of a tool call has come."""
        return self._blocks.has_calls

    @property
    def is_done(self) -> bool:
        """Whether the terminal event has come."""
        return self._reply is not None

    def feed(self, event: SseEvent) -> list[Piece]:
        """The pieces in one event. Raises `ModelFailed` when the stream says that it failed, or is no such stream."""
        if self._reply is not None:
            return []
        try:
            return self._hear(responses_wire.events.decode(event.data))
        except msgspec.ValidationError:
            return self._unlisted(event.data)
        except (msgspec.DecodeError, RecursionError):
            return self._mended(event.data)
        except ValueError as error:
            raise self._not_the_protocol(str(error)) from error

    def whole(self, body: bytes) -> Reply:
        """The reply that a JSON body holds. Raises `ModelFailed` when it holds an error, or no reply."""
        if body.lstrip().startswith(b"{") and not wire_json.is_json(body):
            raise self._error("truncated", f"{self._provider} ended the body before the reply was complete.")
        response = self._response(body)
        if response.status == "failed" or (response.error is not None and response.output is None):
            raise self._failure(faults.of_event(response.error))
        if response.status is None and response.output is None:
            raise self._not_the_protocol("the body holds no reply")
        return self._read(response, response.status or "completed", response.output or ())

    def finish(self) -> Reply:
        """The reply, at the end of the stream. Raises `ModelFailed` if the terminal event never came."""
        if self._reply is None:
            raise self._error("truncated", f"{self._provider} ended the stream before the reply was complete.")
        return self._reply

    def refused(self, status: int, headers: Mapping[str, str], body: bytes) -> ModelFailed:
        """What an HTTP error status means; how long to wait is the transport's to read, if `headers` say it."""
        failure = self._failure(faults.of_body(status, body))
        if not WAIT_HEADERS.isdisjoint(headers):  # the words of the message are less precise
            failure.retry_after_s = None
        return failure

    def _hear(self, heard: StreamEvent) -> list[Piece]:
        match heard:
            case Delta():
                block = self._blocks.of(heard)
                block.parts.setdefault(_place(heard), []).append(heard.delta)
                return self._shown(heard, block, heard.delta)
            case Done():
                return self._part_done(heard)
            case ItemAdded():
                self._blocks.add(heard)
            case ItemDone():
                return self._item_done(heard)
            case ErrorEvent():
                raise self._failure(faults.of_event(heard.body))
            case Ended():
                self._reply = self._end(heard)
        return []

    def _part_done(self, done: Done) -> list[Piece]:
        """Show what the deltas of a part left out, which for some servers is all of it."""
        block, place = self._blocks.of(done), _place(done)
        streamed = "".join(block.parts.get(place, ()))
        block.parts[place] = [done.text]
        return self._shown(done, block, done.text[len(streamed) :]) if done.text.startswith(streamed) else []

    def _item_done(self, done: ItemDone) -> list[Piece]:
        """Show an item that came whole, as from servers that do not stream its parts."""
        block = self._blocks.finish(done)
        if block.parts or block.kind not in {"message", "reasoning"}:
            return []
        match responses_items.read((done.item,), cut=False).items:
            case (TextItem(text=text),) if text:
                self._said.append(text)
                return [Piece(kind="text", pieces=(text,))]
            case (ThinkingItem(text=text),) if text:
                return [Piece(kind="thinking", pieces=(text,))]
            case _:
                return []

    def _shown(self, part: Part, block: Block, text: str) -> list[Piece]:
        if not text:
            return []
        if part.shown_as == "call":
            return [Piece(kind="call", pieces=(text,), index=block.call_index, tool=block.name)]
        if part.shown_as == "text":
            self._said.append(text)
        return [Piece(kind=part.shown_as, pieces=(text,))]

    def _unlisted(self, data: bytes) -> list[Piece]:
        """Ignore an event of a type or shape that is not ours, unless it is an error that lacks its type."""
        try:
            event = responses_wire.nameless.decode(data)
        except msgspec.DecodeError:
            return []
        if event.error is not None and event.type in {None, "error"}:
            raise self._failure(faults.of_event(event.error))
        return []

    def _mended(self, data: bytes) -> list[Piece]:
        """Hear an event whose JSON is not strict."""
        if data.strip() in {b"", CHAT_SENTINEL}:
            return []
        try:
            mended = wire_json.mended(data)
        except (ValueError, RecursionError) as error:
            raise self._not_the_protocol(str(error)) from error
        try:
            return self._hear(responses_wire.events.decode(mended))
        except msgspec.ValidationError:
            return self._unlisted(mended)
        except ValueError as error:
            raise self._not_the_protocol(str(error)) from error

    def _end(self, ended: Ended) -> Reply:
        response = self._response(bytes(ended.response))
        status = response.status if response.status in {"failed", "incomplete", "cancelled"} else ended.status
        if status == "failed":
            raise self._failure(faults.of_event(response.error))
        streamed = [block.raw(status) for block in self._blocks.all]
        return self._read(response, status, response.output or streamed)

    def _response(self, data: bytes) -> Response:
        try:
            return responses_wire.responses.decode(data)
        except msgspec.ValidationError as error:
            raise self._not_the_protocol(str(error)) from error
        except (msgspec.DecodeError, RecursionError):
            pass
        try:
            return responses_wire.responses.decode(wire_json.mended(data))
        except (ValueError, RecursionError) as error:
            raise self._not_the_protocol(str(error)) from error

    def _read(self, response: Response, status: str, raws: Sequence[Raw]) -> Reply:
        try:
            content = responses_items.read(raws, cut=status != "completed")
        except ValueError as error:
            raise self._not_the_protocol(str(error)) from error
        reason = response.incomplete_details.reason if response.incomplete_details else None
        stop = _stop(status, reason or "", refused=content.refused, calls=bool(content.calls))
        return Reply(
            items=content.items,
            calls=content.calls,
            stop=stop,
            usage=usage_of(response.usage),
            model=response.model or "",
        )

    def _failure(self, fault: Fault) -> ModelFailed:
        kind = faults.kind_of(fault)
        answered = f"{self._provider} answered {fault.status}" if fault.status else f"{self._provider} failed"
        message = f"{answered}: {fault.message}" if fault.message else f"{answered} without saying why."
        if kind == "auth":  # providers echo the key
            message = f"{answered}: it does not accept the API key. Check the key of provider {self._provider!r}."
        elif fault.status in WRONG_ADDRESS_STATUSES and not fault.wire_type:
            message += " Is its base_url right, and does the server speak the Responses protocol?"
        return self._error(kind, message, fault)

    def _not_the_protocol(self, why: str) -> ModelFailed:
        return self._error("protocol", f"{self._provider} sent something that is not the Responses protocol: {why}.")

    def _error(self, kind: ModelErrorKind, message: str, fault: Fault | None = None) -> ModelFailed:
        return ModelFailed(
            kind,
            message,
            status=fault.status if fault else None,
            wire_type=fault.wire_type if fault else "",
            retry_after_s=fault.wait_s if fault else None,
            text_so_far=self.text_so_far,
            calls_seen=self.calls_seen,
        )


def _place(part: Part) -> tuple[str, int]:
    index = part.summary_index if part.part_type == "summary_text" else part.content_index
    return part.part_type, index or 0


def _stop(status: str, reason: str, *, refused: bool, calls: bool) -> str:
    match status:
        case "completed":
            ended = "calls" if calls else "end"
            return "refusal" if refused else ended
        case "incomplete":
            return INCOMPLETE_STOPS.get(reason, "cut")
        case _:
            return f"other:{status}"
