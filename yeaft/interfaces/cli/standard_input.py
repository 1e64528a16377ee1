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

WAITING = "waiting for standard input … (</dev/null ends this)"
READY_S = 0.1
HINT_AFTER_S = 1.0
LIMIT_BYTES = 4 * 1024 * 1024
ATTACHED_BYTES = 10 * 1024 * 1024
"""The limit for a picture or document."""
CHUNK_BYTES = 65536
FIRST_BYTES = frozenset((b"\x89", b"\xff", b"G", b"R", b"%"))
"""What the files begin with that can be attached."""
Kind = Literal["none", "terminal", "empty", "data", "silent", "shared", "late"]


class Piped(Struct, frozen=True, kw_only=True):
    """What came in.

    `silent` is an open pipe that nobody seems to write to, `shared` one (or a file) that a loop around us reads line
    by line; both were left alone. `late` did not end within the time limit. `cut` says that there was more than
    `LIMIT_BYTES`, `mended` that bytes were no UTF-8. `content` is a picture or PDF document, to be attached.
    """

    kind: Kind
    text: str = ""
    content: bytes = b""
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
    `BadData` for binary input that is neither a picture nor a PDF document.
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
    while size_bytes <= (ATTACHED_BYTES if chunks and _suffix(chunks[0]) else LIMIT_BYTES):
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
    if _suffix(raw):
        if len(raw) > ATTACHED_BYTES:
            raise BadData(f"Standard input is a file of more than {ATTACHED_BYTES // 2**20} MiB; that is too large.")
        return Piped(kind="data", content=raw)
    if b"\0" in raw:
        raise BadData("Standard input is binary. Give text, a picture or a PDF document, or name the file.")
    cut = len(raw) > LIMIT_BYTES
    try:
        return Piped(kind="data", text=_text(raw[:LIMIT_BYTES], "strict", cut), cut=cut)
    except UnicodeDecodeError:
        return Piped(kind="data", text=_text(raw[:LIMIT_BYTES], "replace", cut), cut=cut, mended=True)


def piped_name(content: bytes) -> str:
    """Return what a picture or document from standard input is called."""
    return f"stdin{_suffix(content)}"


def _suffix(raw: bytes) -> str:
    """The ending for a file that begins like this; empty for what is neither a picture nor a PDF document."""
    if raw[:1] not in FIRST_BYTES:
        return ""
    from yeaft.tools.files.pdf_text import is_pdf
    from yeaft.tools.pictures.picture_kinds import shown_kind

    kind = "pdf" if is_pdf(raw) else shown_kind(raw)
    return f".{kind}" if kind else ""


def _text(raw: bytes, errors: str, cut: bool) -> str:
    """Decode; a last character that the cut went through is left out."""
    return codecs.getincrementaldecoder("utf-8")(errors).decode(raw, final=not cut)


def _is_ready(descriptor: int, timeout_s: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP)
    return bool(poll.poll(None if timeout_s == math.inf else timeout_s * 1000))
