"""Looks through a work folder and says what stands in it: only what has changed is read again."""

from __future__ import annotations

import os
import stat
import time
from typing import NamedTuple, Protocol, Self

from msgspec import Struct

from yeaft.kernel.errors import StoreFailed
from yeaft.store.checkpoints.entries import Entry
from yeaft.store.checkpoints.reading import PERMISSIONS, Keep, Reason, Seen, Stamp, read_entry, settled, stamp_of

GIT = ".git"
CACHES = frozenset(
    {
        *("node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".cache", ".gradle", ".next", ".nuxt"),
        *(".mypy_cache", ".pytest_cache", ".ruff_cache"),
    }
)
"""Names of folders that hold what programs can make again."""
IGNORE_FILE = ".gitignore"
RULE_NAMES = frozenset({GIT, IGNORE_FILE})
WORKTREES = "/.yeaft/worktrees"
MOST_ATTEMPTS = 3


class Rules(Protocol):
    """Which paths of a folder are ignored."""

    def below(self, folder: str, names: frozenset[str], /) -> Self:
        """The rules that hold in the absolute `folder`, which has entries `names`, when these hold in its parent."""
        ...

    def says(self, path: str, name: str, *, is_folder: bool) -> bool | None:
        """True to ignore the absolute `path`."""
        ...


class Limits(Struct, frozen=True, kw_only=True):
    """How much of a folder is covered."""

    max_file_bytes: int = 10 * 1024 * 1024
    max_total_bytes: int = 512 * 1024 * 1024
    max_files: int = 5_000


class TooManyFiles(Exception):
    """The folder has more files than are looked at before each command."""


class Scanned(NamedTuple):
    """What a folder holds, and what of it was passed over and why; both by relative path."""

    tree: dict[str, Entry]
    skipped: dict[str, Reason]


class _Listing(NamedTuple):
    """What a folder held when it looked like `stamp`; `above` and `rules` are what was ignored outside and in it.

    `ignores` are the files that say so. `folders` and `others` are names below the root with absolute paths.
    """

    stamp: Stamp | None
    above: Rules
    rules: Rules
    ignores: tuple[tuple[str, Stamp | None], ...]
    folders: tuple[tuple[str, str], ...]
    others: tuple[tuple[str, str], ...]
    skipped: tuple[tuple[str, Reason], ...]


class _Moved(Exception):
    """A folder became a file, or the other way round, while it was looked at."""


class Scanner:
    """Looks through the folder `root`, an absolute path without links; `never` are absolute paths to pass over.

    `seen` is what was read so far, by absolute path; it may be kept for another scanner. `has_news` says that it grew.
    """

    def __init__(self, root: str, rules: Rules, never: frozenset[str], limits: Limits) -> None:
        self.seen: dict[str, Seen] = {}
        self.has_news = False
        self._root = root
        self._rules = rules
        self._never = never
        self._limits = limits
        self._listings: dict[str, _Listing] = {}
        self._refused_bytes: int | None = None

    def scan(self, keep: Keep) -> Scanned:
        """All below the root that is not ignored; nothing if there is no root any more.

        Raises `TooManyFiles`, or `StoreFailed` if it cannot be read.
        """
        for _ in range(MOST_ATTEMPTS):
            try:
                return self._scan(keep) if _is_there(self._root) else Scanned({}, {})
            except _Moved:
                self._listings.clear()
            except OSError as error:
                raise StoreFailed(f"{self._root} cannot be looked through: {error.strerror}.") from error
        raise StoreFailed(f"{self._root} is no folder any more, or changes faster than it can be looked through.")

    def look_at(self, path: str, keep: Keep) -> Entry | Reason | None:
        """What stands at one absolute path; None for nothing, as behind a link below the root.

        An entry of a folder says nothing of what is in it.
        """
        self._refused_bytes = None
        now_ns = time.time_ns()
        if not self._is_reached(path):
            return None
        try:
            stamp = stamp_of(os.lstat(path))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            return "unreadable"
        return self._entry(path, stamp, now_ns, keep)

    def _is_reached(self, path: str) -> bool:
        """Whether all that leads to an absolute path, from the root on if it is below that, are folders."""
        inside = path.startswith(f"{self._root}/")
        parts = path[len(self._root) :].split("/") if inside else path.split("/")
        leading = self._root if inside else ""
        for part in parts[1:-1]:
            leading = f"{leading}/{part}"
            try:
                if not stat.S_ISDIR(os.lstat(leading).st_mode):
                    return False
            except OSError:
                return False
        return True

    def _scan(self, keep: Keep) -> Scanned:
        self._refused_bytes = None
        now_ns = time.time_ns()
        found = Scanned({}, {})
        listings: list[_Listing] = []
        count = 0
        pending = [("", self._root, self._rules)]
        while pending:
            name, folder, above = pending.pop()
            status = _folder_at(folder)
            if name:
                found.tree[name] = Entry("folder", status.st_mode & PERMISSIONS)
            listing = self._listing(name, folder, above, stamp_of(status), now_ns)
            if listing is None:
                found.skipped[name] = "unreadable"
                continue
            listings.append(listing)
            found.skipped.update(listing.skipped)
            pending += [(below, path, listing.rules) for below, path in listing.folders]
            count += len(listing.others)
            if count > self._limits.max_files:
                raise TooManyFiles
        for listing in listings:
            self._look_at_files(listing, found, now_ns, keep)
        return found

    def _look_at_files(self, listing: _Listing, found: Scanned, now_ns: int, keep: Keep) -> None:
        seen, tree = self.seen, found.tree
        for name, path in listing.others:
            try:
                status = os.lstat(path)
            except FileNotFoundError:
                continue
            except OSError:
                found.skipped[name] = "unreadable"
                continue
            known = seen.get(path)
            if known is not None and known.stamp == (  # in place: a call for each file would cost as much as the system
                status.st_mode,
                status.st_size,
                status.st_mtime_ns,
                status.st_ctime_ns,
                status.st_ino,
            ):
                tree[name] = known.entry
                continue
            stamp = stamp_of(status)
            if stat.S_ISDIR(stamp.mode):
                raise _Moved
            entry = self._entry(path, stamp, now_ns, keep)
            if isinstance(entry, Entry):
                tree[name] = entry
            elif entry is not None:
                found.skipped[name] = entry

    def _entry(self, path: str, stamp: Stamp, now_ns: int, keep: Keep) -> Entry | Reason | None:
        known = self.seen.get(path)
        if known is not None and known.stamp == stamp:
            return known.entry
        if self._refused_bytes is not None and stat.S_ISREG(stamp.mode) and stamp.size_bytes >= self._refused_bytes:
            return "no space left"  # as for a smaller one before; it is not read for nothing
        found = read_entry(path, stamp, now_ns, self._limits.max_file_bytes, keep)
        if not isinstance(found, Seen):
            if found == "no space left":
                self._refused_bytes = stamp.size_bytes
            self.seen.pop(path, None)
            return found
        self.seen[path] = found
        self.has_news = True
        return found.entry

    def _listing(self, name: str, folder: str, above: Rules, stamp: Stamp, now_ns: int) -> _Listing | None:
        """What a folder holds, from memory if it must be the same; None if it cannot be read."""
        known = self._listings.get(folder)
        is_same = known is not None and known.stamp == stamp and known.above is above
        if known is not None and is_same and all(_stamp_at(path) == ignores for path, ignores in known.ignores):
            return known
        try:
            with os.scandir(folder) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError as error:
            raise _Moved from error
        except OSError:
            return None
        names = frozenset(entry.name for entry in inside) & RULE_NAMES
        ignores = tuple(
            (path, _stamp_at(path))
            for path in (f"{folder}/{GIT}/info/exclude", f"{folder}/{IGNORE_FILE}")
            if path.removeprefix(f"{folder}/").partition("/")[0] in names
        )
        rules = above.below(folder, names)
        listing = self._sorted(name, inside, rules)._replace(
            stamp=settled(stamp, now_ns), above=above, rules=rules, ignores=ignores
        )
        self._listings[folder] = listing
        return listing

    def _sorted(self, name: str, inside: list[os.DirEntry[str]], rules: Rules) -> _Listing:
        """The entries of a folder by what is to be done with them."""
        folders: list[tuple[str, str]] = []
        others: list[tuple[str, str]] = []
        skipped: list[tuple[str, Reason]] = []
        for entry in inside:
            below = f"{name}/{entry.name}" if name else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            reason = self._left_out(entry, below, rules, is_folder=is_folder)
            if reason is not None:
                skipped.append((below, reason))
            else:
                (folders if is_folder else others).append((below, f"{self._root.rstrip('/')}/{below}"))
        return _Listing(None, rules, rules, (), tuple(folders), tuple(others), tuple(skipped))

    def _left_out(self, entry: os.DirEntry[str], below: str, rules: Rules, *, is_folder: bool) -> Reason | None:
        if entry.name == GIT:
            return "git"
        if entry.path in self._never or (is_folder and f"/{below}".endswith(WORKTREES)):
            return "yeaft"
        if is_folder and entry.name in CACHES:
            return "cache"
        return "ignored" if rules.says(entry.path, entry.name, is_folder=is_folder) else None


def _is_there(path: str) -> bool:
    try:
        os.lstat(path)
    except FileNotFoundError:
        return False
    return True


def _folder_at(path: str) -> os.stat_result:
    try:
        status = os.lstat(path)
    except FileNotFoundError as error:
        raise _Moved from error
    if not stat.S_ISDIR(status.st_mode):
        raise _Moved
    return status


def _stamp_at(path: str) -> Stamp | None:
    try:
        return stamp_of(os.lstat(path))
    except OSError:
        return None
