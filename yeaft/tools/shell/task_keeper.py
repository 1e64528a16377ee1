"""Keeps one background command: starts it, writes its log and its fate, and ends it with all it has started.

A script for a bare interpreter (`python -I -S task_keeper.py PLACE LEFT_ID [owned]`), with nothing but the standard
library, so that it is small, starts fast and goes on without yeaft. PLACE is the task's directory, in which it finds

    job.json    what to run, and the record of the task to complete; removed once that is done

and leaves what `yeaft.store.task_files` and `yeaft.store.task_log` read: `meta.json`, `log` (`log.N`), `exit`.

It is the parent of all that the command leaves behind (a child subreaper), so nothing gets away, and the task is over
when it has no children any more. If the shell of the command ends before that, what it left is a task of its own:
LEFT_ID. With `owned`, standard input is a pipe that only the owner holds: its end is the end of the command. SIGTERM
ends the command too: SIGTERM to all of it, SIGKILL two seconds later. Standard output tells the owner what happened.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SEGMENT_BYTES = 52 * 1024 * 1024
"""When `log` becomes `log.N`; at most two of them are kept, so the newest 52 MiB are always there."""

CHUNK_BYTES = 64 * 1024
CHUNKS_AT_ONCE = 16
GRACE_S, AGAIN_S, SETTLE_S = 2.0, 0.1, 0.2
FIRST_SIGNAL_CODE = 128
TITLE_CHARS = 120
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
OWNER, STATUS = 0, 1


class SegmentedLog:
    """A log of bounded size: full segments are renamed to `log.1`, `log.2`, …, of which only the newest stays.

    The number in the name tells readers how much came before. A disk that is full must not end the command: the log
    then simply stops.
    """

    def __init__(self, path: Path, segment_bytes: int = SEGMENT_BYTES) -> None:
        self._path = path
        self._segment_bytes = segment_bytes
        self._number = 0
        self._size_bytes = 0
        self._is_broken = False
        self._file = path.open("ab", buffering=0)

    def take(self, chunk: bytes) -> None:
        """Write what the command printed next."""
        rest = memoryview(chunk)
        try:
            while rest and not self._is_broken:
                if self._size_bytes == self._segment_bytes:
                    self._rotate()
                written = self._file.write(rest[: self._segment_bytes - self._size_bytes]) or 0
                self._size_bytes += written
                rest = rest[written:]
        except OSError:
            self._is_broken = True

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _rotate(self) -> None:
        self._file.close()
        self._path.rename(self._segment(self._number + 1))
        self._segment(self._number).unlink(missing_ok=True)
        self._number += 1
        self._size_bytes = 0
        self._file = self._path.open("ab", buffering=0)

    def _segment(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")


class Keeper:
    """The command, from its start to the end of the last thing it started."""

    def __init__(self, place: Path, left_id: str, *, is_owned: bool) -> None:
        job = json.loads((place / "job.json").read_bytes())
        self._record: dict[str, Any] = job["record"]
        self._place = place
        self._left_id = left_id
        self._log = SegmentedLog(place / "log")
        self._poll = select.poll()
        self._code: int | None = None
        self._ended_at = 0.0
        self._stopped_by = ""
        self._is_escalated = False
        self._kill_at = 0.0
        self._is_asked_to_end = False
        self._wake = self._listen()
        if is_owned:
            self._poll.register(OWNER, select.POLLIN)
        self._child, self._output = _started(job)  # kept, because a Popen that is let go buries its process
        self._main = self._child.pid
        self._poll.register(self._output, select.POLLIN)
        self._record |= {"pid": self._main, "start_time": _start_time(self._main), "processes": [_myself()]}
        _write(self._place, self._record)
        (place / "job.json").unlink()
        _tell("started")

    def keep(self) -> None:
        """Stay until everything has ended, and write down how."""
        while self._has_children():
            for fd, _ in self._poll.poll(self._patience_ms()):
                self._attend(fd)
            if self._is_asked_to_end:
                self._stop("signal")
            self._follow_up()
        while self._take_output():
            pass
        self._finish()
        self._log.close()

    def _listen(self) -> int:
        wake, waker = os.pipe()
        for fd in (wake, waker):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, _only_wake)
        signal.signal(signal.SIGTERM, self._note_request)
        self._poll.register(wake, select.POLLIN)
        return wake

    def _note_request(self, *_: object) -> None:
        self._is_asked_to_end = True

    def _attend(self, fd: int) -> None:
        if fd == self._wake:
            os.read(fd, CHUNK_BYTES)
        elif fd == OWNER:
            self._poll.unregister(OWNER)
            self._stop("owner")
        else:
            for _ in range(CHUNKS_AT_ONCE):
                if not self._take_output():
                    break

    def _take_output(self) -> bool:
        try:
            chunk = os.read(self._output, CHUNK_BYTES)
        except BlockingIOError:
            return False
        if not chunk:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._output)
            return False
        self._log.take(chunk)
        return True

    def _has_children(self) -> bool:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self._main:
                code = os.waitstatus_to_exitcode(status)
                self._code = code if code >= 0 else FIRST_SIGNAL_CODE - code
                self._ended_at = time.monotonic()

    def _patience_ms(self) -> int | None:
        due = [self._kill_at] if self._kill_at else []
        if self._may_hand_over():
            due.append(self._ended_at + SETTLE_S)
        return max(0, int((min(due) - time.monotonic()) * 1000) + 1) if due else None

    def _follow_up(self) -> None:
        now = time.monotonic()
        if self._kill_at and now >= self._kill_at:
            self._is_escalated = True
            self._kill_at = now + AGAIN_S
            self._strike(signal.SIGKILL)
        elif self._may_hand_over() and now >= self._ended_at + SETTLE_S:
            self._hand_over()

    def _may_hand_over(self) -> bool:
        return self._code is not None and bool(self._left_id) and not self._kill_at

    def _stop(self, stopped_by: str) -> None:
        if self._kill_at:
            return
        self._stopped_by = stopped_by if self._code is None else ""
        self._kill_at = time.monotonic() + GRACE_S
        self._strike(signal.SIGTERM)

    def _strike(self, number: signal.Signals) -> None:
        for pid in list(_descendants()) or [self._main]:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

    def _hand_over(self) -> None:
        """End the task with its shell, and go on for what that has left running."""
        first = next(_descendants(), 0)
        if not first:
            return  # about to be gone
        while self._take_output():
            pass
        left = self._place.parent / self._left_id
        following = {
            **self._record,
            "task_id": self._left_id,
            "title": _command_line(first),
            "adopted": True,
            "pid": first,
            "start_time": _start_time(first),
            "started_ms": _now_ms(),
            "log": f"../{self._place.name}/log",
        }
        with contextlib.suppress(OSError):  # as in _finish
            left.mkdir(mode=0o700, exist_ok=True)
            _write(left, following)  # first, so that nobody sees the one ended and the other not there
        self._finish()
        self._place, self._record, self._left_id = left, following, ""
        self._main, self._code = first, None

    def _finish(self) -> None:
        is_cancelled = (self._place / "cancel").exists()
        stopped_by = "request" if is_cancelled else self._stopped_by
        code = self._code
        by_itself = {None: "orphaned", 0: "succeeded"}.get(code, "failed")
        self._record |= {
            "state": "cancelled" if stopped_by else by_itself,
            "exit_code": code,
            "signal": _signal_name(code),
            "stopped_by": stopped_by,
            "escalated": self._is_escalated,
            "ended_ms": _now_ms(),
        }
        with contextlib.suppress(OSError):  # the disk is full, or the directory is gone: nobody is left to tell
            (self._place / "exit").write_text(f"{code}\n")
            _write(self._place, self._record)
        _tell("ended")


def _started(job: dict[str, Any]) -> tuple[subprocess.Popen[bytes], int]:
    """Start the command in a session of its own; returns it, and what both its outputs are read from."""
    output, output_end = os.pipe()
    os.set_blocking(output, False)
    record = job["record"]
    child = subprocess.Popen(
        job["argv"],
        stdin=subprocess.DEVNULL,
        stdout=output_end,
        stderr=output_end,
        start_new_session=True,
        cwd=record["cwd"],
        env=os.environ | job["marks"],
    )
    os.close(output_end)
    return child, output


def _only_wake(*_: object) -> None:
    """Let the loop go round; ignoring the signal would pass on to the command."""


def _tell(what: str) -> None:
    with contextlib.suppress(OSError):  # the owner is gone
        os.write(STATUS, f"{what}\n".encode())


def _write(place: Path, record: dict[str, Any]) -> None:
    temporary = place / f"meta.json.{os.getpid()}"
    temporary.write_text(json.dumps(record))
    temporary.replace(place / "meta.json")


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _signal_name(code: int | None) -> str:
    try:
        return signal.Signals((code or 0) - FIRST_SIGNAL_CODE).name.removeprefix("SIG")
    except ValueError:
        return ""


def _myself() -> dict[str, int]:
    return {"pid": os.getpid(), "start_time": _start_time(os.getpid())}


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name; none where there is no such process or no /proc."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().decode("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return []


def _start_time(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[19]) if fields else 0


def _descendants() -> Iterator[int]:
    """All living processes below this one, those whose parent this is first."""
    parents: dict[int, int] = {}
    with contextlib.suppress(OSError):
        for pid in (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
            fields = _stat(pid)
            if fields and fields[0] not in "ZX":
                parents[pid] = int(fields[1])
    generation = {os.getpid()}
    while generation:
        generation = {pid for pid, parent in parents.items() if parent in generation}
        yield from sorted(generation)


def _command_line(pid: int) -> str:
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return ""
    return " ".join(raw.decode("utf-8", "replace").replace("\0", " ").split())[:TITLE_CHARS]


def main() -> None:
    """Keep the command whose place the first argument names."""
    with contextlib.suppress(AttributeError, OSError):  # only Linux has it
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    place, left_id, *owned = sys.argv[1:]
    try:
        keeper = Keeper(Path(place), left_id, is_owned=bool(owned))
    except OSError as error:
        _tell(f"failed: {error}")
        return
    keeper.keep()


if __name__ == "__main__":
    main()
