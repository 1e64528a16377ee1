"""Graphs that a screen runs in its open Session, beside the conversation; what comes of them is told as notices."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from yeaft.events.session import NoticePosted
from yeaft.kernel.errors import YeaftError

if TYPE_CHECKING:
    from yeaft.events.graph import GraphEnded
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.orders import RunGraph
    from yeaft.workflows.graphs.runs import Frozen, Run

SHOWN_CHARS = 8000


class SessionGraphs:
    """The runs of one Session that this process drives. Whoever leaves the Session awaits `ended` first."""

    def __init__(self, here: Opened) -> None:
        self._here = here
        self._tasks: set[asyncio.Task[None]] = set()
        self._runs: dict[str, Run] = {}

    @property
    def are_running(self) -> bool:
        """Whether any graph runs."""
        return bool(self._tasks)

    def start(self, deed: RunGraph) -> None:
        """Run a graph; what is wrong with it is told as its result is."""
        self._own(asyncio.create_task(self._go(deed), name="graph"))

    def stop(self) -> bool:
        """Cancel what runs in good order, and say whether anything did."""
        for run in tuple(self._runs.values()):
            self._own(asyncio.create_task(run.driver.cancel("user", "interrupted"), name="graph-cancel"))
        return bool(self._tasks)

    async def ended(self) -> None:
        """Wait until nothing runs any more."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))

    def _own(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _go(self, deed: RunGraph) -> None:
        read = self._made if deed.pattern else self._read
        try:
            frozen, given, source = await asyncio.to_thread(read, deed)
            await self._drive(frozen, given, source)
        except YeaftError as error:
            self._tell("graph_run.refused", "error", file=deed.file, reason=str(error))

    def _made(self, deed: RunGraph) -> tuple[Frozen, str, str]:
        from yeaft.interfaces.cli.commands.flow import flow_in
        from yeaft.interfaces.flowing import SOURCE, frozen_flow

        here = self._here
        made = flow_in(deed.pattern, here.library, here.ui.lang, here.config.default_vp)
        return frozen_flow(made.pattern, made.text, here.folder, here.library), made.task, f"{SOURCE}{made.pattern}"

    def _read(self, deed: RunGraph) -> tuple[Frozen, str, str]:
        from yeaft.interfaces.graph_models import usable_models
        from yeaft.interfaces.graphing import frozen, read_file

        here = self._here
        models = usable_models(here.config, here.means.thinking.environ)
        read = read_file(here.folder / Path(deed.file).expanduser(), here.library, models)
        return frozen(read), deed.given, str(read.path)

    async def _drive(self, frozen: Frozen, given: str, source: str) -> None:
        from yeaft.interfaces.graphing import Graphing
        from yeaft.workflows.graphs.cancel_request import heeding

        graphing = Graphing(self._here)
        graphing.begin()
        run = await graphing.runs.start(frozen, given, source=source)
        run_id = run.execution.run_id
        self._tell("graph_run.begun", "info", graph=frozen.graph.name, run=run_id)
        self._runs[run_id] = run
        try:
            root = self._here.artifacts.out.parent
            async with heeding(root, run_id, lambda reason: run.driver.cancel("user", reason)):
                ended = await run.driver.drive()
        finally:
            del self._runs[run_id]
        self._tell_end(run, ended)

    def _tell_end(self, run: Run, ended: GraphEnded | None) -> None:
        from yeaft.workflows.graphs.conditions import text_of

        name, run_id = run.frozen.graph.name, run.execution.run_id
        if ended is None:
            self._tell("graph_run.next", "warn", command=f"yeaft graph resume {run_id}")
            return
        value = msgspec.json.decode(ended.value)
        text = "" if value is None else text_of(value)[:SHOWN_CHARS]
        match ended.outcome:
            case "completed":
                self._tell("graph_run.gave", "info", graph=name, text=text)
            case "failed" | "needs_human":
                self._tell("graph_run.broke", "error", graph=name, reason=ended.error, run=run_id)
            case "cancelled":
                self._tell("graph_run.cancelled", "warn", graph=name, run=run_id)
            case "limit":
                limit = self._here.ui.text(f"graph_run.limit_{ended.limit}")
                self._tell("graph_run.limit", "warn", graph=name, limit=limit, run=run_id)
                self._tell("graph_run.gave", "info", graph=name, text=text)

    def _tell(self, code: str, level: Literal["info", "warn", "error"], **params: str) -> None:
        notice = NoticePosted(code=code, params=params, level=level)
        self._here.session.begin()
        self._here.means.parent.post((notice,), src="engine")
