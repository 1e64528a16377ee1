"""On which branch a folder is, read from git's own files: no process is started to draw a line."""

from __future__ import annotations

from pathlib import Path

HEAD_PREFIX = "ref: refs/heads/"
FILE_PREFIX = "gitdir:"
MOST_BYTES = 4096
HASH_CHARS = 7


def git_branch(folder: Path) -> str:
    """Return the branch, the beginning of the commit if there is none, and nothing outside of any repository."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        if git.is_dir():
            return _head(git)
        if git.is_file():
            said = _read(git)
            if said.startswith(FILE_PREFIX):
                return _head(place / said.removeprefix(FILE_PREFIX).strip())
            return ""
    return ""


def _head(git: Path) -> str:
    said = _read(git / "HEAD").strip()
    return said.removeprefix(HEAD_PREFIX) if said.startswith(HEAD_PREFIX) else said[:HASH_CHARS]


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
