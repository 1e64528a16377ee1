"""Server-sent events out of bytes, in linear time; what an event's data means is left to the wire protocols.

The rules are those of the WHATWG HTML standard, section 9.2.6, with one addition: see `SseSplitter.close`.
"""

from msgspec import Struct

from yeaft.kernel.errors import ModelFailed
from yeaft.llm.wire_json import is_json

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
EVENT_LIMIT_BYTES = 64 * 2**20


class SseEvent(Struct, frozen=True, gc=False):
    """One event: its name (empty if the server gave none) and its `data` lines joined by line feeds."""

    event: str
    data: bytes


class SseSplitter:
    """Cuts a stream of bytes, chunked anywhere, into events."""

    def __init__(self) -> None:
        self._fragments: list[bytes] = []  # of a line that has not ended yet
        self._event = ""
        self._data: list[bytes] = []
        self._size_bytes = 0  # of the unfinished event: its fragments and data
        self._at_start = True
        self._after_cr = False

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The events that `chunk` completes. Raises `ModelFailed` when an event grows past 64 MiB."""
        lines = self._with_line_feeds(chunk).split(b"\n")
        rest = lines.pop()
        events: list[SseEvent] = []
        if lines:
            lines[0] = self._whole(lines[0])
            self._take(lines, events)
        if rest:
            self._fragments.append(rest)
            self._size_bytes += len(rest)
        if self._size_bytes > EVENT_LIMIT_BYTES:
            raise ModelFailed("protocol", f"The server sent an event of more than {EVENT_LIMIT_BYTES >> 20} MiB.")
        return events

    def close(self) -> list[SseEvent]:
        """The last event, if its closing blank line is missing but its data is a whole JSON value.

        The standard drops an event without that line. Some servers leave it out, and as no JSON object is the
        beginning of another, a whole one was not cut.
        """
        events: list[SseEvent] = []
        if self._fragments:
            self._take([self._whole(b"")], events)
        if self._data and is_json(b"\n".join(self._data)):
            self._take([b""], events)
        return events

    def _with_line_feeds(self, chunk: bytes) -> bytes:
        """`chunk` with CRLF and CR as LF; a CR that ends a chunk ends its line at once, a LF after it is skipped."""
        if self._after_cr and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._after_cr = False
        if b"\r" not in chunk:
            return chunk
        self._after_cr = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _whole(self, ending: bytes) -> bytes:
        """The line that ends with `ending`, with the fragments kept of it and without a byte order mark."""
        if self._fragments:
            self._size_bytes -= sum(map(len, self._fragments))
            ending = b"".join([*self._fragments, ending])
            self._fragments.clear()
        if self._at_start:
            self._at_start = False
            ending = ending.removeprefix(BYTE_ORDER_MARK)
        return ending

    def _take(self, lines: list[bytes], events: list[SseEvent]) -> None:
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[6:] if line.startswith(b" ", 5) else line[5:])
                self._size_bytes += len(line)
            elif not line:
                if self._data:
                    data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
                    events.append(SseEvent(self._event, data))
                    self._data.clear()
                self._event = ""
                self._size_bytes = 0
            elif line.startswith(b"event:"):
                self._event = line[6:].removeprefix(b" ").decode("utf-8", "replace")
            elif line == b"data":
                self._data.append(b"")
            elif line == b"event":
                self._event = ""
