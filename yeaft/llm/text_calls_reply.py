"""The reply of a model that calls tools in its text, as if it had called them the usual way."""

from collections.abc import Mapping

from msgspec.structs import replace

from yeaft.kernel.errors import ModelFailed
from yeaft.kernel.messages import CallItem, ReplyItem, TextItem, ThinkingItem, WireCall
from yeaft.llm.accumulator import Accumulator
from yeaft.llm.model import Piece, Reply
from yeaft.llm.sse import SseEvent
from yeaft.llm.text_call_reading import TextReading
from yeaft.llm.text_calls import THOUGHT

CUT_STOPS = frozenset({"max_tokens", "context", "cut"})
TAKEN_BACK = frozenset({"refusal", "filtered"})


class TextCallsReply:
    """An accumulator around that of a protocol; see `Accumulator`. `first` is as in `TextReading`."""

    def __init__(self, inner: Accumulator, first: Mapping[str, str]) -> None:
        self._inner = inner
        self._first = first
        self._reading = TextReading(first)

    @property
    def text_so_far(self) -> str:
        """What has been said to the reader, which a thought or a call is not."""
        return self._reading.text

    @property
    def calls_seen(self) -> bool:
        """Whether any part of a tool call has come."""
        return self._inner.calls_seen or self._reading.calls_seen

    @property
    def is_done(self) -> bool:
        """Whether the terminal event has come."""
        return self._inner.is_done

    def feed(self, event: SseEvent) -> list[Piece]:
        """See `Accumulator.feed`."""
        try:
            heard = self._inner.feed(event)
        except ModelFailed as error:
            raise self._told(error) from error
        pieces: list[Piece] = []
        for piece in heard:
            pieces += self._reading.feed("".join(piece.pieces)) if piece.kind == "text" else [piece]
        return pieces + self._reading.end() if self._inner.is_done else pieces

    def whole(self, body: bytes) -> Reply:
        """See `Accumulator.whole`."""
        return with_calls(self._inner.whole(body), self._first)

    def finish(self) -> Reply:
        """See `Accumulator.finish`."""
        try:
            return with_calls(self._inner.finish(), self._first)
        except ModelFailed as error:
            raise self._told(error) from error

    def refused(self, status: int, headers: Mapping[str, str], body: bytes) -> ModelFailed:
        """See `Accumulator.refused`."""
        return self._inner.refused(status, headers, body)

    def _told(self, error: ModelFailed) -> ModelFailed:
        error.text_so_far, error.calls_seen = self.text_so_far, self.calls_seen
        return error


def with_calls(reply: Reply, first: Mapping[str, str]) -> Reply:
    """The reply with its thought and call taken out of its text; unchanged if there is none, or it has real calls."""
    said = "".join(item.text for item in reply.items if isinstance(item, TextItem))
    if reply.calls or reply.stop in TAKEN_BACK or not said:
        return reply
    reading = TextReading(first)
    reading.feed(said)
    reading.end()
    if reading.text == said:
        return reply
    items: list[ReplyItem] = [item for item in reply.items if not isinstance(item, TextItem)]
    if reading.thought:
        items.append(ThinkingItem(text=reading.thought, raw=THOUGHT))
    if reading.text:
        items.append(TextItem(text=reading.text))
    if not reading.tool:
        return replace(reply, items=tuple(items))
    is_cut = reply.stop in CUT_STOPS and not reading.arguments.is_whole
    call = WireCall(wire_id="", tool=reading.tool, args_raw=reading.arguments.raw, complete=not is_cut)
    return replace(reply, items=(*items, CallItem(index=0)), calls=(call,), stop=reply.stop if is_cut else "calls")
