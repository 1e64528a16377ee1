"""The files below a folder: hidden and ignored ones left out unless wanted, links reported but never followed."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from yeaft.tools.search.ignores import Ignores, ignores_above

GIT = ".git"
SKIPPED = frozenset(
    {
        *("node_modules", ".git", "__pycache__", ".next", ".nuxt", "dist", "build", ".cache", ".venv", "venv"),
        *(".tox", "vendor", "target", ".gradle", ".idea", ".vscode"),
    }
)
WORKTREES = (".yeaft", "worktrees")


class Scope(Struct, frozen=True, kw_only=True):
    """Where to look. `skipped` are names of folders never entered; `depth` 1 means only the root's own files."""

    root: Path
    hidden: bool = False
    no_ignore: bool = False
    skipped: frozenset[str] = SKIPPED
    depth: int | None = None


class Found(NamedTuple):
    """A file, `path` relative to the root of the walk with `/`."""

    path: str
    is_link: bool


def skipped_folders(wanted: frozenset[str], *, no_ignore: bool) -> frozenset[str]:
    """The folders to skip: none but `.git` with `no_ignore`, and none that was named (`wanted`)."""
    return (frozenset({GIT}) if no_ignore else SKIPPED) - wanted


def no_name(_: str) -> bool:
    """For walks in which no name is asked for."""
    return False


def walk(scope: Scope, stopped: Callable[[], bool], named: Callable[[str], bool] = no_name) -> Iterator[Found]:
    """All files in no particular order, until `stopped()`; folders that cannot be read are passed over.

    Files whose name was asked for (`named`) are not left out for being hidden.
    """
    root = str(scope.root)
    cut = len(root.rstrip("/")) + 1
    above = Ignores() if scope.no_ignore else ignores_above(scope.root)
    folders = [(root, above, 1)]
    while folders and not stopped():
        folder, ignores, depth = folders.pop()
        entries = _entries(folder)
        if not scope.no_ignore:
            ignores = ignores.below(folder, frozenset(entry.name for entry in entries))
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if _left_out(entry, scope, ignores, is_folder=is_folder, hidden=scope.hidden or named(entry.name)):
                continue
            if not is_folder and (entry.is_symlink() or entry.is_file(follow_symlinks=False)):
                yield Found(entry.path[cut:], entry.is_symlink())
            elif is_folder and (scope.depth is None or depth < scope.depth):
                folders.append((entry.path, ignores, depth + 1))


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _left_out(entry: os.DirEntry[str], scope: Scope, ignores: Ignores, *, is_folder: bool, hidden: bool) -> bool:
    name = entry.name
    if is_folder and (name in scope.skipped or (name == WORKTREES[1] and entry.path.endswith("/".join(WORKTREES)))):
        return True
    said = None if scope.no_ignore else ignores.says(entry.path, name, is_folder=is_folder)
    return bool(said) or (said is None and not hidden and name.startswith("."))
