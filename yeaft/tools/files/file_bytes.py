"""Reading a regular file whole: never through a link that appeared after resolving, never from a pipe or device."""

import contextlib
import hashlib
import os
import stat
from pathlib import Path

from yeaft.kernel.errors import ToolFailed

LIMIT_BYTES = 10 * 1024 * 1024
INLINE_BYTES = 256 * 1024
NEIGHBOURS = 2000


def sha256_of(content: bytes | None) -> str:
    """The hash as `Intent` and `FileFact` write it; empty for no file."""
    return "" if content is None else hashlib.sha256(content).hexdigest()


def size_of(path: Path) -> int:
    """Bytes of the file at `path`, 0 if there is none; decides whether the work goes to a thread."""
    with contextlib.suppress(OSError):
        return path.lstat().st_size
    return 0


def read_file(path: Path, shown: str, limit_bytes: int = LIMIT_BYTES) -> bytes:
    """The content of the regular file at the resolved `path`.

    Raises `ToolFailed`, naming the file as `shown`, if it is missing (with the nearest name), a folder, not a regular
    file, not readable or larger than `limit_bytes`.
    """
    content = read_if_there(path, shown, limit_bytes)
    if content is None:
        raise ToolFailed(f"No file {shown}.{_nearest_name(path)}")
    return content


def read_if_there(path: Path, shown: str, limit_bytes: int = LIMIT_BYTES) -> bytes | None:
    """Like `read_file`, but None when nothing is there."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except NotADirectoryError as error:
        raise ToolFailed(f"No file {shown}: a part of that path is a file, not a folder.") from error
    except OSError as error:
        raise ToolFailed(f"Cannot read {shown}: {error.strerror}.") from error
    try:
        _refuse_special(os.fstat(descriptor), shown, limit_bytes)
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            content = stream.read(limit_bytes + 1)
    except OSError as error:
        raise ToolFailed(f"Cannot read {shown}: {error.strerror}.") from error
    finally:
        os.close(descriptor)
    if len(content) > limit_bytes:
        raise ToolFailed(f"{shown} grew over {limit_bytes:,} bytes while it was read; use Grep or Bash.")
    return content


def _refuse_special(status: os.stat_result, shown: str, limit_bytes: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise ToolFailed(f"{shown} is a folder; use ListDir or Glob.")
    if not stat.S_ISREG(status.st_mode):
        raise ToolFailed(f"{shown} is a pipe, socket or device, not a file with content.")
    if status.st_size > limit_bytes:
        raise ToolFailed(f"{shown} has {status.st_size:,} bytes, the limit is {limit_bytes:,}; use Grep or Bash.")


def _nearest_name(path: Path) -> str:
    """A sentence with the name in the same folder that is most like the missing one, if any is."""
    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for entry, _ in zip(entries, range(NEIGHBOURS), strict=False)]
    except OSError:
        return f" The folder {path.parent} does not exist either."
    import difflib

    by_folded = {name.casefold(): name for name in names}
    near = difflib.get_close_matches(path.name.casefold(), by_folded, n=1, cutoff=0.7)
    return f" Did you mean {by_folded[near[0]]} in the same folder?" if near else ""
