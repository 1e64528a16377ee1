"""The lock that makes one process the only writer of a Session, and says who that is."""

import contextlib
import os
import time
from pathlib import Path
from typing import Self

import msgspec
from msgspec import Struct

from yeaft.kernel.clock import NowMs, wall_clock_ms
from yeaft.kernel.errors import SessionBusy, StoreFailed
from yeaft.store.filesystem import make_private

LOCK_NAME = "lock"
BODY_LIMIT_BYTES = 4096
CLOCK_TOLERANCE_S = 1.0  # the start of a process is counted in ticks since boot


class Owner(Struct, frozen=True, kw_only=True):
    """The process that writes a Session. `start_time` is when it took the lock, in seconds since the epoch.

    One that `is_passing` has it for a short change alone, and will be gone in a moment.
    """

    pid: int
    host: str
    start_time: float
    tty: str = ""
    is_passing: bool = False

    def __str__(self) -> str:
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.start_time))
        terminal = f" on {self.tty}" if self.tty else ""
        return f"process {self.pid} on host {self.host}{terminal}, since {since}"


class SessionLock:
    """A held lock: `flock` on the file `lock` of a Session's directory, which children of the process do not inherit.

    The system drops it when the process ends in whatever way. Made by `take`; `release` it or use it in a `with`.
    """

    def __init__(self, descriptor: int, owner: Owner, directory: Path) -> None:
        self._descriptor: int | None = descriptor
        self._directory = directory
        self.owner = owner

    @classmethod
    def take(
        cls,
        directory: Path,
        *,
        take_over: bool = False,
        expired: Owner | None = None,
        is_passing: bool = False,
        now_ms: NowMs = wall_clock_ms,
    ) -> Self:
        """Become the owner of the Session in `directory`, which is made if it is missing.

        Raises `SessionBusy` if a live process has it, or if another host's process last had it and did not release it
        (whether it still lives cannot be seen from here); `take_over` goes ahead in the second case only. An owner
        that has `expired` is put out even if its process lives: whoever does that must bump the epoch before anything
        else, for the old owner does not know. Raises `StoreFailed` if the directory cannot be written.
        """
        try:
            make_private(directory)
        except OSError as error:
            remedy = "Check its permissions, or set YEAFT_DIR to another folder."
            raise StoreFailed(f"The folder {directory} cannot be made: {error.strerror}. {remedy}") from error
        if expired is not None:
            _put_out(directory, expired)
        try:
            descriptor = os.open(directory / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreFailed(f"{directory} cannot be locked: {error.strerror}. Check its permissions.") from error
        with contextlib.ExitStack() as on_failure:
            on_failure.callback(os.close, descriptor)
            _flock(descriptor, directory)
            if not _is_in_place(descriptor, directory):  # somebody has put its owner out just now
                raise SessionBusy(f"Session {directory.name} is being taken over by another process; try again.")
            owner = _this_process(now_ms, is_passing=is_passing)
            try:
                if not take_over:
                    _refuse_other_host(descriptor, directory, owner.host)
                _write_body(descriptor, msgspec.json.encode(owner))
            except OSError as error:
                remedy = "Is the disk full, or the file something else than a file?"
                raise StoreFailed(f"{directory / LOCK_NAME} cannot be written: {error.strerror}. {remedy}") from error
            on_failure.pop_all()
        return cls(descriptor, owner, directory)

    @property
    def is_current(self) -> bool:
        """Whether this is still the Session's lock; not if its owner had expired and was put out."""
        return self._descriptor is not None and _is_in_place(self._descriptor, self._directory)

    def release(self) -> None:
        """Let others in; a second call does nothing."""
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        with contextlib.suppress(OSError):  # closing is what lets others in
            _write_body(descriptor, b"")
        os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def read_owner(directory: Path) -> Owner | None:
    """Who has, or last had and did not release, the Session in `directory`."""
    try:
        descriptor = os.open(directory / LOCK_NAME, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return _owner(os.pread(descriptor, BODY_LIMIT_BYTES, 0))
    except OSError:  # it is no file
        return None
    finally:
        os.close(descriptor)


def is_owned(directory: Path) -> bool:
    """Whether the process that has the Session in `directory` is still there; one of another host is taken to be."""
    owner = read_owner(directory)
    if owner is None or owner.host != os.uname().nodename:
        return owner is not None
    import psutil  # takes 20 ms, and only those need it who look on from outside

    try:
        return float(psutil.Process(owner.pid).create_time()) <= owner.start_time + CLOCK_TOLERANCE_S
    except psutil.Error:
        return False


def _flock(descriptor: int, directory: Path) -> None:
    import fcntl  # not on every platform that can import yeaft

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        owner = read_owner(directory) or "another process"
        raise SessionBusy(
            f"Session {directory.name} is in use by {owner}. Close it there, or start a new Session."
        ) from error
    except OSError as error:
        raise StoreFailed(f"{directory} is on a file system without locks: {error.strerror}.") from error


def _is_in_place(descriptor: int, directory: Path) -> bool:
    """Whether an open lock file is the one that others find."""
    try:
        found = (directory / LOCK_NAME).stat()
    except OSError:
        return False
    return os.path.samestat(found, os.fstat(descriptor))


def _put_out(directory: Path, expired: Owner) -> None:
    """Take the lock file away from under an owner; only one does it at a time, and only from that very owner."""
    import fcntl

    try:
        guard = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise StoreFailed(f"{directory} cannot be locked: {error.strerror}. Check its permissions.") from error
    try:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if read_owner(directory) == expired:
            (directory / LOCK_NAME).unlink(missing_ok=True)
    except OSError as error:
        raise StoreFailed(f"{directory / LOCK_NAME} cannot be replaced: {error.strerror}.") from error
    finally:
        os.close(guard)


def _refuse_other_host(descriptor: int, directory: Path, host: str) -> None:
    last = _owner(os.pread(descriptor, BODY_LIMIT_BYTES, 0))
    if last and last.host != host:
        raise SessionBusy(
            f"Session {directory.name} was last used by {last}, and that process did not close it. If it has ended, "
            "open the Session with --take-over."
        )


def _this_process(now_ms: NowMs, *, is_passing: bool) -> Owner:
    host, since_s = os.uname().nodename, now_ms() / 1000
    return Owner(pid=os.getpid(), host=host, start_time=since_s, tty=_terminal(), is_passing=is_passing)


def _terminal() -> str:
    for number in (0, 1, 2):
        with contextlib.suppress(OSError):  # not a terminal, or one of another container
            return os.ttyname(number)
    return ""


def _owner(content: bytes) -> Owner | None:
    try:
        return msgspec.json.decode(content, type=Owner)
    except (msgspec.DecodeError, RecursionError):  # empty after a release, or cut
        return None


def _write_body(descriptor: int, content: bytes) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, content, 0)
