"""The background tasks of a Session: started for its VPs, watched, told of when they end, ended with the Session."""

from __future__ import annotations

import asyncio
import os
from collections import ChainMap
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.events.codec import Event, Recorded, Transient
from yeaft.events.session import NoticePosted
from yeaft.events.task import TaskEnded, TaskOrphaned, TaskStarted
from yeaft.kernel.errors import StoreFailed
from yeaft.session.tasks.task_notices import notice_of, root_of
from yeaft.session.tasks.task_watch import AdoptedWatch, KeptWatch, Watch
from yeaft.store.task_files import (
    Lifeline,
    TaskRecord,
    left_id_of,
    log_of,
    read_record,
    task_id_of,
    task_places,
    write_record,
)
from yeaft.tools.shell import descendants
from yeaft.tools.shell.background import Job, title_of
from yeaft.tools.shell.shell import Shell, Survivor
from yeaft.tools.shell.task_fate import GRACE_S, cause_of

if TYPE_CHECKING:
    from yeaft.kernel.clock import NowMs
    from yeaft.session.ledger import Ledger
    from yeaft.tools.shell.task_run import KeeperLine

COMMAND_CHARS = 4000
"""How much of a command stands in the journal; the record has all of it."""

CLOSE_WITHIN_S = 6.0
UNSEEN_END = "Nobody saw how it ended."


class Tasks:
    """All tasks of one Session. `places` is the directory that has a directory for each of them.

    Whoever makes it lets it `hear` what is recorded, lets it `resume` with the Session's first append, and closes it.
    """

    def __init__(
        self, *, ledger: Ledger, session_id: str, places: Path, shell: Shell, phrases: Mapping[str, str], now_ms: NowMs
    ) -> None:
        self._ledger = ledger
        self._session_id = session_id
        self.places = places
        self._shell = shell
        self._phrases = phrases
        self._now_ms = now_ms
        self._lines: dict[str, KeeperLine] = {}
        self._watches: dict[str, Watch] = {}
        self._changed = asyncio.Event()
        self._has_failed = False

    @property
    def has_running(self) -> bool:
        """Whether there is anything that leaving the Session has to deal with."""
        return bool(self._running() or self._lines)

    def of(self, vp_id: str) -> VpTasks:
        """The tasks of one VP, as its tools need them."""
        return VpTasks(vp_id, self)

    async def start(self, vp_id: str, call_id: str, job: Job) -> TaskStarted:
        """Start a command; the event that says so is to be committed with the call. Raises as `Background.start`."""
        from yeaft.tools.shell.task_run import launch

        task_id = task_id_of(call_id)
        place = self.places / task_id
        record = self._record(vp_id, call_id, job, mark=f"YEAFT_CALL={task_id}")
        self._lines[task_id] = await launch(place, record, left_id_of(task_id), self._shell, job.folders)
        return _started(read_record(place) or record)

    def adopt(self, vp_id: str, call_id: str, job: Job, survivors: tuple[Survivor, ...]) -> TaskStarted:
        """Make a task of what a command has left running; as `start`."""
        record = self._record(vp_id, call_id, job, mark=f"YEAFT_CALL={call_id}")
        record = _adopted(record, survivors)
        write_record(self.places / record.task_id, record)
        return _started(record)

    def hear(self, heard: Recorded | Transient) -> None:
        """Watch over a task as soon as the journal has it."""
        if isinstance(heard, Recorded) and isinstance(heard.event, TaskStarted):
            self._watch(heard.event.task_id)

    def resume(self) -> None:
        """Take up what an earlier process left: learn how tasks have ended, watch over those that go on."""
        for place in task_places(self.places):
            record = read_record(place)
            if record is not None and record.task_id not in self._ledger.state.tasks:
                self._post(_started(record))
        for started in self._running():
            self._watch(started.task_id)

    async def close(self) -> None:
        """End all tasks that were not declared to survive, and say so; the others go on and are watched no more.

        Takes up to three seconds when a task does not want to end, six when one cannot be ended.
        """
        running = self._running()
        ending = [started for started in running if not started.survives]
        for line in self._lines.values():
            line.release()
        try:
            async with asyncio.timeout(CLOSE_WITHIN_S):
                await self._end_adopted(ending)
                while any(self._is_open(started.task_id) for started in ending) and not self._has_failed:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            pass  # what cannot be ended stays, and `yeaft task ls` says so
        finally:
            self._stop_watching()
        for started in running:
            if self._is_open(started.task_id) or self._was_cancelled(started.task_id):
                self._post(_farewell(started))

    def _running(self) -> list[TaskStarted]:
        return [task.started for task in self._ledger.state.tasks.values() if task.ended is None]

    def _is_open(self, task_id: str) -> bool:
        return self._ledger.state.tasks[task_id].ended is None

    def _was_cancelled(self, task_id: str) -> bool:
        ended = self._ledger.state.tasks[task_id].ended
        return isinstance(ended, TaskEnded) and ended.state == "cancelled"

    def _record(self, vp_id: str, call_id: str, job: Job, mark: str) -> TaskRecord:
        return TaskRecord(
            task_id=task_id_of(call_id),
            session_id=self._session_id,
            call_id=call_id,
            vp_id=vp_id,
            title=title_of(job),
            command=job.command,
            cwd=str(job.cwd),
            host=os.uname().nodename,
            mark=mark,
            started_ms=self._now_ms(),
            survives=job.survives,
        )

    def _watch(self, task_id: str) -> None:
        if task_id in self._watches:
            return
        place = self.places / task_id
        record = read_record(place)

        look = partial(self._look, task_id)
        if record is None or record.is_kept:
            self._watches[task_id] = KeptWatch(place, self._lines.get(task_id), look, self._now_ms)
        else:
            self._watches[task_id] = AdoptedWatch(
                place, record, look, partial(self._shell.catch_up, record.call_id), self._now_ms
            )
        look()

    def _look(self, task_id: str) -> None:
        """Record what has become of a task since the last look, and what it may have left running."""
        self._changed.set()
        if self._is_open(task_id):
            record = self._watches[task_id].now()
            if record is None or record.state != "running":
                self._end(self._ledger.state.tasks[task_id].started, record)
        left = read_record(self.places / left_id_of(task_id))
        if left is not None and left.task_id not in self._ledger.state.tasks:
            self._post(_started(left))
        line = self._lines.get(task_id)
        if line is not None and line.has_ended:
            del self._lines[task_id]

    def _end(self, started: TaskStarted, record: TaskRecord | None) -> None:
        place = self.places / started.task_id
        log = log_of(place, record) if record else place / "log"
        ended = _ended(started.task_id, record)
        left = read_record(self.places / left_id_of(started.task_id))
        left_id = left.task_id if left else ""
        notice = notice_of(self._ledger.state, started, ended, log=log, left_id=left_id, phrases=self._phrases)
        self._post(ended, notice, cause=started.task_id, corr=root_of(self._ledger.state, started))

    async def _end_adopted(self, ending: list[TaskStarted]) -> None:
        watches = [self._watches[one.task_id] for one in ending if one.task_id in self._watches]
        adopted = [watch for watch in watches if isinstance(watch, AdoptedWatch)]
        for watch in adopted:
            watch.end_with_owner()
        if adopted:
            await descendants.end(lambda: ChainMap(*(dict(watch.remains()) for watch in adopted)), GRACE_S)

    def _stop_watching(self) -> None:
        for watch in self._watches.values():
            watch.stop()
        for line in self._lines.values():
            line.close()
        self._lines.clear()

    def _post(self, *events: Event, cause: str = "", corr: str = "") -> None:
        try:
            self._ledger.post(events, src="engine", cause=cause, corr=corr)
        except StoreFailed:  # whoever works in the Session hears of it; the next process learns this from the files
            self._has_failed = True


