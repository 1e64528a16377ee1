"""The list of what is kept, `out/index.json`: read whole, replaced whole, so that it is never half written."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from yeaft.artifacts.artifact import Artifact
from yeaft.artifacts.places import checked_path
from yeaft.config.regular import MIB, read_regular
from yeaft.kernel.errors import BadData, StoreFailed
from yeaft.store.filesystem import sync_path

INDEX_NAME = "index.json"
NEW = ".new-"
"""How files begin that are being written; after a crash one may be left, which the next one to write takes away."""
PRIVATE_FILE = 0o600
LARGEST_BYTES = 256 * MIB
"""No list of `keeping.MOST_ARTIFACTS` comes near this; without a bound a device in its place would fill the memory."""


def read_index(out: Path) -> dict[str, Artifact]:
    """Return what is kept below `out` by its path, in the order in which it was kept; nothing where there is none.

    Raises `StoreFailed` if the file is not what `write_index` writes.
    """
    path = out / INDEX_NAME
    try:
        found = msgspec.json.decode(read_regular(path, LARGEST_BYTES), type=dict[str, Artifact])
        return {checked_path(key): replace(one, path=key) for key, one in found.items()}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise StoreFailed(f"{path} cannot be read: {error.strerror}. Check its permissions.") from error
    except (msgspec.DecodeError, BadData) as error:
        raise StoreFailed(
            f"{path} is no list of artifacts: {error}. The files beside it are as they were; restore it from a copy, "
            "or delete it and add them again."
        ) from error


def write_index(out: Path, artifacts: Mapping[str, Artifact]) -> None:
    """Replace the list. Raises `OSError`; then the one before is still there."""
    bare = {key: replace(one, path="") for key, one in artifacts.items()}
    content = msgspec.json.format(msgspec.json.encode(bare), indent=1) + b"\n"
    write_whole(out / INDEX_NAME, content)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under another name and move it to its place when it is on the disk. Raises `OSError`."""
    temporary = path.with_name(f"{NEW}{secrets.token_hex(8)}")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(temporary, flags, PRIVATE_FILE), "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
        sync_path(path.parent)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def clear_unfinished(folder: Path) -> None:
    """Take away what a process that died while it wrote has left; only for whoever holds the lock."""
    for left in folder.glob(f"{NEW}*"):
        with contextlib.suppress(OSError):
            left.unlink()
