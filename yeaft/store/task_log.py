"""Reads the log of a task, also while it is written and rotated, by offsets that count from its very first byte.

The writer renames a full `log` to `log.N` and removes `log.N-1`. All full segments have the same size, so the name and
the size of the newest one tell how many bytes came before `log`.
"""

import contextlib
import os
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

TRIES = 20
BLOCK_BYTES = 64 * 1024


class Portion(Struct, frozen=True, kw_only=True):
    """A piece of a log: where it begins, its bytes, and where the log ended then.

    `offset` is greater than the one asked for if the bytes there are gone.
    """

    offset: int
    content: bytes
    end: int

    @property
    def next_offset(self) -> int:
        """Where to read on."""
        return self.offset + len(self.content)


class _Open(Struct, frozen=True, kw_only=True):
    """The parts of a log that are there, oldest first, each with the offset at which it begins."""

    parts: tuple[tuple[int, BinaryIO], ...]
    end: int


def read_log(path: Path, offset: int, limit_bytes: int) -> Portion:
    """At most `limit_bytes` from `offset`, or from the first byte that is still there. A missing log is empty."""
    with _opened(path) as log:
        return _portion(log, offset, limit_bytes)


def read_tail(path: Path, limit_bytes: int) -> Portion:
    """The last `limit_bytes` of a log."""
    with _opened(path) as log:
        return _portion(log, max(0, log.end - limit_bytes), limit_bytes)


def offset_of_last_lines(path: Path, lines: int) -> int:
    """Where the last `lines` lines begin; a line without an end counts."""
    with _opened(path) as log:
        start = log.parts[0][0] if log.parts else log.end
        if lines <= 0:
            return log.end
        place, missing = log.end, lines
        while place > start:
            block = _portion(log, max(start, place - BLOCK_BYTES), min(BLOCK_BYTES, place - start))
            content = block.content[:-1] if place == log.end and block.content.endswith(b"\n") else block.content
            found = content.count(b"\n")
            if found >= missing:
                for _ in range(missing - 1):
                    content = content[: content.rindex(b"\n")]
                return block.offset + content.rindex(b"\n") + 1
            missing -= found
            place = block.offset
        return start


def _portion(log: _Open, offset: int, limit_bytes: int) -> Portion:
    first = log.parts[0][0] if log.parts else log.end
    offset = min(max(offset, first), log.end)
    content = b""
    for begins_at, file in log.parts:
        if len(content) < limit_bytes and offset + len(content) >= begins_at:
            file.seek(offset + len(content) - begins_at)
            content += file.read(min(limit_bytes - len(content), log.end - offset - len(content)))
    return Portion(offset=offset, content=content, end=log.end)


@contextlib.contextmanager
def _opened(path: Path) -> Generator[_Open]:
    with contextlib.ExitStack() as files:
        number, before, current = _files_of_one_moment(path, files)
        before_bytes = os.fstat(before.fileno()).st_size if before else 0
        base = number * before_bytes
        parts = [(base - before_bytes, before)] if before else []
        parts += [(base, current)] if current else []
        yield _Open(parts=tuple(parts), end=base + (os.fstat(current.fileno()).st_size if current else 0))


def _files_of_one_moment(path: Path, files: contextlib.ExitStack) -> tuple[int, BinaryIO | None, BinaryIO | None]:
    """The number of full segments, the newest of them, and the log; no rotation has come in between."""
    tries = 0
    while True:
        number = _newest_segment(path)
        before = _file(path.with_name(f"{path.name}.{number}"), files) if number else None
        current = _file(path, files)
        tries += 1
        is_whole = _newest_segment(path) == number and (before is not None or not number)
        if is_whole or tries == TRIES:
            return number, before, current


def _newest_segment(path: Path) -> int:
    """The number of the newest full segment; 0 if there is none."""
    suffixes = (entry.name.removeprefix(f"{path.name}.") for entry in path.parent.glob(f"{path.name}.*"))
    return max((int(suffix) for suffix in suffixes if suffix.isdigit()), default=0)


def _file(path: Path, files: contextlib.ExitStack) -> BinaryIO | None:
    try:
        return files.enter_context(path.open("rb", buffering=0))
    except OSError:
        return None
