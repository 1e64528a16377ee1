"""The git worktrees of a Session: where they are made, and which of them it made itself."""

import os
import re
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path

from yeaft.events.call import CallFinished
from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.pattern import Pattern
from yeaft.tools.paths import Paths

PLACE = ".yeaft/worktrees"
BRANCHES = "yeaft-wt/"
NAME_CHARS = 64
ENTER, EXIT = "EnterWorktree", "ExitWorktree"
_ODD = Pattern(r"[^A-Za-z0-9._-]")


class Worktrees:
    """The worktrees that this Session has made and not removed, by resolved path."""

    def __init__(self, made: Iterable[Path] = ()) -> None:
        self._made = set(made)

    @classmethod
    def after(cls, calls: Iterable[CallFinished]) -> "Worktrees":
        """Rebuild what the calls of a journal, oldest first, have left."""
        found = cls()
        for call in calls:
            if call.facts.worktree:
                change = found.add if call.tool == ENTER else found.discard
                change(Path(call.facts.worktree))
        return found

    def add(self, path: Path) -> None:
        """Note a worktree that was made."""
        self._made.add(path)

    def discard(self, path: Path) -> None:
        """Forget a worktree that was removed."""
        self._made.discard(path)

    def __contains__(self, path: Path) -> bool:
        return path in self._made

    def __iter__(self) -> Iterator[Path]:
        return iter(sorted(self._made))


def plain_name(wanted: str) -> str:
    """`wanted` as a name for a folder and a branch; a random one if nothing of it is left."""
    name = re.sub(r"\.{2,}", ".", _ODD.sub("-", wanted))[:NAME_CHARS].strip(".-")
    name = re.sub(r"\.lock$", "-lock", name)
    return name or f"wt-{secrets.token_hex(4)}"


def branch_of(worktree: Path) -> str:
    """The branch that was made with a worktree."""
    return BRANCHES + worktree.name


def place_for(paths: Paths, name: str) -> Path:
    """Where a new worktree goes; raises `ToolFailed` if a link would lead it elsewhere or something is there."""
    place = Path(os.path.realpath(paths.folder)) / PLACE
    if paths.resolve(PLACE) != place:
        raise ToolFailed(f"{PLACE} is or lies behind a symbolic link; worktrees are made only in a real folder there.")
    target = place / name
    if os.path.lexists(target):
        raise ToolFailed(f"{paths.shown(target)} already exists; choose another name.")
    return target
