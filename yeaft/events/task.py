"""Facts about background tasks: shell commands that go on while the conversation does."""

from typing import ClassVar, Literal

from yeaft.events.fact import Fact

TaskEnding = Literal["succeeded", "failed", "cancelled"]


class TaskStarted(Fact, frozen=True, kw_only=True, tag="task.started"):
    """A command of a VP runs in the background.

    `pid` and `start_time` (clock ticks since boot) together name its first process. `survives` says that it was
    declared to outlive the yeaft that started it. `adopted` that it is what a command left running (`&`, `nohup`, …).
    """

    identity: ClassVar[tuple[str, ...]] = ("task_id",)
    task_id: str
    call_id: str
    vp_id: str
    title: str
    command: str
    cwd: str
    pid: int
    start_time: int
    survives: bool = False
    adopted: bool = False


class TaskEnded(Fact, frozen=True, kw_only=True, tag="task.ended"):
    """A task ended, and it is known how. `signal` is a name such as `TERM`; `error` says who stopped it and why."""

    identity: ClassVar[tuple[str, ...]] = ("task_id",)
    task_id: str
    state: TaskEnding
    exit_code: int | None = None
    signal: str = ""
    error: str = ""


class TaskOrphaned(Fact, frozen=True, kw_only=True, tag="task.orphaned"):
    """A task is gone, and nobody saw how it ended."""

    identity: ClassVar[tuple[str, ...]] = ("task_id",)
    task_id: str
    error: str
