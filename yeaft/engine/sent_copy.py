"""The copy of a text that a model is sent: bounded, with a marker that says what is missing."""

from collections.abc import Mapping

from yeaft.kernel.text import head_bytes, tail_bytes
from yeaft.prompts.fill import fill

SENT_BYTES = 32 * 1024
MARKER_ROOM_BYTES = 512
TAIL_SHARE = 4  # a quarter of what is sent is the end, where errors and summaries stand


def sent_copy(text: str, tool: str, phrases: Mapping[str, str], limit_bytes: int = SENT_BYTES) -> str:
    """The result `text` if its UTF-8 form fits in `limit_bytes`, else its head and tail around a marker."""
    size_bytes = _size(text, limit_bytes)
    if size_bytes <= limit_bytes:
        return text
    named = {"tool": tool, "bytes": str(size_bytes), "limit": str(limit_bytes)}
    return _around(text, fill(phrases["result_cut"], named), limit_bytes)


def sent_message(text: str, phrases: Mapping[str, str], limit_bytes: int) -> str:
    """A message cut in the same way: only where it alone does not fit in a model's window."""
    size_bytes = _size(text, limit_bytes)
    if size_bytes <= limit_bytes:
        return text
    named = {"bytes": str(size_bytes), "limit": str(limit_bytes)}
    return _around(text, fill(phrases["message_cut"], named), limit_bytes)


def _size(text: str, limit_bytes: int) -> int:
    """The size in UTF-8; counted only where it matters."""
    return len(text) if 4 * len(text) <= limit_bytes else len(text.encode("utf-8", "surrogatepass"))


def _around(text: str, marker: str, limit_bytes: int) -> str:
    room = max(0, limit_bytes - MARKER_ROOM_BYTES)
    tail = tail_bytes(text, room // TAIL_SHARE)
    head = head_bytes(text, room - len(tail.encode()))
    return f"{head}\n{head_bytes(marker, MARKER_ROOM_BYTES - 2)}\n{tail}"
