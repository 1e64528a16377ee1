"""The instruction files that hold in a work folder: the user's own, then the project's from its root down to it.

They are read once when a Session is opened; what lies deeper is read when a file beside it is touched.
"""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from yeaft.config import instruction_names
from yeaft.kernel.text import head_bytes
from yeaft.prompts.system import Note, Standing
from yeaft.session.at_signs import POSSIBLE, may_begin, path_at
from yeaft.session.code_ranges import CodeRanges
from yeaft.session.instruction_files import (
    Denies,
    FileText,
    Inode,
    denies_nothing,
    from_nearest,
    local_candidates,
    read_within,
    shared_candidates,
)

USER_NAMES = ("AGENTS.md",)
USER_BYTES = 32 * 1024
LARGE_BYTES = 32 * 1024
"""More than this costs noticeably in every request."""
IMPORT_DEPTH = 5
MOST_IMPORTS = 64


class Instructions(Struct, frozen=True, kw_only=True):
    """The notes that hold, the farthest first; each imported file follows the one that names it.

    `left_out` are files that lead away, are denied or no ordinary files, or are imported too deep; `cut` are those of
    which only the beginning is here. `read` says which files it all comes from.
    """

    notes: tuple[Note, ...] = ()
    left_out: tuple[Path, ...] = ()
    cut: tuple[Path, ...] = ()
    read: frozenset[Inode] = frozenset()

    @property
    def size_bytes(self) -> int:
        """How much text there is in all."""
        return sum(len(note.text.encode()) for note in self.notes)


class Sources(Struct, frozen=True, kw_only=True):
    """Where to look: the work folder, the user's folders, and what binds the reader.

    `limit_bytes` is for all of a project; 0 means none of it. `home` is what `~` stands for.
    """

    folder: Path
    home: Path
    user_folders: tuple[Path, ...] = ()
    names: tuple[str, ...] = instruction_names.SHARED
    limit_bytes: int = 32 * 1024
    is_trusted: bool = False
    denies: Denies = denies_nothing


def user_folders(yeaft_home: Path, environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the folders of the user's own instructions, the more general first."""
    config = environ.get("XDG_CONFIG_HOME", "") or f"{environ.get('HOME', '') or Path.home()}/.config"
    return Path(config), yeaft_home


def instructions(sources: Sources) -> Instructions:
    """Return what holds; nothing is read beyond the limits.

    One shared file per folder and the user's local ones, never the same file twice; without a repository only the
    folder itself is looked at. The nearest file is the last to be cut short.
    """
    collected: list[list[Note]] = []
    project = Collector(sources, sources.limit_bytes)
    for place in from_nearest(sources.folder):
        why = "folder" if place == sources.folder else "repository"
        collected.append(project.of_folder(place, sources.names, why))
    own = Collector(sources, USER_BYTES, of_user=True, seen=project.seen)
    collected += [own.of_folder(place, USER_NAMES, "user") for place in reversed(sources.user_folders)]
    return Instructions(
        notes=tuple(note for notes in reversed(collected) for note in notes),
        left_out=(*reversed(own.left_out), *reversed(project.left_out)),
        cut=(*reversed(own.cut), *reversed(project.cut)),
        read=frozenset(project.seen),
    )


class Collector:
    """Collects notes until `left_bytes` are used: of the project, or `of_user`. `seen` are files that were read before.

    A project's files must lie in its repository or work folder. The user's own may lie anywhere, what they import only
    in the user's home. `hashes` are those of the files that were read whole, by path.
    """

    def __init__(
        self, sources: Sources, left_bytes: int, *, of_user: bool = False, seen: set[Inode] | None = None
    ) -> None:
        self.left_out: list[Path] = []
        self.cut: list[Path] = []
        self.hashes: dict[str, str] = {}
        self.seen: set[Inode] = set() if seen is None else seen
        self._sources = sources
        self._standing: Standing = "user" if of_user else "trusted" if sources.is_trusted else "material"
        imports = (sources.home, *sources.user_folders) if of_user else (from_nearest(sources.folder)[-1],)
        self._import_roots = tuple(Path(os.path.realpath(root)) for root in imports)
        self._roots = (Path("/"),) if of_user else self._import_roots
        self._left_bytes = left_bytes
        self._left_imports = MOST_IMPORTS

    def of_folder(self, place: Path, names: Sequence[str], why: str) -> list[Note]:
        """Return the notes of one folder: the shared file, then the local ones, each with what it imports."""
        notes: list[Note] = []
        for path in shared_candidates(place, names):
            if self._left_bytes <= 0:
                break
            found = self._read(path, self._roots)
            if found is not None:
                notes += self._noted(path, found, why, 0)
                break
        for path in local_candidates(place):
            found = self._read(path, self._roots) if self._left_bytes > 0 else None
            notes += self._noted(path, found, "local", 0) if found is not None else []
        return notes

    def _read(self, path: Path, roots: Sequence[Path]) -> FileText | None:
        found = read_within(path, roots, self._left_bytes, self._sources.denies)
        if found is None:
            self.left_out.append(path)
        return found

    def _noted(self, path: Path, found: FileText, why: str, depth: int) -> list[Note]:
        if found.inode in self.seen:
            return []
        self.seen.add(found.inode)
        text = head_bytes(found.text, self._left_bytes)
        if len(text) < len(found.text) or not found.sha256:
            self.cut.append(path)
        else:
            self.hashes[str(path)] = found.sha256
        self._left_bytes -= len(text.encode())
        notes = [Note(path=str(path), text=text, standing=self._standing, why=why)]
        for imported in self._imports(text, path.parent, found.real.parent):
            if self._left_bytes <= 0:
                break
            notes += self._imported(imported, path, depth + 1)
        return notes

    def _imported(self, path: Path, by: Path, depth: int) -> list[Note]:
        if _inode(path) in self.seen:
            return []
        self._left_imports -= 1
        if depth > IMPORT_DEPTH or self._left_imports < 0:
            self.left_out.append(path)
            return []
        found = self._read(path, self._import_roots)
        return self._noted(path, found, f"import of {by}", depth) if found is not None else []

    def _imports(self, text: str, *folders: Path) -> list[Path]:
        """The files that a text imports with `@path`, outside of code; what is not there was not meant as one."""
        if "@" not in text:
            return []
        code = CodeRanges(text)
        found: dict[Path, None] = {}
        for sign in POSSIBLE.finditer(text):
            at = sign.start()
            token = path_at(text, at + 1) if may_begin(text, at) and not code.hold(at) else None
            if token is None:
                continue
            at_home = token.text.startswith("~/")
            places = [self._sources.home / token.text[2:]] if at_home else [folder / token.text for folder in folders]
            path = next((place for place in places if _inode(place)), None)
            if path is not None:
                found[path] = None
        return list(found)


def _inode(path: Path) -> Inode | None:
    """Which file a path leads to; None if there is none, or a folder."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # also a name that is too long or has a NUL
        return None
    return None if stat.S_ISDIR(status.st_mode) else (status.st_dev, status.st_ino)
