"""What a work folder brings along that could make yeaft do something: settings, hooks, servers, skills and the like.

`AGENTS.md` and `CLAUDE.md` are not among it: they change daily, and are read as data unless the folder is trusted.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from yeaft.config.regular import MIB, read_regular

Kind = Literal["config", "hooks", "servers", "vp", "skill", "recipe", "command", "agent"]
Reason = Literal["link", "outside", "special", "unreadable", "too_many", "too_large"]
"""`link`: the folder itself is a symbolic link; `outside`: a link that leads out of the work folder."""

FILES: Mapping[str, Kind] = {
    ".mcp.json": "servers",
    ".yeaft/config.toml": "config",
    ".yeaft/config.local.toml": "config",
    ".yeaft/hooks.json": "hooks",
}
FOLDERS: Mapping[str, Kind] = {
    ".agents/skills": "skill",
    ".claude/agents": "agent",
    ".claude/commands": "command",
    ".claude/skills": "skill",
    ".cursor/skills": "skill",
    ".yeaft/commands": "command",
    ".yeaft/recipes": "recipe",
    ".yeaft/skills": "skill",
    ".yeaft/vps": "vp",
}
TOPS = (".agents", ".claude", ".cursor", ".yeaft")
SKIPPED = frozenset({".git", "node_modules", "__pycache__", ".DS_Store"})
"""Nothing is read from these as a skill or a command, and they change by themselves."""
MOST_FILES, MOST_FOLDERS = 2000, 2000
MOST_BYTES = 16 * MIB


class BroughtFile(Struct, frozen=True, kw_only=True):
    """One file; `path` is relative to the work folder."""

    path: str
    kind: Kind
    size_bytes: int
    sha256: str


class Refused(Struct, frozen=True, kw_only=True):
    """Something that is never used; if it `blocks`, nothing of the folder is, until it is gone."""

    path: str
    reason: Reason
    blocks: bool = False


class Brought(Struct, frozen=True, kw_only=True):
    """All that a folder brings. `digest` changes with every byte of it; it is empty if there is nothing."""

    files: tuple[BroughtFile, ...] = ()
    refused: tuple[Refused, ...] = ()
    digest: str = ""

    @property
    def obstacles(self) -> tuple[Refused, ...]:
        """What has to go before the folder can be trusted."""
        return tuple(one for one in self.refused if one.blocks)

    @property
    def places(self) -> tuple[str, ...]:
        """The files and folders that things were found in, for a short message."""
        named = (*(file.path for file in self.files), *(one.path for one in self.refused))
        return tuple(dict.fromkeys(_place(path) for path in named))


def brought(folder: Path, home: Path, user_folder: Path | None = None) -> Brought:
    """Read what `folder` brings; under two milliseconds if that is nothing, and it never raises.

    What belongs to the user is not brought: `home`, where yeaft keeps its own files, and the folders of other agents
    in the user's own one.
    """
    found = _Found(folder, home, user_folder)
    for path, kind in FILES.items():
        found.file(path, kind)
    for path, kind in FOLDERS.items():
        found.folder(path, kind)
    return found.all()


class _Found:
    """Collects files until there are too many."""

    def __init__(self, folder: Path, home: Path, user_folder: Path | None) -> None:
        self._folder = folder
        self._root = os.path.realpath(folder)
        self._inside = self._root.rstrip("/") + "/"
        self._files: list[BroughtFile] = []
        self._refused: dict[str, Refused] = {}
        self._left_bytes = MOST_BYTES
        self._folders = 0
        self._tops = {name: self._is_usable(name, home, user_folder) for name in TOPS}

    def _is_usable(self, name: str, home: Path, user_folder: Path | None) -> bool:
        """Whether there is such a folder, it is not the user's own, and it is not a link."""
        path = self._folder / name
        try:
            mode = path.lstat().st_mode
        except OSError:
            return False
        if os.path.realpath(path) == os.path.realpath(home):
            return False
        if user_folder is not None and self._root == os.path.realpath(user_folder):
            return False
        if stat.S_ISLNK(mode):
            self._refuse(name, "link", blocks=True)
        return stat.S_ISDIR(mode)

    def all(self) -> Brought:
        """Return everything with one digest over it."""
        files = tuple(sorted(self._files, key=lambda file: file.path))
        refused = tuple(self._refused[path] for path in sorted(self._refused))
        if not files and not refused:
            return Brought()
        whole = hashlib.sha256()
        for file in files:
            whole.update(f"{file.kind}\0{file.path}\0{file.sha256}\n".encode())
        for one in refused:
            whole.update(f"{one.reason}\0{one.path}\n".encode())
        return Brought(files=files, refused=refused, digest=whole.hexdigest())

    def file(self, path: str, kind: Kind) -> None:
        """Take a file that is in no folder of its kind, if there is one; without it the rest is not to be had."""
        place = self._folder / path
        if not self._tops.get(path.partition("/")[0], True) or not os.path.lexists(place):
            return
        if self._is_inside(place):
            self._read(path, kind, place, blocks=True)
        else:
            self._refuse(path, "outside", blocks=True)

    def _read(self, path: str, kind: Kind, place: Path, *, blocks: bool) -> None:
        """Take the content of a file; one that cannot be taken is refused, and `blocks` the folder."""
        try:
            content = read_regular(place, max(self._left_bytes, 0))
        except OSError as error:
            reason = self._reason(place, error)
            self._refuse(path, reason, blocks=blocks or reason == "too_large")
            return
        self._left_bytes -= len(content)
        digest = hashlib.sha256(content).hexdigest()
        self._files.append(BroughtFile(path=_named(path), kind=kind, size_bytes=len(content), sha256=digest))

    def folder(self, path: str, kind: Kind) -> None:
        """Take all files in a folder and below it; links to folders are followed as long as they stay inside."""
        if not self._tops[path.partition("/")[0]]:
            return
        place = self._folder / path
        if not self._is_inside(place):
            if place.is_dir():
                self._refuse(path, "outside", blocks=True)
            return
        seen: set[str] = set()
        waiting = [(path, os.path.realpath(place))]
        while waiting:
            inner, real = waiting.pop()
            if real in seen:
                continue  # a link to a folder around it, or to one that was there already
            seen.add(real)
            self._folders += 1
            if self._is_full(inner):
                return
            waiting += reversed(list(self._look_into(inner, kind, real)))

    def _look_into(self, path: str, kind: Kind, real: str) -> Iterator[tuple[str, str]]:
        """Take the files in the folder at `path`, whose real path is `real`; yields the folders in it, likewise."""
        try:
            with os.scandir(real) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError:
            self._refuse(path, "unreadable")
            return
        for entry in entries:
            inner = f"{path}/{entry.name}"
            if entry.name in SKIPPED:
                continue
            if self._is_full(inner):
                return
            inner_real = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
            if not inner_real.startswith(self._inside):
                self._refuse(inner, "outside")
            elif _is_folder(Path(inner_real)):
                yield inner, inner_real
            else:
                self._read(inner, kind, Path(inner_real), blocks=False)

    def _is_full(self, path: str) -> bool:
        if len(self._files) + len(self._refused) < MOST_FILES and self._folders < MOST_FOLDERS:
            return False
        if not any(one.reason == "too_many" for one in self._refused.values()):
            self._refuse(path, "too_many", blocks=True)
        return True

    def _is_inside(self, place: Path) -> bool:
        return os.path.realpath(place).startswith(self._inside)

    def _reason(self, place: Path, error: OSError) -> Reason:
        if error.errno == errno.EFBIG:
            return "too_large"
        try:
            return "unreadable" if stat.S_ISREG(place.stat().st_mode) else "special"
        except OSError:
            return "unreadable"

    def _refuse(self, path: str, reason: Reason, *, blocks: bool = False) -> None:
        self._refused[path] = Refused(path=_named(path), reason=reason, blocks=blocks)


def changes(before: Mapping[str, str], now: Brought) -> Iterator[str]:
    """The paths that differ from those that were agreed to, given with the beginning of their SHA-256."""
    found = {file.path: file.sha256 for file in now.files}
    for path in sorted({*before, *found}):
        if path not in found or not before.get(path) or not found[path].startswith(before[path]):
            yield path


def _is_folder(path: Path) -> bool:
    """Whether there is a folder; False also for a link in a circle and for what may not be looked at."""
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError:
        return False


def _named(path: str) -> str:
    """`path` as text that can be written anywhere, whatever bytes are in it."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _place(path: str) -> str:
    return next((folder for folder in FOLDERS if path.startswith(f"{folder}/")), path)
