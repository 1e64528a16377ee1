"""The copy of a tool result that a model is sent: bounded, with a marker that says what is missing."""

from collections.abc import Mapping

from yeaft.kernel.text import head_bytes, tail_bytes
from yeaft.prompts.fill import fill

SENT_BYTES = 32 * 1024
MARKER_ROOM_BYTES = 512
TAIL_SHARE = 4  # a quarter of what is sent is the end, where errors and summaries stand


def sent_copy(text: str, tool: str, phrases: Mapping[str, str]) -> str:
    """`text` if its UTF-8 form fits in 32 KiB, else its head and tail around a marker, 32 KiB in all."""
    size_bytes = len(text.encode())
    if size_bytes <= SENT_BYTES:
        return text
    room = SENT_BYTES - MARKER_ROOM_BYTES
    tail = tail_bytes(text, room // TAIL_SHARE)
    head = head_bytes(text, room - len(tail.encode()))
    marker = fill(phrases["result_cut"], {"tool": tool, "bytes": str(size_bytes), "limit": str(SENT_BYTES)})
    return f"{head}\n{head_bytes(marker, MARKER_ROOM_BYTES - 2)}\n{tail}"
