"""What a background task leaves in its directory `tasks/<id>/` of a Session: enough to know and end it from anywhere.

meta.json   the record, replaced atomically; written by whoever keeps the task
log         what it printed, with `log.N` before it (see `task_log`)
cancel      somebody has asked for its end
exit        the exit code, once it has ended
"""

import contextlib
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from yeaft.kernel import ids
from yeaft.kernel.errors import NotFound
from yeaft.store.directory import SessionPaths

RECORD_NAME = "meta.json"
CANCEL_NAME = "cancel"
ID_PREFIX = "j_"
ID_LENGTH = 12

TaskRunState = Literal["running", "succeeded", "failed", "cancelled", "orphaned"]
StoppedBy = Literal["", "request", "owner", "signal"]


def task_id_of(call_id: str) -> str:
    """The task that a call starts, or that what it leaves running becomes. Short, because people type it."""
    return ids.derive(ID_PREFIX, call_id)[:ID_LENGTH]


def left_id_of(task_id: str) -> str:
    """The task that what a task leaves running becomes."""
    return ids.derive(ID_PREFIX, task_id, "left")[:ID_LENGTH]


class Lifeline(Struct, frozen=True, kw_only=True):
    """A process by pid and start time (clock ticks since boot), so that a later namesake is not taken for it."""

    pid: int
    start_time: int


class TaskRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A task as its directory tells it; whether it still runs only the process table knows (`tools.task_fate`).

    `processes` are those whose life is the task's: its keeper, or for what a command left running (`is_kept` False)
    that itself. `mark` is the environment variable that all its processes carry. `log` is relative to the directory.
    `stopped_by` says who ended it: a request to cancel, the end of the yeaft that owned it, or a signal to its keeper.
    """

    task_id: str
    session_id: str
    call_id: str
    vp_id: str
    title: str
    command: str
    cwd: str
    host: str
    mark: str
    started_ms: int
    survives: bool = False
    adopted: bool = False
    is_kept: bool = True
    pid: int = 0
    start_time: int = 0
    processes: tuple[Lifeline, ...] = ()
    log: str = "log"
    state: TaskRunState = "running"
    exit_code: int | None = None
    signal: str = ""
    stopped_by: StoppedBy = ""
    escalated: bool = False
    ended_ms: int = 0


def read_record(place: Path) -> TaskRecord | None:
    """The record in a task's directory; None if there is none yet, or none that can be read."""
    try:
        return msgspec.json.decode((place / RECORD_NAME).read_bytes(), type=TaskRecord)
    except (OSError, msgspec.DecodeError):
        return None


def write_record(place: Path, record: TaskRecord) -> None:
    """Put a record in its directory, which is made if it is missing. Raises `OSError`."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = place / f"{RECORD_NAME}.new"
    temporary.write_bytes(msgspec.json.encode(record))
    temporary.replace(place / RECORD_NAME)


def task_places(tasks: Path) -> list[Path]:
    """The directories below a Session's `tasks` that hold a task, oldest first."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        records = [place / RECORD_NAME for place in tasks.iterdir() if place.name.startswith(ID_PREFIX)]
        return [record.parent for record in sorted(filter(Path.exists, records), key=_written_at)]
    return []


def find_task(tasks: Path, reference: str) -> Path:
    """The directory of the one task of a Session whose id is or begins with `reference`. Raises `NotFound`."""
    return one_of(task_places(tasks), reference)


def one_of(places: list[Path], reference: str) -> Path:
    """The one of `places` whose name is or begins with `reference`, with or without `j_`. Raises `NotFound`."""
    wanted = ID_PREFIX + reference.lower().removeprefix(ID_PREFIX)
    fitting = [place for place in places if place.name == wanted]
    fitting = fitting or [place for place in places if place.name.startswith(wanted) and wanted != ID_PREFIX]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        shown = ", ".join(place.name for place in fitting)
        raise NotFound(f"{reference!r} fits {len(fitting)} tasks: {shown}. Give more of the id.")
    known = ", ".join(place.name for place in places[-5:]) or "none"
    raise NotFound(f"No task {reference!r}. The newest are: {known}.")


def session_of(place: Path) -> SessionPaths:
    """The Session that a task's directory belongs to."""
    return SessionPaths(place.parent.parent)


def log_of(place: Path, record: TaskRecord) -> Path:
    """Where the task's output is; the file may be missing when it printed nothing."""
    return (place / record.log).resolve()


def request_cancel(place: Path) -> bool:
    """Note that the task is to end; False if that had been noted before. Raises `OSError`."""
    try:
        (place / CANCEL_NAME).touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        return False
    return True


def withdraw_cancel(place: Path) -> None:
    """Take the note back: the request could not be delivered."""
    (place / CANCEL_NAME).unlink(missing_ok=True)


def is_cancel_requested(place: Path) -> bool:
    """Whether somebody has asked for the end of the task."""
    return (place / CANCEL_NAME).exists()


def _written_at(record: Path) -> float:
    """When the task was started; the file itself is replaced when it ends."""
    found = read_record(record.parent)
    return found.started_ms if found else 0
