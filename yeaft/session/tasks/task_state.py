"""What the journal tells of a Session's background tasks."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from yeaft.events.codec import Event
from yeaft.events.session import SessionForked
from yeaft.events.task import TaskEnded, TaskOrphaned, TaskStarted


class TaskState(Struct, frozen=True, kw_only=True):
    """One task; the two numbers are places in the journal."""

    started: TaskStarted
    started_seq: int
    ended: TaskEnded | TaskOrphaned | None = None
    ended_seq: int = 0


def fold_tasks(tasks: dict[str, TaskState], event: Event, seq: int) -> None:
    """Take one more event into `tasks`, which are by id."""
    match event:
        case TaskStarted():
            tasks[event.task_id] = TaskState(started=event, started_seq=seq)
        case TaskEnded(task_id=task_id) | TaskOrphaned(task_id=task_id) if task_id in tasks:
            tasks[task_id] = replace(tasks[task_id], ended=event, ended_seq=seq)
        case SessionForked():
            tasks.clear()  # they belong to the Session that this one was copied from
        case _:
            pass


def active_at(tasks: Iterable[TaskState], seq: int) -> tuple[TaskStarted, ...]:
    """The tasks that were running when the journal was at `seq`, oldest first."""
    return tuple(
        task.started for task in tasks if task.started_seq <= seq and (task.ended is None or task.ended_seq > seq)
    )
