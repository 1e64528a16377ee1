"""What standard input has to say to a one-shot prompt, without ever waiting for nobody."""

from __future__ import annotations

import os
import select
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from msgspec import Struct

from yeaft.kernel.errors import BadData

READY_MS = 100
HINT_AFTER_MS = 1000
LIMIT_BYTES = 4 * 1024 * 1024
CHUNK_BYTES = 65536
Kind = Literal["none", "terminal", "empty", "data", "silent"]


class Piped(Struct, frozen=True, kw_only=True):
    """What came in. `silent` means an open pipe that nobody seems to write to was left alone."""

    kind: Kind
    text: str = ""
    cut: bool = False


def read_piped(*, wait: bool, has_prompt: bool, on_waiting: Callable[[], None], descriptor: int = 0) -> Piped:
    """Read standard input by DECISIONS' rules.

    A file or anything that ends is read whole. A pipe that has nothing after 100 ms is waited for only if `wait`, if
    there is no prompt to go on with, or if a process outside our ancestors could still write to it; `on_waiting` is
    called once after a second of that. Raises `BadData` for binary input.
    """
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return Piped(kind="none")
    if os.isatty(descriptor):
        return Piped(kind="terminal")
    if stat.S_ISCHR(mode):
        return Piped(kind="empty")
    is_stream = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
    if is_stream and not _is_ready(descriptor, READY_MS):
        if not (wait or not has_prompt or _has_foreign_writer(descriptor)):
            return Piped(kind="silent")
        if not _is_ready(descriptor, HINT_AFTER_MS):
            on_waiting()
    return _decoded(_read_all(descriptor))


def _read_all(descriptor: int) -> bytes:
    chunks: list[bytes] = []
    size_bytes = 0
    while size_bytes <= LIMIT_BYTES and (chunk := os.read(descriptor, CHUNK_BYTES)):
        chunks.append(chunk)
        size_bytes += len(chunk)
    return b"".join(chunks)


def _decoded(raw: bytes) -> Piped:
    if not raw.strip():
        return Piped(kind="empty")
    if b"\0" in raw[:CHUNK_BYTES]:
        raise BadData("Standard input is binary. Give text, or name the file in the prompt.")
    cut = len(raw) > LIMIT_BYTES
    return Piped(kind="data", text=raw[:LIMIT_BYTES].decode("utf-8", "replace"), cut=cut)


def _is_ready(descriptor: int, timeout_ms: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP)
    return bool(poll.poll(timeout_ms))


def _has_foreign_writer(descriptor: int) -> bool:
    """Whether a process that is not one of our ancestors holds the write end of the pipe open.

    A shell pipeline's producer is our sibling; an inherited pipe of a CI runner or ssh is held by ancestors only.
    Where /proc tells nothing, the pipe counts as inherited.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        pipe = str(Path(f"/proc/self/fd/{descriptor}").readlink())
        ours = _ancestors()
        pids = [int(place.name) for place in Path("/proc").iterdir() if place.name.isdigit()]
    except OSError:
        return False
    return any(pid not in ours and _writes_to(pid, pipe) for pid in pids)


def _ancestors() -> set[int]:
    found, pid = set[int](), os.getpid()
    while pid > 0 and pid not in found:
        found.add(pid)
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            break
    return found


def _writes_to(pid: int, pipe: str) -> bool:
    try:
        descriptors = list(Path(f"/proc/{pid}/fd").iterdir())
        return any(str(one.readlink()) == pipe and _is_writable(pid, one.name) for one in descriptors)
    except OSError:
        return False


def _is_writable(pid: int, number: str) -> bool:
    for line in Path(f"/proc/{pid}/fdinfo/{number}").read_text().splitlines():
        if line.startswith("flags:"):
            return int(line.split()[1], 8) & os.O_ACCMODE in (os.O_WRONLY, os.O_RDWR)
    return False
