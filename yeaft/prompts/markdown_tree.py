"""Finds the Markdown files that people and other programs keep in a folder, however deep and behind whatever links."""

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from yeaft.prompts.front_matter import Problem

MOST_FILES, MOST_FOLDERS = 500, 2000
SKIPPED = frozenset({"node_modules", "__pycache__"})
SUFFIX = ".md"


class MarkdownTree(Struct, frozen=True, kw_only=True):
    """The files of a folder and those below it, a folder's own before those in folders below, by name.

    `problems` are links to folders that may not be followed, and where the search was given up.
    """

    files: tuple[Path, ...] = ()
    problems: tuple[Problem, ...] = ()


def markdown_files(folder: Path, within: Path | None = None) -> MarkdownTree:
    """Look through `folder`; no link to a folder is followed out of `within`. Blocking; never raises.

    Links to files are returned wherever they lead. Hidden files and folders are left out, and each folder is looked
    into once.
    """
    found: list[Path] = []
    problems: list[Problem] = []
    seen: set[str] = set()
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        real = os.path.realpath(place)
        if real in seen:
            continue
        seen.add(real)
        if within is not None and not Path(real).is_relative_to(os.path.realpath(within)):
            problems.append(leads_out(place, real))
            continue
        entries = list(_entries(place))
        found += (path for path, is_folder in entries if not is_folder)
        if len(found) > MOST_FILES or len(seen) > MOST_FOLDERS:
            reason = f"holds more than {MOST_FILES} files or {MOST_FOLDERS} folders; the rest is left out"
            problems.append(Problem(path=str(folder), line=1, reason=reason))
            break
        waiting += reversed([path for path, is_folder in entries if is_folder])
    return MarkdownTree(files=tuple(found[:MOST_FILES]), problems=tuple(problems))


def leads_out(path: Path, real: str) -> Problem:
    """Say that a link is not followed."""
    return Problem(path=str(path), line=1, reason=f"is a link that leads out of the work folder, to {real}; not used")


def _entries(place: Path) -> Iterator[tuple[Path, bool]]:
    """Yield the folders and Markdown files in a folder, and which of both each is."""
    try:
        with os.scandir(place) as entries:
            named = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return  # most users and projects have no such folder
    for entry in named:
        if entry.name.startswith(".") or entry.name in SKIPPED:
            continue
        is_folder = _is_folder(entry)
        if is_folder or entry.name.lower().endswith(SUFFIX):
            yield Path(place) / entry.name, is_folder


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link in a circle
