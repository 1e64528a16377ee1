"""Finds the repository that a linked git worktree belongs to, so that committing in the worktree is possible.

What the worktree says about itself counts only if the repository says the same, because a command may have written it.
"""

import os
from pathlib import Path

MOST_POINTER_BYTES = 4096
PARTS = ("HEAD", "objects", "refs")


def shared_git(folder: Path) -> Path | None:
    """Return the real path of the repository that the worktree at the top of `folder` shares; None for other folders.

    A folder inside a worktree, a submodule and a plain repository have none.
    """
    link = folder / ".git"
    pointer = _pointer(link)
    if not pointer.startswith("gitdir:"):
        return None
    own = Path(os.path.realpath(folder / pointer.removeprefix("gitdir:").strip()))
    shared = own.parent.parent
    if own.parent.name != "worktrees" or not all((shared / part).exists() for part in PARTS):
        return None
    back = _pointer(own / "gitdir")
    is_agreed = bool(back) and os.path.realpath(own / back) == os.path.realpath(link)
    return shared if is_agreed else None


def _pointer(file: Path) -> str:
    """The beginning of a small regular file; empty where there is none."""
    try:
        if not file.is_file():
            return ""
        with file.open("rb") as opened:
            return os.fsdecode(opened.read(MOST_POINTER_BYTES)).replace("\0", "").strip()
    except (OSError, ValueError):
        return ""
