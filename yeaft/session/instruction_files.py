"""Finds and reads instruction files (`AGENTS.md` and the like), one of each kind per folder.

They come with a folder, from whoever made it: one that leads out of it could show a model anything of the user's.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from yeaft.config import instruction_names

BYTES_BEHIND = 8
"""Read beyond what is kept, for a byte order mark and a character that is cut in two."""

Inode = tuple[int, int]
Denies = Callable[[Path], bool]
"""Whether a rule keeps a file (absolute, links followed) from being read."""


def denies_nothing(_: Path) -> bool:
    """For those that no rules bind."""
    return False


class FileText(Struct, frozen=True, kw_only=True):
    """The beginning of a file, where it really is, and which file that is whatever it is called.

    `sha256` is that of the file; it is empty if there is more of it.
    """

    text: str
    real: Path
    inode: Inode
    sha256: str


def shared_candidates(place: Path, names: Sequence[str]) -> Iterator[Path]:
    """Yield the files of these names that are in a folder, in the order of `names`; only the first counts."""
    for name in names:
        path = place / name
        if path.exists() and not path.is_dir():
            yield path


def local_candidates(place: Path) -> Iterator[Path]:
    """Yield the user's own additions in a folder; all of them count."""
    yield from shared_candidates(place, instruction_names.LOCAL)


def from_nearest(folder: Path) -> list[Path]:
    """Return `folder` and those above it up to the root of its repository; only itself without a repository."""
    for depth, place in enumerate((folder, *folder.parents)):
        if (place / ".git").exists():
            return [folder, *folder.parents][: depth + 1]
    return [folder]


def read_within(path: Path, roots: Sequence[Path], most_bytes: int, denies: Denies = denies_nothing) -> FileText | None:
    """Read the first bytes of an ordinary file that really is in one of `roots` (links followed).

    None if it is elsewhere, no ordinary file of text, denied or not readable. It never waits for a writer.
    """
    real = Path(os.path.realpath(path))
    if not any(real.is_relative_to(root) for root in roots) or denies(real) or denies(path):
        return None
    found = _beginning(real, most_bytes + BYTES_BEHIND)
    if found is None or b"\0" in found[0]:
        return None
    raw, status = found
    text = raw.decode("utf-8", "replace").removeprefix("\ufeff")
    sha256 = "" if len(raw) > most_bytes else hashlib.sha256(raw).hexdigest()
    return FileText(text=text, real=real, inode=(status.st_dev, status.st_ino), sha256=sha256)


def _beginning(real: Path, most_bytes: int) -> tuple[bytes, os.stat_result] | None:
    try:
        if not stat.S_ISREG(real.lstat().st_mode):
            return None
        with os.fdopen(os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            return (file.read(most_bytes), status) if stat.S_ISREG(status.st_mode) else None
    except OSError:
        return None
