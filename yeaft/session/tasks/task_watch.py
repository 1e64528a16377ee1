"""How this process learns of the end of a task: from its keeper, or from the processes that a command left running."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from yeaft.kernel.clock import NowMs
from yeaft.store.task_files import (
    Lifeline,
    TaskRecord,
    is_cancel_requested,
    read_record,
    write_record,
)
from yeaft.tools.shell import descendants
from yeaft.tools.shell.descendants import Family
from yeaft.tools.shell.pid_watch import when_gone
from yeaft.tools.shell.task_fate import fate, is_running, remains

if TYPE_CHECKING:
    from yeaft.tools.shell.task_run import KeeperLine

FIRST_SIGNAL_CODE = 128


class Watch(Protocol):
    """One task under watch."""

    def now(self) -> TaskRecord | None:
        """The record as it is true now; written down if nobody else would do it."""
        ...

    def stop(self) -> None:
        """Watch no more."""
        ...


class KeptWatch:
    """Over a task with a keeper: `line` leads to it if this process started it."""

    def __init__(self, place: Path, line: KeeperLine | None, tell: Callable[[], None], now_ms: NowMs) -> None:
        self._place = place
        self._now_ms = now_ms
        self._stops: list[Callable[[], None]] = []
        if line is not None:
            line.listen(lambda _: tell())
            return
        record = read_record(place)
        if record is not None and record.state == "running":
            self._stops = [when_gone(process, tell) for process in record.processes]

    def now(self) -> TaskRecord | None:
        """See `Watch`. What a killed keeper has left behind is ended: nobody could do that later."""
        record = fate(self._place)
        if record is not None and record.state != "running" and not record.ended_ms:
            descendants.strike(remains(record), signal.SIGKILL)
            record = replace(record, ended_ms=self._now_ms())
            _write(self._place, record)
        return record

    def stop(self) -> None:
        """See `Watch`."""
        for stop in self._stops:
            stop()


class AdoptedWatch:
    """Over what a command left running: over its processes and whatever they start.

    `catch_up` brings its log up to date.
    """

    def __init__(
        self, place: Path, record: TaskRecord, tell: Callable[[], None], catch_up: Callable[[], None], now_ms: NowMs
    ) -> None:
        self._place = place
        self._record = record
        self._tell = tell
        self._catch_up = catch_up
        self._now_ms = now_ms
        self._code: int | None = None
        self._stops: dict[int, Callable[[], None]] = {}
        for process in record.processes:
            self._over(process)

    def now(self) -> TaskRecord | None:
        """See `Watch`."""
        record = self._record
        if record.state != "running":
            return record
        if is_running(record):
            for pid, one in remains(record).items():
                self._over(Lifeline(pid=pid, start_time=one.started))
            return record
        self._catch_up()  # first, so that whoever sees that it has ended finds all of its log
        self._record = self._ended()
        _write(self._place, self._record)
        return self._record

    def stop(self) -> None:
        """See `Watch`."""
        for stop in self._stops.values():
            stop()

    def remains(self) -> Family:
        """All its processes that are there."""
        return remains(self._record)

    def end_with_owner(self) -> None:
        """Note that its end, which is near, is no failure of its own."""
        self._record = replace(self._record, stopped_by="owner")

    def _over(self, process: Lifeline) -> None:
        if process.pid not in self._stops:
            self._stops[process.pid] = when_gone(process, lambda: self._gone(process.pid))

    def _gone(self, pid: int) -> None:
        if pid == self._record.pid:
            self._code = exit_code_of_child(pid)
        self._tell()

    def _ended(self) -> TaskRecord:
        code = exit_code_of_child(self._record.pid) if self._code is None else self._code
        record = replace(self._record, exit_code=code, signal=_signal_name(code), ended_ms=self._now_ms())
        if is_cancel_requested(self._place):
            return replace(record, state="cancelled", stopped_by="request")
        if self._record.stopped_by:
            return replace(record, state="cancelled")
        if code is None:
            return replace(record, state="orphaned")
        return replace(record, state="failed" if code else "succeeded")


def exit_code_of_child(pid: int) -> int | None:
    """The exit code of a child that has ended, without burying it; None if that cannot be known."""
    if sys.platform != "linux":
        return None
    with contextlib.suppress(OSError):
        found = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is not None:
            return found.si_status if found.si_code == os.CLD_EXITED else FIRST_SIGNAL_CODE + found.si_status
    return None


def _signal_name(code: int | None) -> str:
    try:
        return signal.Signals((code or 0) - FIRST_SIGNAL_CODE).name.removeprefix("SIG")
    except ValueError:
        return ""


def _write(place: Path, record: TaskRecord) -> None:
    with contextlib.suppress(OSError):  # the journal has it too, and readers of the files come to the same
        write_record(place, record)
