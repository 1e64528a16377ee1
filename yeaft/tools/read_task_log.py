"""Show the model what a background task has printed, a portion at a time, by byte offsets."""

import asyncio
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from yeaft.kernel.errors import NotFound, ToolFailed
from yeaft.store.task_files import TaskRunState, find_task, log_of
from yeaft.store.task_log import Portion, read_log, read_tail
from yeaft.tools.shell.task_fate import fate
from yeaft.tools.tool import Running, Tool

DEFAULT_BYTES, MOST_BYTES = 64 * 1024, 1024 * 1024


class ReadTaskLog(Struct, frozen=True, kw_only=True):
    """Arguments; without `offset` the end of the log is read, unless `tail` says otherwise."""

    task_id: str = field(name="taskId")
    offset: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    max_bytes: int = field(name="maxBytes", default=DEFAULT_BYTES)
    tail: bool | UnsetType = UNSET


class LogShown(Struct, frozen=True, kw_only=True, rename="camel"):
    """A portion of a log: `bytes` is the size of all that was printed so far, `truncated` says that more follows."""

    path: str
    text: str
    bytes: int
    offset: int
    next_offset: int
    truncated: bool
    state: TaskRunState


def read_task_log(places: Path) -> Tool[ReadTaskLog]:
    """Let the model read the logs of the tasks in `places`."""

    def shown(args: ReadTaskLog) -> str:
        try:
            place = find_task(places, args.task_id)
        except NotFound as error:
            raise ToolFailed(f"{error} ListTasks lists them.") from error
        record = fate(place)
        if record is None:
            raise ToolFailed(f"The record of task {place.name} cannot be read.")
        log = log_of(place, record)
        portion = _portion(log, args)
        return msgspec.json.encode(
            LogShown(
                path=str(log),
                text=portion.content.decode("utf-8", "replace"),
                bytes=portion.end,
                offset=portion.offset,
                next_offset=portion.next_offset,
                truncated=portion.next_offset < portion.end,
                state=record.state,
            )
        ).decode()

    async def run(args: ReadTaskLog, _: Running) -> str:
        return await asyncio.to_thread(shown, args)

    return Tool(name="ReadTaskLog", args=ReadTaskLog, run=run, guard="read")


def _portion(log: Path, args: ReadTaskLog) -> Portion:
    limit_bytes = min(max(args.max_bytes, 1), MOST_BYTES)
    is_tail = args.offset is UNSET if args.tail is UNSET else args.tail
    if is_tail:
        return read_tail(log, limit_bytes)
    return read_log(log, 0 if args.offset is UNSET else args.offset, limit_bytes)
