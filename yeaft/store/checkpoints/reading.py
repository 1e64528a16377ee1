"""Reads what stands at one path, never through a link and never waiting, and knows when it may be trusted unread."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import msgspec

from yeaft.store.checkpoints.entries import Entry

OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
PERMISSIONS = 0o7777
FINE_NS, COARSE_NS = 100_000_000, 2_000_000_000
"""How long after a change another one may bear the same time: on most file systems, on those that count seconds."""
SECOND_NS = 1_000_000_000

Reason = Literal["special", "unreadable", "too large", "no space left", "ignored", "cache", "git", "yeaft", "changing"]
LEFT_OUT: tuple[Reason, ...] = ("ignored", "cache", "yeaft")
"""The reasons of a scan for not even trying."""
Keep = Callable[[bytes, bytes], bool]
"""Keeps content under its digest; False if there is no space for it."""


class Stamp(NamedTuple):
    """By what a file is known to be unchanged; `mode` with the kind of file."""

    mode: int
    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Seen(NamedTuple):
    """What was read at a path. `stamp` is None if it changed so lately that it has to be read again next time."""

    entry: Entry
    stamp: Stamp | None


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(list[tuple[bytes, Seen]])


def encode_seen(seen: Mapping[str, Seen]) -> bytes:
    """What was seen, for a later process; what has to be read again anyway is left out."""
    return _encoder.encode([(os.fsencode(path), one) for path, one in seen.items() if one.stamp is not None])


def decode_seen(raw: bytes) -> dict[str, Seen]:
    """What `encode_seen` was given; nothing for what it did not make."""
    try:
        return {os.fsdecode(path): one for path, one in _decoder.decode(raw)}
    except msgspec.DecodeError:
        return {}


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp of what was looked at."""
    return Stamp(status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def settled(stamp: Stamp, now_ns: int) -> Stamp | None:
    """The stamp if a later change will show in it; None if what it is of may still change within the same tick."""
    newest = max(stamp.mtime_ns, stamp.ctime_ns)
    tick_ns = FINE_NS if stamp.ctime_ns % SECOND_NS else COARSE_NS
    return stamp if newest + tick_ns < now_ns else None


def read_entry(path: str, stamp: Stamp, now_ns: int, limit_bytes: int, keep: Keep) -> Seen | Reason | None:
    """What stands at the absolute `path`, its content kept; a reason if that cannot be; None if nothing is there.

    `stamp` is that of the path a moment ago, `now_ns` the time before it was taken.
    """
    if stat.S_ISDIR(stamp.mode):
        return Seen(Entry("folder", stamp.mode & PERMISSIONS), settled(stamp, now_ns))
    try:
        if stat.S_ISLNK(stamp.mode):
            return Seen(Entry("link", 0, _target(path)), settled(stamp, now_ns))
        return _read_file(path, stamp, now_ns, limit_bytes, keep) if stat.S_ISREG(stamp.mode) else "special"
    except FileNotFoundError:
        return None
    except OSError:
        return "unreadable"


def _target(path: str) -> bytes:
    """The target of a link exactly as it is written, which a `Path` would tidy up."""
    folder, _, name = path.rpartition("/")
    descriptor = os.open(folder or "/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return os.fsencode(os.readlink(name, dir_fd=descriptor))
    finally:
        os.close(descriptor)


def _read_file(path: str, stamp: Stamp, now_ns: int, limit_bytes: int, keep: Keep) -> Seen | Reason:
    if stamp.size_bytes > limit_bytes:
        return "too large"
    descriptor = os.open(path, OPEN)
    try:
        before = stamp_of(os.fstat(descriptor))
        if not stat.S_ISREG(before.mode):
            return "special"
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            content = stream.read(before.size_bytes + 1)  # room for the limit would take longer than most files
            if len(content) > before.size_bytes:
                content += stream.read(limit_bytes + 1 - len(content))
        after = stamp_of(os.fstat(descriptor))
    finally:
        os.close(descriptor)
    if len(content) > limit_bytes:
        return "too large"
    digest = hashlib.sha256(content).digest()
    if not keep(digest, content):
        return "no space left"
    entry = Entry("file", after.mode & PERMISSIONS, digest, len(content))
    return Seen(entry, settled(after, now_ns) if before == after == stamp else None)
