"""What must be known of file systems: which are on a network (no shared memory), what is on disk, who may look in."""

import errno
import os
from collections.abc import Callable, Iterable
from pathlib import Path

NETWORK_TYPES = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs", "ceph", "fuse.glusterfs"})
MOUNTS = Path("/proc/mounts")
PRIVATE_FOLDER = 0o700
FileIdentity = tuple[int, int]
"""Device and number of a file; as long as anybody has the file open, no other one gets them."""


def is_network(directory: Path) -> bool:
    """True for NFS, SMB, sshfs, 9p and their kind; False where the system does not say (no `/proc/mounts`)."""
    if os.major(directory.stat().st_dev):  # a block device
        return False
    try:
        lines = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    except OSError:
        return False
    return mount_type(os.path.realpath(directory), lines) in NETWORK_TYPES


def mount_type(path: str, mounts: Iterable[str]) -> str:
    """The file system type of absolute `path` by the lines of `/proc/mounts`; empty if no mount holds it."""
    best, kind = "", ""
    for line in filter(None, mounts):
        _, point, mount_kind, *_ = line.split(" ")
        # The kernel writes space, tab, newline and backslash of a mount point as octal escapes.
        point = point.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):  # a later mount on the same point hides an earlier one
            best, kind = point, mount_kind
    return kind


sync_content: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)
"""Waits until what was written to an open file is on the disk; macOS knows only the slower way."""


def sync_path(path: Path) -> None:
    """Wait until a file's content, or a directory's entries, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_if_file(path: Path) -> bytes:
    """The content of a regular file; empty if it is none or missing. Raises `OSError`."""
    return path.read_bytes() if path.is_file() else b""


def stamp_of(files: Iterable[Path]) -> str:
    """When each of the files was changed last, and its size; a file that is missing counts as one."""
    return " ".join(map(_stamp, files))


def identity_of(path: Path) -> FileIdentity | None:
    """Which file is at `path` now; None for none that can be seen."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _stamp(path: Path) -> str:
    try:
        status = path.stat()
    except OSError:
        return "-"
    return f"{status.st_mtime_ns}:{status.st_size}"


def make_private(directory: Path) -> None:
    """Make a directory and those above it that are missing, all of them closed to others; what exists stays as it is.

    `Path.mkdir` gives its mode to the last directory only. Raises `OSError`.
    """
    if directory.is_dir():
        return
    if directory.exists() and not directory.is_dir():  # it may have been made this very moment
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(directory))
    make_private(directory.parent)
    directory.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
