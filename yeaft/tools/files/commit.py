"""Making several file changes as one: each by an atomic rename, all of them or none."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.files.change import Change
from yeaft.tools.files.file_bytes import read_if_there

WRITE = os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
PLAIN, EXECUTABLE = 0o666, 0o777  # of which the umask takes its part
PERMISSIONS = 0o7777


def commit(changes: Sequence[Change]) -> None:
    """Bring every file from `before` to `after`.

    A file that is no longer as `before` says, or a write that fails, undoes what was done and raises `ToolFailed`.
    Mode and owner of existing files stay; parents of new files are made. Files that have several names or whose
    folder or owner does not allow a rename are written in place.
    """
    undo = contextlib.ExitStack()
    with undo:
        for change in changes:
            _make(change, undo)
        undo.pop_all()


def _make(change: Change, undo: contextlib.ExitStack) -> None:
    path = change.path
    if read_if_there(path, str(path)) != change.before:
        raise ToolFailed(f"{path} was changed by another program at this moment; read it again. Nothing was written.")
    try:
        status = _status(change)
        if change.before is not None and not os.access(path, os.W_OK):
            raise ToolFailed(f"{path} is read-only; nothing was written.")
        for parent in _missing_parents(path):
            parent.mkdir()
            undo.callback(_remove_folder, parent)
        undo.callback(_restore, change, status)
        if change.after is None:
            path.unlink()
            return
        _write(path, change.after, status, EXECUTABLE if change.executable else PLAIN)
    except OSError as error:
        raise ToolFailed(f"Cannot write {path}: {error.strerror}. Nothing was changed.") from error


def _status(change: Change) -> os.stat_result | None:
    """Mode and owner that the file has or, if it moves here, had."""
    model = change.like if change.before is None else change.path
    return model.lstat() if model is not None and model.exists() else None


def _restore(change: Change, status: os.stat_result | None) -> None:
    """Put back what was there; the error that made it necessary is already on its way to the model."""
    with contextlib.suppress(OSError):
        if change.before is None:
            change.path.unlink(missing_ok=True)
        elif not change.path.exists() or change.path.read_bytes() != change.before:
            _write(change.path, change.before, status, PLAIN)


def _remove_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()


def _missing_parents(path: Path) -> Iterator[Path]:
    """The folders above `path` that do not exist, outermost first."""
    return iter([parent for parent in reversed(path.parents) if not parent.exists()])


def _write(path: Path, content: bytes, status: os.stat_result | None, mode: int) -> None:
    if status is not None and status.st_nlink > 1 and path.exists():
        _write_in_place(path, content)
        return
    try:
        _write_aside(path, content, status, mode)
    except PermissionError:
        if status is None or not path.exists():
            raise
        _write_in_place(path, content)


def _write_in_place(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, WRITE | os.O_TRUNC), "wb") as stream:
        stream.write(content)


def _write_aside(path: Path, content: bytes, status: os.stat_result | None, mode: int) -> None:
    """Write a new file beside `path`, like it in mode and owner, and rename it over `path`."""
    aside = path.with_name(f".yeaft-{os.urandom(6).hex()}.tmp")
    descriptor = os.open(aside, WRITE | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            if status is not None:
                _take_after(stream.fileno(), status)
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def _take_after(descriptor: int, status: os.stat_result) -> None:
    own = os.fstat(descriptor)
    if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
        os.fchown(descriptor, status.st_uid, status.st_gid)
    os.fchmod(descriptor, status.st_mode & PERMISSIONS)
