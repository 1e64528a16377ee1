"""What stories about checkpoints begin with: a work folder, a place for its checkpoints, and looks at what is there."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from yeaft.store.checkpoints.scanner import Limits
from yeaft.store.checkpoints.states import Left, Plan
from yeaft.store.checkpoints.store import CheckpointStore, Taken
from yeaft.tools.search.ignores import Ignores


class Thing(NamedTuple):
    """What stands at a path, as `lstat` and reading tell."""

    kind: str
    mode: int
    content: bytes


def look(root: Path) -> dict[bytes, Thing]:
    """Everything below a folder, by the bytes of its relative path; `.git` too."""
    found: dict[bytes, Thing] = {}
    for folder, folders, files, descriptor in os.fwalk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            status = path.lstat()
            relative = os.fsencode(path.relative_to(root))
            if stat.S_ISLNK(status.st_mode):
                found[relative] = Thing("link", 0, os.fsencode(os.readlink(name, dir_fd=descriptor)))
            elif stat.S_ISDIR(status.st_mode):
                found[relative] = Thing("folder", status.st_mode & 0o7777, b"")
            elif stat.S_ISREG(status.st_mode):
                found[relative] = Thing("file", status.st_mode & 0o7777, path.read_bytes())
            else:
                found[relative] = Thing("special", status.st_mode & 0o7777, b"")
    return found


def times(root: Path) -> dict[bytes, int]:
    """When each file below a folder was changed last."""
    paths = [path for path in root.rglob("*") if path.is_symlink() or not path.is_dir()]
    return {os.fsencode(path.relative_to(root)): path.lstat().st_mtime_ns for path in paths}


class Given:
    """A work folder `root`, and its checkpoints."""

    def __init__(self, folder: Path, **limits: Any) -> None:
        self.root = folder / "work"
        self.place = folder / "checkpoints"
        self.root.mkdir(exist_ok=True)
        self.limits = Limits(**limits)
        self.taken: list[Taken] = []
        self.store = self._open()

    def _open(self) -> CheckpointStore:
        return CheckpointStore(self.place, str(self.root), Ignores, (str(self.root / ".yeaft-home"),), self.limits)

    def again(self) -> None:
        """Go on in another process."""
        self.store.close()
        self.store = self._open()
        if self.taken:
            self.store.begin_with(self.taken[-1].manifest.sha256)

    def scan(self) -> Taken:
        """Take the whole folder."""
        taken = self.store.scan()
        assert taken is not None
        return self._accepted(taken)

    def record(self, *names: str) -> Taken:
        """Take some files."""
        taken = self.store.record([str(self.root / name) for name in names])
        assert taken is not None
        return self._accepted(taken)

    def plan(self, to: Taken, **how: Callable[[str], bool]) -> Plan:
        """How to come back to what was taken, after one more scan."""
        self.scan()
        first = next(place for place, one in enumerate(self.taken) if one is to)
        plan = self.store.plan([one.manifest.sha256 for one in self.taken[first:]], **how)
        assert plan is not None
        return plan

    def go_back(self, to: Taken) -> tuple[Left, ...]:
        """Come back to what was taken; what was left as it is."""
        plan = self.plan(to)
        return (*plan.left, *self.store.restore(plan.changes))

    def _accepted(self, taken: Taken) -> Taken:
        self.store.accept(taken)
        self.taken.append(taken)
        return taken
