"""What the journal tells of a Session's background tasks."""

from collections.abc import Iterable

from msgspec import Struct

from yeaft.events.task import TaskEnded, TaskOrphaned, TaskStarted


class TaskState(Struct, frozen=True, kw_only=True):
    """One task; the two numbers are places in the journal."""

    started: TaskStarted
    started_seq: int
    ended: TaskEnded | TaskOrphaned | None = None
    ended_seq: int = 0


def active_at(tasks: Iterable[TaskState], seq: int) -> tuple[TaskStarted, ...]:
    """The tasks that were running when the journal was at `seq`, oldest first."""
    return tuple(
        task.started for task in tasks if task.started_seq <= seq and (task.ended is None or task.ended_seq > seq)
    )
