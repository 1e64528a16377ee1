"""Show the model the background tasks of its Session, as their directories and the process table tell them."""

import asyncio
from pathlib import Path

import msgspec
from msgspec import Struct

from yeaft.store.task_files import TaskRecord, TaskRunState, log_of, task_places
from yeaft.store.task_log import read_tail
from yeaft.tools.shell.task_fate import fate
from yeaft.tools.tool import Running, Tool

COMMAND_CHARS = 200
MOST_TASKS = 50


class ListTasks(Struct, frozen=True, kw_only=True):
    """Arguments."""

    all: bool = False


class TaskShown(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A task as tools tell it; times are milliseconds since the epoch, `log_bytes` is what it has printed so far."""

    id: str
    title: str
    state: TaskRunState
    vp: str
    command: str
    pid: int
    started_ms: int
    log_bytes: int = 0
    ended_ms: int = 0
    exit_code: int | None = None
    signal: str = ""
    survives: bool = False
    adopted: bool = False


def list_tasks(places: Path) -> Tool[ListTasks]:
    """Let the model see the tasks in `places`, the directory that has a directory for each: the newest 50 at most."""

    def listed(args: ListTasks) -> str:
        found = [(place, record) for place in task_places(places) if (record := fate(place))]
        wanted = [task_shown(place, record) for place, record in found if args.all or record.state == "running"]
        newest = tuple(wanted[-MOST_TASKS:])
        return msgspec.json.encode({"tasks": newest, "omitted": len(wanted) - len(newest)}).decode()

    async def run(args: ListTasks, _: Running) -> str:
        return await asyncio.to_thread(listed, args)

    return Tool(name="ListTasks", args=ListTasks, run=run, guard="read")


def task_shown(place: Path, record: TaskRecord) -> TaskShown:
    """A task as tools tell it."""
    return TaskShown(
        id=record.task_id,
        title=record.title,
        state=record.state,
        vp=record.vp_id,
        command=record.command[:COMMAND_CHARS],
        pid=record.pid,
        started_ms=record.started_ms,
        log_bytes=read_tail(log_of(place, record), 0).end,
        ended_ms=record.ended_ms,
        exit_code=record.exit_code,
        signal=record.signal,
        survives=record.survives,
        adopted=record.adopted,
    )
