"""Brings paths back to an earlier state: each file in one step, nothing through links, nothing that was not asked for.

Doing it again after it was cut off at any point leads to the same end.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

from yeaft.store.checkpoints.entries import Entry
from yeaft.store.checkpoints.states import Change, Left

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
OWN = 0o700
PLAIN_FOLDER = 0o777  # of which the umask takes its part

Get = Callable[[bytes], bytes | None]
"""The content of a digest, if it is there."""
Look = Callable[[str], Entry | str | None]
"""What stands at an absolute path now; a text if that cannot be told."""


def restore(root: str, changes: Sequence[Change], get: Get, look: Look) -> tuple[Left, ...]:
    """Make the changes below the absolute `root`; return what was left as it is, and why.

    A path that is neither as its change says nor as it is to be has been changed by someone else, and is left alone.
    """
    with contextlib.closing(_Restoring(root, get, look)) as work:
        due = [change for change in changes if work.is_due(change)]
        gone = [change for change in due if change.now and (change.then is None or change.now.kind != change.then.kind)]
        for change in sorted(gone, key=_depth, reverse=True):
            work.attempt(change, work.remove)
        made = [change for change in due if change.then is not None and not work.has_left(change)]
        for change in sorted(made, key=_depth):
            if change.then is not None and change.then.kind == "folder":
                work.attempt(change, work.make_folder)
        for change in made:
            if change.then is not None and change.then.kind != "folder":
                work.attempt(change, work.write)
        for change in sorted(made, key=_depth, reverse=True):
            if change.then is not None and change.then.kind == "folder":
                work.attempt(change, work.set_mode)
        return work.left


def _depth(change: Change) -> tuple[int, str]:
    return change.path.count("/"), change.path


class _Meanwhile(Exception):
    """Someone else changed a path after it was looked at."""


class _Restoring:
    """One run; folders that had to be opened for writing are closed again in the end."""

    def __init__(self, root: str, get: Get, look: Look) -> None:
        self._root = root
        self._get = get
        self._look = look
        self._left: dict[str, str] = {}
        self._modes: dict[Path, int] = {}
        self._removed: set[str] = set()

    @property
    def left(self) -> tuple[Left, ...]:
        """What could not be done."""
        return tuple(Left(path, reason) for path, reason in sorted(self._left.items()))

    def has_left(self, change: Change) -> bool:
        """Whether the change could not be made."""
        return change.path in self._left

    def is_due(self, change: Change) -> bool:
        """Whether the change still has to be made, and may be."""
        now = self._look(self._absolute(change.path))
        if now == change.then:
            return False
        if now != change.now:
            self._left[change.path] = "changing"
            return False
        if change.then is not None and change.then.kind == "file" and self._get(change.then.content) is None:
            self._left[change.path] = "content gone"
            return False
        return True

    def attempt(self, change: Change, act: Callable[[Change, int, str], None]) -> None:
        """Do one thing in the folder of the change; what the system refuses is noted."""
        if change.path in self._left:
            return
        try:
            with self._parent(change.path) as (folder, name):
                try:
                    act(change, folder, name)
                except PermissionError:
                    self._open_up(change.path, folder)
                    act(change, folder, name)
        except _Meanwhile:
            self._left[change.path] = "changing"
        except OSError as error:
            self._left[change.path] = "not empty" if error.errno == errno.ENOTEMPTY else str(error.strerror)

    def remove(self, change: Change, folder: int, name: str) -> None:
        """Take away what stands there."""
        if change.now is not None and change.now.kind == "folder":
            os.rmdir(name, dir_fd=folder)
        else:
            self._look_again(change)
            os.unlink(name, dir_fd=folder)
        self._removed.add(change.path)

    def make_folder(self, change: Change, folder: int, name: str) -> None:
        """Make the folder; its mode is set when everything is in it."""
        if change.now is None or change.now.kind != "folder":
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, OWN, dir_fd=folder)

    def set_mode(self, change: Change, folder: int, name: str) -> None:
        """Give what stands there the mode it had."""
        if change.then is not None and not stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode):
            self._modes.pop(Path(self._absolute(change.path)), None)
            os.chmod(name, change.then.mode, dir_fd=folder)

    def write(self, change: Change, folder: int, name: str) -> None:
        """Put the file or link there in one step; if only its mode differs, its content is not touched."""
        then, now = change.then, change.now
        assert then is not None
        self._look_again(change)
        if now is not None and (now.kind, now.content) == (then.kind, then.content):
            self.set_mode(change, folder, name)
            return
        aside = f".yeaft-{os.urandom(6).hex()}.tmp"
        try:
            if then.kind == "link":
                os.symlink(then.content, os.fsencode(aside), dir_fd=folder)
            else:
                self._write_file(then, folder, aside)
            os.rename(aside, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(aside, dir_fd=folder)
            raise

    def close(self) -> None:
        """Give folders back the modes they had."""
        for path, mode in self._modes.items():
            with contextlib.suppress(OSError):
                path.chmod(mode)

    def _look_again(self, change: Change) -> None:
        """Raise `_Meanwhile` if the path is not as it was any more; among many, its turn comes a while later."""
        if self._look(self._absolute(change.path)) != (None if change.path in self._removed else change.now):
            raise _Meanwhile

    def _write_file(self, then: Entry, folder: int, name: str) -> None:
        content = self._get(then.content)
        if content is None:
            raise FileNotFoundError(errno.ENOENT, "content gone")
        with os.fdopen(os.open(name, WRITE, OWN, dir_fd=folder), "wb") as stream:
            stream.write(content)
            os.fchmod(stream.fileno(), then.mode)

    def _absolute(self, path: str) -> str:
        return path if path.startswith("/") else f"{self._root.rstrip('/')}/{path}"

    @contextlib.contextmanager
    def _parent(self, path: str) -> Generator[tuple[int, str]]:
        """The open folder that holds `path`, and the last name; folders on the way are made if they are missing.

        So is the root. Raises `OSError` where anything but a folder is in the way, such as a link.
        """
        start, parts = ("/", path.strip("/").split("/")) if path.startswith("/") else (self._root, path.split("/"))
        Path(start).mkdir(parents=True, exist_ok=True)
        folder = os.open(start, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in parts[:-1]:
                below = _opened(part, folder)
                os.close(folder)
                folder = below
            yield folder, parts[-1]
        finally:
            os.close(folder)

    def _open_up(self, path: str, folder: int) -> None:
        """Let us write in the folder of `path` until this is done. Raises `PermissionError` if we may not."""
        status = os.fstat(folder)
        if status.st_mode & OWN == OWN:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        os.fchmod(folder, status.st_mode | OWN)
        self._modes.setdefault(Path(self._absolute(path)).parent, stat.S_IMODE(status.st_mode))


def _opened(name: str, folder: int) -> int:
    try:
        return os.open(name, FOLDER, dir_fd=folder)
    except FileNotFoundError:
        os.mkdir(name, PLAIN_FOLDER, dir_fd=folder)
        return os.open(name, FOLDER, dir_fd=folder)
