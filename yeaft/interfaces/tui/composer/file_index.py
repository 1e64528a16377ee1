"""The files of a work folder, listed once and searched as the user types; everything here blocks and is for threads."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

MOST_FILES = 400_000
MOST_FOUND = 50
GIT_PATIENCE_S = 20.0
CHUNK = 1_000
"""So many paths are looked at before a search lets others run and asks whether it is still wanted."""
MOST_SCORED = 10_000
"""Of more hits than this only the first are ranked: a letter more finds the others."""
SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv"})
ENOUGH = 200
"""With so many direct hits nobody needs those that only have the letters in order."""


def indexed(folder: Path) -> FileIndex:
    """List the files of a folder: as git knows them, or by walking. Links are not followed."""
    files = _listed_by_git(folder)
    return FileIndex(folder, list(_walked(folder)) if files is None else files)


class Unwanted(Exception):
    """Nobody waits for this search any more."""


class FileIndex:
    """Paths relative to `folder`, with `/` at the end of folders, and the same folded for searching."""

    def __init__(self, folder: Path, files: Sequence[str]) -> None:
        self.folder = folder
        self.paths = tuple(sorted({*_folders_of(files), *files}, key=lambda path: (path.count("/"), path)))
        self._known = frozenset(self.paths)
        self._folded = tuple(path.casefold() for path in self.paths)
        self._narrowed: tuple[str, list[int]] = ("", [])

    def search(self, fragment: str, is_wanted: Callable[[], bool]) -> list[str]:
        """Return the paths that fit best, at most `MOST_FOUND`; raises `Unwanted` once `is_wanted` says no."""
        query = fragment.casefold().removeprefix("./")
        scored = self._direct(query, is_wanted)
        if query and len(scored) < ENOUGH:
            scored += self._loose(query, {number for _, number in scored}, is_wanted)
        scored.sort()
        found = [self.paths[number] for _, number in scored[:MOST_FOUND]]
        return list(dict.fromkeys((*self._written_out(fragment), *found)))

    def _direct(self, query: str, is_wanted: Callable[[], bool]) -> list[tuple[tuple[int, int, int], int]]:
        """Score the paths that hold the query, looking only where a shorter one was found before."""
        before, numbers = self._narrowed
        folded = self._folded
        pool = numbers if before and query.startswith(before) else range(len(folded))
        hits: list[int] = []
        for begin in range(0, len(pool), CHUNK):
            _pause(is_wanted)
            hits += [number for number in pool[begin : begin + CHUNK] if query in folded[number]]
        self._narrowed = (query, hits)
        if not query:
            return [((self.paths[number].count("/"), 0, 0), number) for number in hits[:MOST_SCORED]]
        return [(_score(query, folded[number]), number) for number in hits[:MOST_SCORED]]

    def _loose(
        self, query: str, known: set[int], is_wanted: Callable[[], bool]
    ) -> list[tuple[tuple[int, int, int], int]]:
        """Score the paths that hold the letters of the query in order."""
        hits: list[tuple[tuple[int, int, int], int]] = []
        for begin in range(0, len(self._folded), CHUNK):
            _pause(is_wanted)
            for number in range(begin, min(begin + CHUNK, len(self._folded))):
                spread = _spread(query, self._folded[number])
                if spread is not None and number not in known:
                    hits.append(((5, spread, len(self._folded[number])), number))
        return hits

    def _written_out(self, fragment: str) -> Iterator[str]:
        """Yield what stands at a path that was written out, whoever ignores it, and what a folder's name begins."""
        if not fragment or fragment.startswith("~"):
            return
        parent, _, begun = fragment.rpartition("/")
        is_outside = fragment.startswith(("/", "../"))
        try:
            whole = self.folder / fragment
            if whole.exists() and not fragment.endswith("/"):
                yield fragment + ("/" if whole.is_dir() else "")
            if not (is_outside or (parent and f"{parent}/" not in self._known)):
                return
            with os.scandir(self.folder / (parent or "/")) as entries:
                names = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in entries)
            shown = [name for name in names if name.casefold().startswith(begun.casefold())]
            yield from (f"{parent}/{name}" for name in shown[:MOST_FOUND] if begun.startswith(".") or name[0] != ".")
        except (OSError, ValueError):
            return


def _pause(is_wanted: Callable[[], bool]) -> None:
    """Let the screen have the interpreter at once, rather than when it has waited its turn."""
    time.sleep(0)
    if not is_wanted():
        raise Unwanted


def _score(query: str, path: str) -> tuple[int, int, int]:
    """Rank a path that holds the query: its name begins so, a word of its name, its name, anything else."""
    trimmed = path.rstrip("/")
    name_at = trimmed.rfind("/") + 1
    at = path.find(query, name_at)
    if trimmed == query or trimmed[name_at:] == query:
        rank = 0
    elif at == name_at:
        rank = 1
    elif at > name_at:
        rank = 2 if not path[at - 1].isalnum() else 3
    else:
        rank = 4
    return rank, len(path), at


def _spread(query: str, path: str) -> int | None:
    """Return over how many characters the letters of the query are spread; None if they are not there in order."""
    at = first = path.find(query[0])
    if first < 0:
        return None
    for letter in query[1:]:
        at = path.find(letter, at + 1)
        if at < 0:
            return None
    return at - first


def _listed_by_git(folder: Path) -> list[str] | None:
    command = ["git", "-C", os.fspath(folder), "ls-files", "-z", "-co", "--exclude-standard", "--deduplicate"]
    environ = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=GIT_PATIENCE_S, check=False, env=environ
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    names = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    return [name for name in names[:MOST_FILES] if name and name.isprintable()]


def _walked(folder: Path) -> Iterator[str]:
    root = os.fspath(folder)
    count = 0
    for place, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        start = os.path.relpath(place, root)
        for name in files:
            if count >= MOST_FILES:
                return
            path = name if start == "." else f"{start}/{name}"
            if path.isprintable():
                count += 1
                yield path


def _folders_of(files: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for path in files:
        end = path.rfind("/")
        while end > 0 and (folder := path[: end + 1]) not in found:
            found.add(folder)
            end = path.rfind("/", 0, end)
    return found
