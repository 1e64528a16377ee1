"""Writes the log of a task to standard output, byte for byte, and follows it while it grows."""

from __future__ import annotations

import codecs
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

from yeaft.store.task_files import TaskRecord, log_of
from yeaft.store.task_log import offset_of_last_lines, read_log
from yeaft.tools.shell.captured import cleaned
from yeaft.tools.shell.task_fate import fate

STDOUT = 1
CHUNK_BYTES = 256 * 1024
FIRST_LOOK_S, SLOWEST_LOOK_S = 0.02, 0.2

_UNFINISHED_ESCAPE = re.compile(r"\x1b[^a-zA-Z~\x07]{0,64}$")
Write = Callable[[bytes], None]


def put_log(place: Path, record: TaskRecord, *, lines: int | None, follow: bool) -> int:
    """Write the log, or its last `lines`; with `follow` go on until the task has ended and all of it is written.

    Returns how many bytes were gone before they could be written: of a log without bounds only the end is kept.
    """
    log = log_of(place, record)
    write = _to_terminal() if os.isatty(STDOUT) else _to_pipe
    offset = 0 if lines is None else offset_of_last_lines(log, lines)
    lost_bytes, pause_s = 0, FIRST_LOOK_S
    while True:
        current = fate(place)  # before reading, so that what is read after the end is all there is
        portion = read_log(log, offset, CHUNK_BYTES)
        lost_bytes += portion.offset - offset
        offset = portion.next_offset
        write(portion.content)
        if offset < portion.end:
            continue
        if not follow or current is None or current.state != "running":
            return lost_bytes
        pause_s = FIRST_LOOK_S if portion.content else min(pause_s * 2, SLOWEST_LOOK_S)
        time.sleep(pause_s)


def _to_pipe(content: bytes) -> None:
    if content:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def _to_terminal() -> Write:
    """A terminal is spared what would drive it; an escape sequence that is cut in two is put together first."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    held_back = ""

    def write(content: bytes) -> None:
        nonlocal held_back
        text = held_back + decoder.decode(content)
        unfinished = _UNFINISHED_ESCAPE.search(text)
        end = unfinished.start() if unfinished else len(text)
        held_back = text[end:]
        sys.stdout.write(cleaned(text[:end]))
        sys.stdout.flush()

    return write
