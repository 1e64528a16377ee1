"""The body of a model's answer, streamed or not, read into an accumulator while somebody listens."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Literal

from yeaft.kernel.errors import ModelFailed
from yeaft.kernel.messages import TextItem, ThinkingItem
from yeaft.llm.accumulator import Accumulator
from yeaft.llm.model import Hear, Piece, Reply
from yeaft.llm.sse import BYTE_ORDER_MARK, SseEvent, SseSplitter
from yeaft.llm.wire_json import is_json

REPLY_LIMIT_BYTES = 64 * 2**20
BLANK_LIMIT_BYTES = 64 * 2**10
"""How much white space may come first, as some servers send it to keep a connection open."""


async def read_reply(chunks: AsyncGenerator[bytes, None], accumulator: Accumulator, hear: Hear) -> Reply:
    """The reply that `chunks` hold; the first bytes decide on its shape, because content types are often wrong.

    Returns at the terminal event, and then leaves the rest of `chunks` unread. `chunks` raise `ModelFailed` when the
    connection breaks; that is passed on unless the terminal event had come.
    """
    head = b""
    shape = None
    async for chunk in chunks:
        head += chunk
        shape = _shape(head)
        if shape is not None:
            break
        if len(head) > BLANK_LIMIT_BYTES:
            raise ModelFailed("protocol", f"The server sent {len(head) >> 10} KiB of nothing but white space.")
    match shape:
        case "events":
            return await _read_events(head, chunks, accumulator, hear)
        case "json":
            return await _read_json(head, chunks, accumulator, hear)
        case "html":
            raise ModelFailed("protocol", "A web page came instead of a reply: is base_url right, is a login needed?")
        case None:
            return accumulator.finish()


def _shape(head: bytes) -> Literal["json", "html", "events"] | None:
    """What a body that begins with `head` is, or None while only white space or half a byte order mark is there."""
    if BYTE_ORDER_MARK.startswith(head):
        return None
    text = head.removeprefix(BYTE_ORDER_MARK).lstrip()
    if not text:
        return None
    return "json" if text[:1] in b"{[" else "html" if text[:1] == b"<" else "events"


async def _read_json(head: bytes, chunks: AsyncGenerator[bytes, None], accumulator: Accumulator, hear: Hear) -> Reply:
    body = bytearray(head)
    async for chunk in chunks:
        body += chunk
        if len(body) > REPLY_LIMIT_BYTES:
            raise ModelFailed("protocol", f"The server sent a reply of more than {REPLY_LIMIT_BYTES >> 20} MiB.")
    if not is_json(bytes(body)):
        raise ModelFailed("truncated", "The server's reply breaks off: it is not a whole JSON object.")
    reply = accumulator.whole(bytes(body))
    for piece in _pieces(reply):
        hear(piece)
    return reply


def _pieces(reply: Reply) -> Iterator[Piece]:
    for item in reply.items:
        if isinstance(item, TextItem) and item.text:
            yield Piece(kind="text", pieces=(item.text,))
        elif isinstance(item, ThinkingItem) and item.text:
            yield Piece(kind="thinking", pieces=(item.text,))
    for index, call in enumerate(reply.calls):
        yield Piece(kind="call", pieces=(call.args_raw,), index=index, tool=call.tool)


async def _read_events(head: bytes, chunks: AsyncGenerator[bytes, None], accumulator: Accumulator, hear: Hear) -> Reply:
    splitter = SseSplitter()
    _tell(splitter.feed(head), accumulator, hear)
    while not accumulator.is_done:
        try:
            chunk = await anext(chunks)
        except (StopAsyncIteration, ModelFailed) as end:
            _tell(splitter.close(), accumulator, hear)
            if isinstance(end, ModelFailed) and not accumulator.is_done:
                raise
            break
        _tell(splitter.feed(chunk), accumulator, hear)
    return accumulator.finish()


def _tell(events: Sequence[SseEvent], accumulator: Accumulator, hear: Hear) -> None:
    """Add `events` up and tell of their pieces, even of those that came before an error."""
    pieces: list[Piece] = []
    try:
        for event in events:
            pieces += accumulator.feed(event)
            if accumulator.is_done:
                break
    finally:
        for piece in _merged(pieces):
            hear(piece)


def _merged(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """One piece for each run of pieces of the same block."""
    start = 0
    for end in range(1, len(pieces) + 1):
        ours = pieces[start]
        if end < len(pieces) and _same_block(ours, pieces[end]):
            continue
        texts = tuple([text for piece in pieces[start:end] for text in piece.pieces])
        yield Piece(kind=ours.kind, pieces=texts, index=ours.index, tool=ours.tool)
        start = end


def _same_block(one: Piece, other: Piece) -> bool:
    return one.kind == other.kind and one.index == other.index and one.tool == other.tool
