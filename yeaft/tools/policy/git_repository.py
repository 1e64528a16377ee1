"""Finds the repository that git would use in a folder, and the repositories inside it, without running git."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

MOST_INDEX_BYTES = 64 * 1024 * 1024
MOST_POINTER_BYTES = 4096
_HEAD = re.compile(r"ref:\s*refs/.*|[0-9a-f]{40}(?:[0-9a-f]{24})?", re.DOTALL)
_SUBMODULE = b"\x00\x00\xe0\x00"  # the mode of a submodule's entry in an index, big-endian
_FROM_MODE_TO_NAME = (38, 40, 50, 52)  # with SHA-1 and SHA-256, each without and with extended flags
_NAMES_WHOLE = (2, 3)  # versions of an index in which each entry holds its whole name


class Repository(Struct, frozen=True, kw_only=True):
    """A folder that git takes for a repository: `top` is where it was found, `common` holds what worktrees share."""

    top: Path
    git: Path
    common: Path

    @property
    def is_bare(self) -> bool:
        """Whether it was found without a `.git`, so that any folder of files could be one."""
        return self.git == self.top


def repositories(folder: Path) -> Iterator[Repository]:
    """What git might take for the repository of `folder`: each candidate up to the first that is one."""
    for place in (folder, *folder.parents):
        for git in (place / ".git", place):
            found = _candidate(place, git)
            if found is None:
                continue
            yield found
            if _is_one(found):
                return


def inner_tops(found: Repository) -> tuple[Path, ...] | None:
    """Where the submodules of the repository are, as its index says; None if that cannot be told."""
    tops: set[Path] = set()
    try:
        for index in (found.git / "index", *found.git.glob("sharedindex.*")):
            if not index.exists():
                continue
            if not index.is_file() or index.stat().st_size > MOST_INDEX_BYTES:
                return None
            names = _submodules(index.read_bytes())
            if names is None:
                return None
            tops.update(found.top / name for name in names)
    except (OSError, ValueError):
        return None
    return tuple(sorted(top for top in tops if _exists(top / ".git")))


def _candidate(place: Path, git: Path) -> Repository | None:
    if git == place and not all(_exists(place / name) for name in ("HEAD", "objects", "refs")):
        return None
    if git.is_file():
        pointer = _pointer(git)
        if not pointer.startswith("gitdir:"):
            return None
        git = place / pointer.removeprefix("gitdir:").strip()
    if not git.is_dir():
        return None
    shared = _pointer(git / "commondir")
    return Repository(top=place, git=git, common=git / shared if shared else git)


def _is_one(found: Repository) -> bool:
    head = found.git / "HEAD"
    named = head.is_symlink() or _HEAD.fullmatch(_pointer(head)) is not None
    return named and (found.common / "objects").is_dir() and (found.common / "refs").is_dir()


def _pointer(file: Path) -> str:
    """The beginning of a small file; empty where there is none."""
    with contextlib.suppress(OSError):
        if file.is_file():
            with file.open("rb") as opened:
                return opened.read(MOST_POINTER_BYTES).decode("utf-8", "surrogateescape").replace("\0", "").strip()
    return ""


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _submodules(index: bytes) -> set[str] | None:
    """Names of the entries that may be submodules: rather too many than too few."""
    names: set[str] = set()
    at = index.find(_SUBMODULE)
    if at >= 0 and int.from_bytes(index[4:8]) not in _NAMES_WHOLE:
        return None
    while at >= 0:
        for start in (at + distance for distance in _FROM_MODE_TO_NAME):
            name = index[start : start + MOST_POINTER_BYTES].partition(b"\0")[0]
            names.add(name.decode("utf-8", "surrogateescape"))
        at = index.find(_SUBMODULE, at + 1)
    return names - {""}
