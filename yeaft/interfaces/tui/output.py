"""What is written to the terminal, by a thread of its own: who draws never waits for a terminal that takes nothing."""

from __future__ import annotations

import io
import os
import re
import selectors
from collections import deque
from threading import Condition, Lock, Thread
from typing import TYPE_CHECKING, NamedTuple

from yeaft.interfaces.tui.ascii_text import in_ascii

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_WAITING_BYTES = 2**16
"""While so much waits, nothing is drawn: it would be old by the time it is seen."""
STEP_BYTES = 2**12
"""About so much is written at a time, up to where a sequence begins."""
PATIENCE_S = 10.0
"""A terminal that takes nothing for so long is not waited for."""
LAST_PATIENCE_S = 5.0
"""Likewise where the process has to end at once."""
ESCAPE, END_OF_STRING = b"\x1b", b"\x1b\\"
TAKE_KEYS, GIVE_KEYS = re.compile(rb"\x1b\[>\d+u"), b"\x1b[<u"
"""The terminal keeps a stack of how keys are told (the kitty protocol): who takes one off too many takes another's."""


class _Piece(NamedTuple):
    raw: bytes
    is_frame: bool = False
    is_last: bool = False


class Output(io.TextIOWrapper):
    """Standard output as the driver writes it: in order, and each piece whole. Nothing here waits but `is_written`.

    Once the terminal is gone, writing does nothing. A terminal that `is_plain` gets ASCII alone, in as many columns.
    `on_room` is called by the thread.
    """

    def __init__(self, descriptor: int, *, is_plain: bool, on_room: Callable[[], None]) -> None:
        super().__init__(io.BufferedWriter(io.FileIO(descriptor, "wb", closefd=False)), encoding="utf-8")
        self._descriptor = descriptor
        self._is_plain = is_plain
        self._on_room = on_room
        self._changed = Condition(Lock())
        self._waiting = deque[_Piece]()
        self._waiting_bytes = self._steps = self._keys_taken = 0
        self._is_writing = self._is_full = self._is_cut = self._is_gone = False
        Thread(target=self._write_all, name="terminal-output", daemon=True).start()

    def write(self, text: str, /) -> int:
        """Have `text` written."""
        self._add(_Piece(self._encoded(text)))
        return len(text)

    def draw(self, frame: str) -> None:
        """Have a frame written, unless it waits when `drop_frames` is called."""
        self._add(_Piece(self._encoded(frame), is_frame=True))

    def has_room(self) -> bool:
        """Whether a frame could be seen soon; if not, `on_room` is called once nothing waits any more."""
        with self._changed:
            self._is_full = self._is_full or self._waiting_bytes > MOST_WAITING_BYTES
            return not self._is_full

    def drop_frames(self) -> None:
        """Let what is drawn but not written be seen by nobody: the terminal is about to be another's."""
        with self._changed:
            self._waiting = deque(piece for piece in self._waiting if not piece.is_frame)
            self._waiting_bytes = sum(len(piece.raw) for piece in self._waiting)
            self._is_full = False

    def end(self, last: bytes) -> None:
        """Write nothing of what waits, not even the rest of a piece, but `last`; do not wait long for that.

        It gives the keys back only if they are still taken by then.
        """
        with self._changed:
            self._waiting.clear()
            self._waiting_bytes, self._is_full, self._is_cut = 0, False, self._is_writing
        self._add(_Piece(END_OF_STRING + last, is_last=True))
        self.is_written(LAST_PATIENCE_S)

    @property
    def is_idle(self) -> bool:
        """Whether all is written."""
        with self._changed:
            return not (self._waiting or self._is_writing)

    def is_written(self, patience_s: float = PATIENCE_S) -> bool:
        """Wait until all is written; give up once the terminal has taken nothing for so long, and say so."""
        with self._changed:
            while self._waiting or self._is_writing:

                def has_moved(before: int = self._steps) -> bool:
                    return self._steps != before

                if not self._changed.wait_for(has_moved, patience_s):
                    return False
        return True

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._descriptor

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return os.isatty(self._descriptor)

    def _encoded(self, text: str) -> bytes:
        return (in_ascii(text) if self._is_plain else text).encode("utf-8", "replace")

    def _add(self, piece: _Piece) -> None:
        with self._changed:
            self._waiting.append(piece)
            self._waiting_bytes += len(piece.raw)
            self._changed.notify_all()

    def _write_all(self) -> None:
        """Write what comes, one piece after the other, as long as the process lives."""
        while True:
            if self._has_room_again():
                self._on_room()
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                piece = self._waiting.popleft()
                self._waiting_bytes -= len(piece.raw)
                self._is_writing, self._is_cut = True, False
            has_keys = self._keys_taken > 0
            self._put(piece.raw.replace(GIVE_KEYS, b"") if piece.is_last and not has_keys else piece.raw)
            with self._changed:
                self._is_writing = False
                self._step()

    def _has_room_again(self) -> bool:
        """Whether nothing waits any more, and there was no room before."""
        with self._changed:
            was_full, self._is_full = self._is_full, self._is_full and bool(self._waiting)
            return was_full and not self._is_full

    def _put(self, raw: bytes) -> None:
        at = 0
        while at < len(raw) and not (self._is_gone or self._is_cut):
            until = raw.rfind(ESCAPE, at + 1, at + STEP_BYTES)
            try:
                at += os.write(self._descriptor, raw[at : until if until > 0 else at + STEP_BYTES])
            except BlockingIOError:
                self._wait()
            except OSError:
                self._is_gone = True
            with self._changed:
                self._step()
        self._keys_taken += len(TAKE_KEYS.findall(raw, 0, at)) - raw.count(GIVE_KEYS, 0, at)

    def _step(self) -> None:
        self._steps += 1
        self._changed.notify_all()

    def _wait(self) -> None:
        """Wait until the terminal takes more: somebody has made the descriptor non-blocking."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._descriptor, selectors.EVENT_WRITE)
            selector.select()
