"""What a command printed: its beginning and its end in memory, all of it in a log, and a clean copy for the model."""

import asyncio
import codecs
import re
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from yeaft.kernel.pattern import Pattern

STREAM_LIMIT_BYTES = 256 * 1024
LOG_LIMIT_BYTES = 100 * 1024 * 1024
LOG_FULL = b"\n[the log ends here: it reached 100 MB]\n"
SHOW_EVERY_S = 0.05
SHOWN_CHARS = 8 * 1024

_ESCAPES = Pattern(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b[\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)"  # OSC, DCS and their like: titles, links
    r"|\x1b[ -/]*[0-~]"  # two-character escapes, character sets
)
_OVERWRITTEN = Pattern(r"^[^\n]*\r(?=[^\r\n])", re.MULTILINE)
_OVERSTRUCK = Pattern(r"[^\n]\x08")
_CONTROLS = Pattern(r"[\x00-\x08\x0b-\x1f\x7f]")


def cleaned(text: str) -> str:
    """`text` as a person would have read it in the end: no colours, of a progress line only its last state."""
    if not _CONTROLS.search(text):
        return text
    text = _ESCAPES.sub("", text).replace("\r\n", "\n")
    return _CONTROLS.sub("", _OVERSTRUCK.sub("", _OVERWRITTEN.sub("", text)))


class Captured:
    """One stream of a command; what exceeds the limit is kept only at both ends."""

    def __init__(self, limit_bytes: int = STREAM_LIMIT_BYTES) -> None:
        self._head_limit = limit_bytes // 2
        self._tail_limit = limit_bytes - self._head_limit
        self._head = bytearray()
        self._tail = bytearray()
        self._size_bytes = 0

    def take(self, chunk: bytes) -> None:
        """Add what the command printed next."""
        self._size_bytes += len(chunk)
        room = self._head_limit - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 2 * self._tail_limit:
            del self._tail[: -self._tail_limit]

    @property
    def left_out_bytes(self) -> int:
        """How much of the middle was not kept."""
        return max(0, self._size_bytes - self._head_limit - self._tail_limit)

    def text(self) -> str:
        """The clean copy; a sentence stands where the middle was left out."""
        head, tail = bytes(self._head), bytes(self._tail[-self._tail_limit :])
        if not self.left_out_bytes:
            return cleaned((head + tail).decode("utf-8", "replace"))
        seam = f"\n[... {self.left_out_bytes} bytes left out here ...]\n"
        return cleaned(head.decode("utf-8", "replace")) + seam + cleaned(tail.decode("utf-8", "replace"))


class Log:
    """The file that gets both streams as they come, so that they outlive yeaft; made when there is something to write.

    A disk that is full or gone must not end the command: the log then simply stops.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: BinaryIO | None = None
        self._room_bytes = LOG_LIMIT_BYTES

    def take(self, chunk: bytes) -> None:
        """Write what the command printed next, up to the limit."""
        if self._room_bytes <= 0:
            return
        fits = len(chunk) <= self._room_bytes
        try:
            if self._file is None:
                self._file = self.path.open("ab", buffering=0)
            self._file.write(chunk if fits else chunk[: self._room_bytes] + LOG_FULL)
        except OSError:
            self._room_bytes = 0
            return
        self._room_bytes -= len(chunk)

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._file is not None:
            self._file.close()


class Live:
    """Shows output while the command runs: at most 20 times a second, and of a flood only the newest part."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._waiting = ""
        self._timer: asyncio.TimerHandle | None = None

    def take(self, chunk: bytes) -> None:
        """Add what the command printed next."""
        self._waiting = (self._waiting + self._decoder.decode(chunk[-SHOWN_CHARS:]))[-SHOWN_CHARS:]
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SHOW_EVERY_S, self.flush)

    def flush(self) -> None:
        """Show what is waiting."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        text, self._waiting = cleaned(self._waiting), ""
        if text:
            self._show(text)
