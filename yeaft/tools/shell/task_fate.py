"""What has become of a background task, and how it is ended: from its directory and the process table alone."""

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from yeaft.store.task_files import (
    Lifeline,
    TaskRecord,
    is_cancel_requested,
    read_record,
    request_cancel,
    withdraw_cancel,
)
from yeaft.tools.shell import descendants
from yeaft.tools.shell.descendants import Family
from yeaft.tools.shell.pid_watch import is_alive

GRACE_S = 2.0
END_WITHIN_S = 4.0
"""How long a canceller waits: the grace, the kill, and a moment for the keeper to write."""

FIRST_LOOK_S, SLOWEST_LOOK_S = 0.01, 0.2


class Cancelled(Struct, frozen=True, kw_only=True):
    """What a request to end a task has led to; with `pending` it has not ended yet."""

    ok: bool
    task: TaskRecord
    pending: bool = False
    error: str = ""


def fate(place: Path) -> TaskRecord | None:
    """The record in a task's directory as it is true now; None if there is none.

    A task that is called running, but of which nothing lives any more on this machine, is `orphaned`: nobody saw how
    it ended. If its end was asked for, it counts as `cancelled`.
    """
    record = read_record(place)
    if record is None or record.state != "running" or is_running(record):
        return record
    latest = read_record(place) or record  # it may have ended in good order just now
    if latest.state != "running":
        return latest
    if is_cancel_requested(place):
        return replace(latest, state="cancelled", stopped_by="request")
    return replace(latest, state="orphaned")


def is_running(record: TaskRecord) -> bool:
    """Whether any of the processes whose life is the task's is there; without a keeper, their offspring counts."""
    if record.host != os.uname().nodename:
        return False
    return any(map(is_alive, record.processes)) or (not record.is_kept and bool(remains(record)))


def remains(record: TaskRecord) -> Family:
    """All living processes that carry the task's mark, and their descendants."""
    return descendants.family(None, record.mark)


def cause_of(record: TaskRecord) -> str:
    """Who ended the task, in one sentence for the journal; empty if it ended by itself."""
    match record.stopped_by:
        case "request":
            return "It was cancelled."
        case "owner":
            return "It ended together with the yeaft that owned it."
        case "signal":
            return "Its keeper was told to stop."
        case "":
            return ""


async def cancel(place: Path, record: TaskRecord) -> Cancelled:
    """End a task: SIGTERM to all of it, SIGKILL two seconds later. Waits for its end, but not for ever.

    A task that has ended is left alone; a second request only waits for what the first has begun.
    """
    current = fate(place) or record
    if current.state == "orphaned":
        error = "Nothing of this task runs on this machine any more, and nobody saw how it ended."
        return Cancelled(ok=False, task=current, error=error)
    if current.state != "running":
        return Cancelled(ok=True, task=current)
    try:
        if request_cancel(place) and not await _strike(current):
            withdraw_cancel(place)
            return Cancelled(ok=False, task=current, error="Its processes could not be signalled.")
    except OSError as error:
        return Cancelled(ok=False, task=current, error=f"The request could not be written: {error.strerror}.")
    ended = await wait(place, END_WITHIN_S) or current
    return Cancelled(ok=True, task=ended, pending=ended.state == "running")


async def wait(place: Path, limit_s: float | None) -> TaskRecord | None:
    """Wait until a task has ended and return how; as it is when `limit_s` is over."""
    loop, pause_s = asyncio.get_running_loop(), FIRST_LOOK_S
    deadline = None if limit_s is None else loop.time() + limit_s
    while True:
        record = fate(place)
        if record is None or record.state != "running" or (deadline is not None and loop.time() >= deadline):
            return record
        left_s = SLOWEST_LOOK_S if deadline is None else max(0.0, deadline - loop.time())
        await asyncio.sleep(min(pause_s, left_s))
        pause_s = min(pause_s * 2, SLOWEST_LOOK_S)


async def _strike(record: TaskRecord) -> bool:
    """Tell the keeper to end the task or, without one, end its processes here; False if nobody could be told."""
    if record.is_kept:
        return any(map(_told_to_end, record.processes))
    await descendants.end(lambda: remains(record), GRACE_S)
    return True


def _told_to_end(line: Lifeline) -> bool:
    """Signal the process, and only it: the descriptor is taken before the start time is compared."""
    if sys.platform != "linux":
        with contextlib.suppress(OSError):
            os.kill(line.pid, signal.SIGTERM)
            return True
        return False
    try:
        pidfd = os.pidfd_open(line.pid)
    except OSError:
        return False
    try:
        if not is_alive(line):
            return False
        signal.pidfd_send_signal(pidfd, signal.SIGTERM)
    except OSError:
        return False
    finally:
        os.close(pidfd)
    return True