class VpTasks:
    """The tasks of one VP; see `tools.background.Background`."""

    def __init__(self, vp_id: str, tasks: Tasks) -> None:
        self._vp_id = vp_id
        self._tasks = tasks

    async def start(self, call_id: str, job: Job) -> TaskStarted:
        """Start a command that nobody waits for."""
        return await self._tasks.start(self._vp_id, call_id, job)

    def adopt(self, call_id: str, job: Job, survivors: tuple[Survivor, ...]) -> TaskStarted:
        """Take over what the command of a call has left running."""
        return self._tasks.adopt(self._vp_id, call_id, job, survivors)


def _adopted(record: TaskRecord, survivors: tuple[Survivor, ...]) -> TaskRecord:
    """Give a record the processes that are left; the first that this process is the parent of stands for them."""
    me = os.getpid()
    own = [one for one in survivors if (seen := descendants.sighting(one.pid)) and seen.parent == me]
    first = (own or survivors)[0]
    return replace(
        record,
        title=first.command or record.title,
        adopted=True,
        is_kept=False,
        pid=first.pid,
        start_time=first.start_time,
        processes=tuple(Lifeline(pid=one.pid, start_time=one.start_time) for one in survivors),
        log=f"../{record.call_id}/log",
    )


def _started(record: TaskRecord) -> TaskStarted:
    return TaskStarted(
        task_id=record.task_id,
        call_id=record.call_id,
        vp_id=record.vp_id,
        title=record.title,
        command=record.command[:COMMAND_CHARS],
        cwd=record.cwd,
        pid=record.pid,
        start_time=record.start_time,
        survives=record.survives,
        adopted=record.adopted,
    )


def _ended(task_id: str, record: TaskRecord | None) -> TaskEnded | TaskOrphaned:
    orphaned = TaskOrphaned(task_id=task_id, error=UNSEEN_END)
    if record is None:
        return orphaned
    match record.state:
        case "running" | "orphaned":
            return orphaned
        case state:
            return TaskEnded(
                task_id=task_id, state=state, exit_code=record.exit_code, signal=record.signal, error=cause_of(record)
            )


def _farewell(started: TaskStarted) -> NoticePosted:
    """What the user is told about a task that runs when its Session is left."""
    params = {"task": started.task_id, "title": started.title}
    if started.survives:
        return NoticePosted(code="task.goes_on", params=params, vp_id=started.vp_id)
    return NoticePosted(code="task.ended_with_session", params=params, level="warn", vp_id=started.vp_id)
