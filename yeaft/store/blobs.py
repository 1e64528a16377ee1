"""Blobs as files: content found by its SHA-256, written once, checked whenever it is read."""

import contextlib
import hashlib
import os
import threading
import zlib
from collections import deque
from pathlib import Path

from yeaft.events.fact import BlobRef
from yeaft.kernel.errors import StoreFailed
from yeaft.store.filesystem import sync_path

PAGE_BYTES = 4096
HASH_LENGTH = 64
HASH_DIGITS = frozenset("0123456789abcdef")


class FileBlobs:
    """Files `<root>/<sha256>`. May be used from several threads; `root` is made when the first blob is put.

    They are not spread over folders: a Session has few, and each folder costs a short one another 4 KiB on disk. A file
    holds the content or, where that saves a page of the disk, its zlib form; the hash tells which.

    A blob is safe from a crash of the process once `put` returns, and from a power cut after the next `sync`.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._unsynced: deque[Path] = deque()
        self._sizes: dict[str, int] = {}  # of the files of what was put, which need not be packed again to compare

    def put(self, content: bytes, mime: str) -> BlobRef:
        """Keep `content`; raises `StoreFailed` when the disk does not take it."""
        sha256 = hashlib.sha256(content).hexdigest()
        path, size_bytes = self.path(sha256), self._sizes.get(sha256)
        try:
            if size_bytes is None or not _has_size(path, size_bytes):
                stored = _stored(content)
                if not _has_size(path, len(stored)):
                    _write(path, stored)
                    self._unsynced.append(path)
                self._sizes[sha256] = len(stored)
        except OSError as error:
            raise StoreFailed(
                f"A blob could not be written to {path.parent}: {error.strerror}. Check free space and permissions."
            ) from error
        return BlobRef(sha256=sha256, size_bytes=len(content), mime=mime)

    def get(self, sha256: str) -> bytes | None:
        """The content, or None if there is none or the file no longer matches its name."""
        if len(sha256) != HASH_LENGTH or not HASH_DIGITS.issuperset(sha256):
            return None
        try:
            stored = self.path(sha256).read_bytes()
        except OSError:
            return None
        if hashlib.sha256(stored).hexdigest() == sha256:
            return stored
        content = _unpacked(stored)
        return content if hashlib.sha256(content).hexdigest() == sha256 else None

    def path(self, sha256: str) -> Path:
        """Where the blob of that hash is or would be."""
        return self._root / sha256

    def sync(self) -> None:
        """Wait until all blobs put so far are on the disk, with the directories that lead to them."""
        waiting = tuple(self._unsynced)
        for path in waiting:
            with contextlib.suppress(FileNotFoundError):  # redacted in the meantime
                sync_path(path)
        for folder in {folder for path in waiting for folder in path.parents[:2]}:  # the root, and where it was made
            sync_path(folder)
        for _ in waiting:  # none of them before all are there: what fails here is waited for again
            self._unsynced.popleft()


def _stored(content: bytes) -> bytes:
    if len(content) <= PAGE_BYTES:
        return content
    packed = zlib.compress(content, level=1)
    return packed if _pages(packed) < _pages(content) else content


def _unpacked(stored: bytes) -> bytes:
    try:
        return zlib.decompress(stored)
    except zlib.error:
        return b""


def _pages(content: bytes) -> int:
    return -(-len(content) // PAGE_BYTES)


def _has_size(path: Path, size_bytes: int) -> bool:
    try:
        return path.stat().st_size == size_bytes
    except FileNotFoundError:
        return False


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
