"""What is known of one path of a work folder, and the lists of such entries that are kept."""

import os
from collections.abc import Iterable, Mapping
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")
FORMAT = 1
Kind = Literal["file", "link", "folder"]


class Entry(Struct, frozen=True, array_like=True):
    """What stands at a path. `content` is the SHA-256 of a file, the target of a link, empty for a folder."""

    kind: Kind
    mode: int
    content: bytes = b""
    size_bytes: int = 0


class Manifest(Struct, frozen=True, array_like=True):
    """A checkpoint as it is kept: `entries` are what it says, on top of what had been known.

    That is what the manifest `parent` (a digest) leads to or, if that is empty, `base`. One that was `scanned` tells
    with what had been known all that the folder held, but for what its list `skipped` (a digest) names; another one
    speaks only of its own entries. `depth` counts the parents that must be read.
    """

    version: int
    scanned: bool
    parent: bytes
    depth: int
    skipped: bytes
    base: tuple[tuple[bytes, Entry | None], ...]
    entries: tuple[tuple[bytes, Entry | None], ...]


class Skipped(Struct, frozen=True, array_like=True):
    """Paths that a scan did not cover, with what is below them, and why."""

    paths: tuple[tuple[bytes, str], ...] = ()


_encoder = msgspec.msgpack.Encoder()
_manifests = msgspec.msgpack.Decoder(Manifest)
_skipped = msgspec.msgpack.Decoder(Skipped)


def encode_manifest(manifest: Manifest) -> bytes:
    """The bytes that are kept of it."""
    return _encoder.encode(manifest)


def encode_skipped(reasons: Mapping[str, str]) -> bytes:
    """The bytes that are kept of what was skipped; nothing for nothing."""
    return _encoder.encode(Skipped(packed(reasons.items()))) if reasons else b""


def decode_manifest(raw: bytes) -> Manifest | None:
    """What `encode_manifest` made; None for anything else, such as what a newer yeaft wrote."""
    try:
        found = _manifests.decode(raw)
    except msgspec.DecodeError:
        return None
    return found if found.version == FORMAT else None


def decode_skipped(raw: bytes) -> dict[str, str]:
    """What `encode_skipped` was given."""
    return unpacked(_skipped.decode(raw).paths) if raw else {}


def packed(entries: Iterable[tuple[str, T]]) -> tuple[tuple[bytes, T], ...]:
    """Paths as the bytes that the system knows them by, in their order."""
    return tuple(sorted(((os.fsencode(path), what) for path, what in entries), key=lambda one: one[0]))


def unpacked(entries: Iterable[tuple[bytes, T]]) -> dict[str, T]:
    """What `packed` was given."""
    return {os.fsdecode(path): what for path, what in entries}
