"""What the tools need of a Session's background tasks."""

from pathlib import Path
from typing import Protocol

from msgspec import Struct

from yeaft.events.task import TaskStarted
from yeaft.tools.shell.shell import Survivor

TITLE_CHARS = 120


class Job(Struct, frozen=True, kw_only=True):
    """A command as a VP wants it run; `survives` lets it outlive the yeaft that starts it.

    In a sandbox it writes only below `folders` (none: `cwd`).
    """

    command: str
    cwd: Path
    folders: tuple[Path, ...] = ()
    title: str = ""
    survives: bool = False


class Background(Protocol):
    """The tasks of one VP. What they return is to be committed with the result of the call."""

    async def start(self, call_id: str, job: Job) -> TaskStarted:
        """Start a command that nobody waits for.

        Raises `OSError` when it cannot be started, and `ToolFailed` when it may not without a sandbox.
        """
        ...

    def adopt(self, call_id: str, job: Job, survivors: tuple[Survivor, ...]) -> TaskStarted:
        """Take over what the command of a call has left running. Raises `OSError` when that cannot be recorded."""
        ...


def title_of(job: Job) -> str:
    """What lists call the task: its title, or else its command, on one short line."""
    return " ".join((job.title or job.command).split())[:TITLE_CHARS]
