"""A reply of many megabytes costs as much per piece at its end as at its beginning, in every protocol."""

import json
import tracemalloc
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from yeaft.llm.accumulator import Accumulator
from yeaft.llm.anthropic_reply import AnthropicReply
from yeaft.llm.responses_reply import ResponsesReply
from yeaft.llm.sse import SseSplitter

PIECES, PIECE = 20_000, "x" * 1024
MOST_BYTES = 2**20
"""Far less than what has come by then, and enough for a list of all pieces to move."""

Json = dict[str, Any]

START = {"type": "message_start", "message": {"id": "m", "model": "c", "content": [], "usage": {"input_tokens": 1}}}
TEXT = {"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": []}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "Bash", "arguments": ""}
STREAMS: dict[str, tuple[Callable[[str], Accumulator], list[Json], Json]] = {
    "text, anthropic": (
        AnthropicReply,
        [START, {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}],
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": PIECE}},
    ),
    "arguments, anthropic": (
        AnthropicReply,
        [
            START,
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "tool_use", "id": "t", "name": "Bash", "input": {}},
            },
        ],
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": PIECE}},
    ),
    "text, responses": (
        ResponsesReply,
        [{"type": "response.output_item.added", "output_index": 0, "item": TEXT}],
        {
            "type": "response.output_text.delta",
            "item_id": "msg_1",
            "output_index": 0,
            "content_index": 0,
            "delta": PIECE,
        },
    ),
    "arguments, responses": (
        ResponsesReply,
        [{"type": "response.output_item.added", "output_index": 0, "item": CALL}],
        {"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 0, "delta": PIECE},
    ),
}


def sse(events: Iterable[Json]) -> bytes:
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)


@pytest.mark.parametrize("stream", STREAMS)
def test_twenty_megabytes_in_pieces_are_put_together_once(stream: str) -> None:
    accumulator, beginning, piece = STREAMS[stream]
    reply, splitter, raw, heard, most_bytes = accumulator("box"), SseSplitter(), sse([piece]), 0, 0
    for event in splitter.feed(sse(beginning)):
        reply.feed(event)

    tracemalloc.start()
    try:
        for _ in range(PIECES):
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            heard += sum(len("".join(one.pieces)) for event in splitter.feed(raw) for one in reply.feed(event))
            most_bytes = max(most_bytes, tracemalloc.get_traced_memory()[1] - before)
    finally:
        tracemalloc.stop()

    assert heard == PIECES * len(PIECE)
    assert most_bytes < MOST_BYTES
