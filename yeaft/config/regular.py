"""Reads what a user or a project put where a small file belongs, whatever it turns out to be."""

import errno
import os
import stat
from pathlib import Path

OPEN_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
MIB = 1024 * 1024


def read_regular(path: Path, most_bytes: int) -> bytes:
    """The content of a regular file of at most `most_bytes`; a pipe or a device is never waited for.

    Raises `OSError`, whose `strerror` says what is wrong, also for a larger file and for what is no regular file.
    """
    _check_regular(path, path.stat().st_mode)  # opening a device may already do something
    descriptor = os.open(path, OPEN_FLAGS)
    with os.fdopen(descriptor, "rb") as file:
        _check_regular(path, os.fstat(descriptor).st_mode)
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, f"it is larger than {_size(most_bytes)}", str(path))
    return content


def _check_regular(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))


def _size(size_bytes: int) -> str:
    return f"{size_bytes // MIB} MiB" if size_bytes >= MIB else f"{size_bytes // 1024} KiB"
