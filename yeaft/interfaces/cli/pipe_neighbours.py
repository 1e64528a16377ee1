"""Who else is at the other or the same end of a pipe on standard input, as far as /proc tells."""

import os
import sys
from pathlib import Path


def has_other_writer(descriptor: int) -> bool:
    """Whether a process that is not one of our ancestors holds the write end of the pipe open.

    A shell pipeline's producer is our sibling; an inherited pipe of a CI runner or ssh is held by ancestors only.
    Where /proc tells nothing, the pipe counts as inherited.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        pipe = Path(f"/proc/self/fd/{descriptor}").readlink()
        pids = {int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()}
    except OSError:
        return False
    return any(_writes_to(pid, pipe) for pid in pids - _ancestors())


def is_read_by_parent(descriptor: int) -> bool:
    """Whether a shell loop such as `cmd | while read l; do yeaft -p "$l"; done` takes its lines from the same pipe.

    The loop runs in a subshell, which is a fork of the shell that has not become another program. It has the pipe as
    its standard input too, and it has read something since it was forked. `{ yeaft -p "sum up"; }` has not.
    """
    if not sys.platform.startswith("linux"):
        return False
    parent = os.getppid()
    try:
        if Path(f"/proc/{parent}/fd/0").readlink() != Path(f"/proc/self/fd/{descriptor}").readlink():
            return False
        if _command_line(parent) != _command_line(_parent_of(parent)):
            return False
        return _bytes_read(parent) > 0
    except (OSError, ValueError, LookupError):
        return False


def _ancestors() -> set[int]:
    found, pid = set[int](), os.getpid()
    while pid > 0 and pid not in found:
        found.add(pid)
        try:
            pid = _parent_of(pid)
        except (OSError, ValueError, LookupError):
            break
    return found


def _parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def _command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def _bytes_read(pid: int) -> int:
    counts = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    return int(counts["rchar"])


def _writes_to(pid: int, pipe: Path) -> bool:
    try:
        return any(
            entry.readlink() == pipe and _is_writable(pid, entry.name) for entry in Path(f"/proc/{pid}/fd").iterdir()
        )
    except OSError:
        return False


def _is_writable(pid: int, number: str) -> bool:
    for line in Path(f"/proc/{pid}/fdinfo/{number}").read_text().splitlines():
        if line.startswith("flags:"):
            return int(line.split()[1], 8) & os.O_ACCMODE in (os.O_WRONLY, os.O_RDWR)
    return False
