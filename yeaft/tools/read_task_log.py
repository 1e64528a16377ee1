"""Show the model what a background task has printed, or an earlier result of its own, in portions by byte offsets."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from yeaft.events.call import CallFinished
from yeaft.kernel import ids
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


ResultOf = Callable[[str], CallFinished | None]
"""Gives the result of an earlier call of the same VP by the call's id; None if there is none."""


def read_task_log(places: Path, result_of: ResultOf) -> Tool[ReadTaskLog]:
    """Let the model read the logs of the tasks in `places`, and the results of its earlier calls once more.

    A result that was left out of a request, or cut in it, is whole in the journal; its line in the request names the
    call's id.
    """

    def shown(args: ReadTaskLog) -> str:
        if args.task_id.startswith(ids.CALL_PREFIX):
            return _result_shown(result_of(args.task_id), args)
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
    if _is_tail(args):
        return read_tail(log, _limit_bytes(args))
    return read_log(log, 0 if args.offset is UNSET else args.offset, _limit_bytes(args))


def _is_tail(args: ReadTaskLog) -> bool:
    return args.offset is UNSET if args.tail is UNSET else args.tail


def _limit_bytes(args: ReadTaskLog) -> int:
    return min(max(args.max_bytes, 1), MOST_BYTES)


def _result_shown(finished: CallFinished | None, args: ReadTaskLog) -> str:
    """A portion of a result, from its beginning unless told otherwise: it is a text to read, not the end of a log."""
    if finished is None:
        raise ToolFailed(
            f"There is no result of a call {args.task_id!r} of yours. Give the id as the request names it."
        )
    raw, limit_bytes = finished.text.encode("utf-8", "surrogatepass"), _limit_bytes(args)
    start = max(0, len(raw) - limit_bytes) if args.tail is True else 0 if args.offset is UNSET else args.offset
    portion = raw[start : start + limit_bytes]
    end = min(start + len(portion), len(raw))
    return msgspec.json.encode(
        LogShown(
            path=f"result of {finished.tool}",
            text=portion.decode("utf-8", "replace"),
            bytes=len(raw),
            offset=start,
            next_offset=end,
            truncated=end < len(raw),
            state="succeeded" if finished.status == "ok" else "failed",
        )
    ).decode()
