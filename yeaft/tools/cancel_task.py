"""Let the model end a background task."""

from pathlib import Path

import msgspec
from msgspec import Struct, field

from yeaft.kernel.errors import NotFound, ToolFailed
from yeaft.store.task_files import find_task
from yeaft.tools.list_tasks import TaskShown, task_shown
from yeaft.tools.shell.task_fate import cancel, fate
from yeaft.tools.tool import Running, Tool, ToolResult


class CancelTask(Struct, frozen=True, kw_only=True):
    """Arguments."""

    task_id: str = field(name="taskId")


class CancelShown(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of it; `pending` when it was told to end but has not ended yet."""

    ok: bool
    task: TaskShown
    pending: bool = False
    error: str = ""


def cancel_task(places: Path) -> Tool[CancelTask]:
    """Let the model end the tasks in `places`."""

    async def run(args: CancelTask, _: Running) -> ToolResult:
        try:
            place = find_task(places, args.task_id)
        except NotFound as error:
            raise ToolFailed(f"{error} ListTasks lists them.") from error
        record = fate(place)
        if record is None:
            raise ToolFailed(f"The record of task {place.name} cannot be read.")
        done = await cancel(place, record)
        shown = CancelShown(ok=done.ok, task=task_shown(place, done.task), pending=done.pending, error=done.error)
        return ToolResult(text=msgspec.json.encode(shown).decode(), failed=not done.ok)

    return Tool(name="CancelTask", args=CancelTask, run=run, guard="unsafe")
