"""The instruction files of a work folder (`AGENTS.md`, else `CLAUDE.md`), from the repository's root down to it.

They come with the folder, from whoever made it: one that leads out of it could show the model anything of the user's.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from yeaft.kernel.text import head_bytes
from yeaft.prompts.system import Note

NAMES = ("AGENTS.md", "CLAUDE.md")
BYTES_BEHIND = 8
"""Read beyond what is kept, for a byte order mark and a character that is cut in two."""


class Instructions(Struct, frozen=True, kw_only=True):
    """The notes that hold, the farthest first; `left_out` are files that lead away or are no ordinary files."""

    notes: tuple[Note, ...] = ()
    left_out: tuple[Path, ...] = ()


def project_notes(folder: Path, limit_bytes: int) -> tuple[Note, ...]:
    """Return the notes of `instructions`."""
    return instructions(folder, limit_bytes).notes


def instructions(folder: Path, limit_bytes: int) -> Instructions:
    """Return what holds for `folder`, `limit_bytes` in all; 0 means none.

    One file per folder, never the same file twice; without a repository only `folder` itself is looked at. The
    nearest file is the last to be cut short. Nothing is read beyond the limit, nor outside of the repository.
    """
    notes: list[Note] = []
    left_out: list[Path] = []
    seen: set[Path] = set()
    left_bytes = limit_bytes
    places = _from_nearest(folder)
    root = Path(os.path.realpath(places[-1]))
    for place in places:
        for path in _candidates(place):
            if left_bytes <= 0:
                break
            real = Path(os.path.realpath(path))
            raw = _beginning(real, left_bytes + BYTES_BEHIND) if real.is_relative_to(root) else None
            if raw is None:
                left_out.append(path)
                continue
            if real not in seen:
                seen.add(real)
                text = head_bytes(raw.decode("utf-8", "replace").removeprefix("\ufeff"), left_bytes)
                left_bytes -= len(text.encode())
                notes.append(Note(path=str(path), text=text))
            break
    return Instructions(notes=tuple(reversed(notes)), left_out=tuple(reversed(left_out)))


def _candidates(place: Path) -> Iterator[Path]:
    """The files there are, folders of such a name and dangling links left aside."""
    for name in NAMES:
        path = place / name
        if path.exists() and not path.is_dir():
            yield path


def _beginning(real: Path, most_bytes: int) -> bytes | None:
    """The first bytes of an ordinary file; None if it is none or cannot be read. It never waits for a writer."""
    try:
        if not stat.S_ISREG(real.lstat().st_mode):
            return None
        with os.fdopen(os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
            return file.read(most_bytes) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:
        return None


def _from_nearest(folder: Path) -> list[Path]:
    for depth, place in enumerate((folder, *folder.parents)):
        if (place / ".git").exists():
            return [folder, *folder.parents][: depth + 1]
    return [folder]
