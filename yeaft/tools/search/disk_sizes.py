"""How large files and folders are: apparent sizes, links never followed, a file with several names counted once."""

import heapq
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

KIB = 1024
UNITS = ("B", "KB", "MB", "GB", "TB", "PB")
MADE_UP_BY_THE_KERNEL = frozenset({"/proc", "/sys", "/dev"})


class Entry(Struct, order=True):
    """The bytes in a file or folder; `path` is relative to the root, with `/` at the end of a folder."""

    size_bytes: int
    path: str


class Sizes(Struct, frozen=True, kw_only=True):
    """What was counted: the root, and the largest of the `entries` that lie in it down to the depth asked for."""

    root_bytes: int
    largest: tuple[Entry, ...]
    entries: int
    files: int
    unreadable: int
    whole: bool


class _Folder(Struct, frozen=True):
    """A folder still to be counted; its bytes go to all of `counted`."""

    path: str
    name: str
    level: int
    counted: tuple[Entry, ...]


def measure(root: Path, depth: int, limit: int, stopped: Callable[[], bool]) -> Sizes:
    """Count everything below `root` until `stopped()`, and keep the largest `limit` entries down to `depth` levels."""
    tally = _Tally(depth, limit, stopped)
    if root.is_dir():
        tally.walk(str(root))
    else:
        tally.count_file(root.lstat(), (tally.root,))
    return tally.sizes()


def table(sizes: Sizes, shown: str) -> str:
    """The total of the root, then what is largest below it, sizes right-aligned."""
    rows = [(_size(sizes.root_bytes), shown), *((_size(entry.size_bytes), entry.path) for entry in sizes.largest)]
    width = max(len(size) for size, _ in rows)
    lines = [f"{size:>{width}}  {path}" for size, path in rows]
    notes = ["1 file" if sizes.files == 1 else f"{sizes.files:,} files"]
    if sizes.entries > len(sizes.largest):
        notes.append(f"{len(sizes.largest)} of {sizes.entries:,} entries shown")
    if sizes.unreadable:
        notes.append(f"not readable: {sizes.unreadable:,}")
    if not sizes.whole:
        notes.append("stopped at the time limit, so the sizes are too small; ask for a folder further down")
    return "\n".join([*lines, f"[{'; '.join(notes)}]"])


class _Tally:
    """The sizes while they are counted. Of files only the largest are kept, so that memory stays bounded."""

    def __init__(self, depth: int, limit: int, stopped: Callable[[], bool]) -> None:
        self.root = Entry(0, ".")
        self._depth = depth
        self._limit = limit
        self._stopped = stopped
        self._folders: list[Entry] = []
        self._largest_files: list[Entry] = []
        self._several_names: set[tuple[int, int]] = set()
        self._waiting: list[_Folder] = []
        self._entries = self._files = self._unreadable = 0
        self._whole = True

    def walk(self, root: str) -> None:
        """Count a folder and all in it, until stopped."""
        self._waiting.append(_Folder(root, "", 0, (self.root,)))
        while self._waiting and self._whole:
            folder = self._waiting.pop()
            try:
                with os.scandir(folder.path) as entries:
                    self._count(folder, entries)
            except OSError:
                self._unreadable += 1

    def count_file(self, status: os.stat_result, counted: tuple[Entry, ...]) -> int:
        """Count what is not a folder, once however many names it has; returns the bytes that it added."""
        self._files += 1
        identity = status.st_dev, status.st_ino
        if status.st_nlink > 1 and identity in self._several_names:
            return 0
        self._several_names.update([identity] if status.st_nlink > 1 else [])
        for entry in counted:
            entry.size_bytes += status.st_size
        return status.st_size

    def sizes(self) -> Sizes:
        """What was counted so far."""
        found = [*self._folders, *self._largest_files]
        return Sizes(
            root_bytes=self.root.size_bytes,
            largest=tuple(heapq.nsmallest(self._limit, found, key=lambda entry: (-entry.size_bytes, entry.path))),
            entries=self._entries,
            files=self._files,
            unreadable=self._unreadable,
            whole=self._whole,
        )

    def _count(self, folder: _Folder, entries: Iterable[os.DirEntry[str]]) -> None:
        for entry in entries:
            if self._stopped():
                self._whole = False
                return
            try:
                self._count_entry(folder, entry)
            except OSError:  # it is gone by now
                self._unreadable += 1

    def _count_entry(self, folder: _Folder, entry: os.DirEntry[str]) -> None:
        is_folder = entry.is_dir(follow_symlinks=False)
        if is_folder and entry.path in MADE_UP_BY_THE_KERNEL:
            return
        name = folder.name + os.fsencode(entry.name).decode("utf-8", "replace") + "/" * is_folder
        level = folder.level + 1
        self._entries += level <= self._depth
        if is_folder:
            own = (Entry(0, name),) if level <= self._depth else ()
            self._folders.extend(own)
            self._waiting.append(_Folder(entry.path, name, level, (*folder.counted, *own)))
            return
        size_bytes = self.count_file(entry.stat(follow_symlinks=False), folder.counted)
        if level <= self._depth:
            keep = heapq.heappush if len(self._largest_files) < self._limit else heapq.heappushpop
            keep(self._largest_files, Entry(size_bytes, name))


def _size(size_bytes: int) -> str:
    size, unit = float(size_bytes), 0
    while size >= KIB and unit + 1 < len(UNITS):
        size, unit = size / KIB, unit + 1
    return f"{size:.1f} {UNITS[unit]}" if unit else f"{size_bytes} B"
