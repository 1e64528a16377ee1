"""What standard input has to say to a one-shot prompt, without ever waiting for nobody."""

from __future__ import annotations

import codecs
import math
import os
import select
import stat
import time
from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from yeaft.interfaces.cli.pipe_neighbours import has_other_writer, is_read_by_parent
from yeaft.kernel.errors import BadData

READY_S = 0.1
HINT_AFTER_S = 1.0
LIMIT_BYTES = 4 * 1024 * 1024
CHUNK_BYTES = 65536
Kind = Literal["none", "terminal", "empty", "data", "silent", "shared", "late"]


class Piped(Struct, frozen=True, kw_only=True):
    """What came in.

    `silent` is an open pipe that nobody seems to write to, `shared` one (or a file) that a loop around us reads line
    by line; both were left alone. `late` did not end within the time limit. `cut` says that there was more than
    `LIMIT_BYTES`, `mended` that bytes were no UTF-8.
    """

    kind: Kind
    text: str = ""
    cut: bool = False
    mended: bool = False


def read_piped(
    *,
    wait: bool,
    has_prompt: bool,
    on_waiting: Callable[[], None],
    timeout_s: float | None = None,
    descriptor: int = 0,
) -> Piped:
    """Read standard input if it is meant for us.

    With a prompt to go on with, and unless the user said `wait`, a terminal and what others read is left alone, and a
    pipe that has nothing after 100 ms is waited for only if a process outside our ancestors could still write to it.
    Anything else is read to its end. `on_waiting` is called once, after the first second without anything. Raises
    `BadData` for binary input.
    """
    mode = os.fstat(descriptor).st_mode
    if os.isatty(descriptor):
        if not wait:
            return Piped(kind="terminal")
    elif stat.S_ISCHR(mode):
        return Piped(kind="empty")
    if has_prompt and not wait:
        if _is_shared(descriptor, mode):
            return Piped(kind="shared")
        is_stream = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
        if is_stream and not _is_ready(descriptor, READY_S) and not has_other_writer(descriptor):
            return Piped(kind="silent")
    raw = _read_all(descriptor, on_waiting, timeout_s)
    return Piped(kind="late") if raw is None else _decoded(raw)


def _is_shared(descriptor: int, mode: int) -> bool:
    if stat.S_ISREG(mode):
        return os.lseek(descriptor, 0, os.SEEK_CUR) > 0
    return stat.S_ISFIFO(mode) and is_read_by_parent(descriptor)


def _read_all(descriptor: int, on_waiting: Callable[[], None], timeout_s: float | None) -> bytes | None:
    """Read to the end or the limit; None if the time is over before."""
    deadline_s = None if timeout_s is None else time.monotonic() + timeout_s
    chunks: list[bytes] = []
    size_bytes, has_hinted = 0, False
    while size_bytes <= LIMIT_BYTES:
        left_s = math.inf if deadline_s is None else deadline_s - time.monotonic()
        if left_s <= 0:
            return None
        if not _is_ready(descriptor, left_s if has_hinted else min(left_s, HINT_AFTER_S)):
            if not has_hinted and left_s > HINT_AFTER_S:
                on_waiting()
            has_hinted = True
            continue
        chunk = _read(descriptor)
        if not chunk:
            break
        chunks.append(chunk)
        size_bytes += len(chunk)
    return b"".join(chunks)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, CHUNK_BYTES)
    except OSError as error:
        raise BadData(f"Standard input cannot be read: {error.strerror}. </dev/null does without it.") from error


def _decoded(raw: bytes) -> Piped:
    if not raw.strip():
        return Piped(kind="empty")
    if b"\0" in raw:
        raise BadData("Standard input is binary. Give text, or name the file in the prompt.")
    cut = len(raw) > LIMIT_BYTES
    try:
        return Piped(kind="data", text=_text(raw[:LIMIT_BYTES], "strict", cut), cut=cut)
    except UnicodeDecodeError:
        return Piped(kind="data", text=_text(raw[:LIMIT_BYTES], "replace", cut), cut=cut, mended=True)


def _text(raw: bytes, errors: str, cut: bool) -> str:
    """Decode; a last character that the cut went through is left out."""
    return codecs.getincrementaldecoder("utf-8")(errors).decode(raw, final=not cut)


def _is_ready(descriptor: int, timeout_s: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP)
    return bool(poll.poll(None if timeout_s == math.inf else timeout_s * 1000))
