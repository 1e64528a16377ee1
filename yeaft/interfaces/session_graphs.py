"""Graphs that a screen runs in its open Session, beside the conversation; what comes of them is told as notices."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.events.call import AskWithdrawn
from yeaft.events.codec import Recorded, Transient
from yeaft.events.session import NoticePosted
from yeaft.interfaces.orders import ChangeRun, RunGraph
from yeaft.kernel.errors import StoreFailed, YeaftError

if TYPE_CHECKING:
    from yeaft.events.call import AskOpened
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.graphing import Graphing
    from yeaft.interfaces.runs.run_view import RunView, Visit
    from yeaft.workflows.graphs.runs.session_runs import Frozen, Run

Begin = Callable[["Graphing"], Awaitable["Run"]]
"""Begins a run, or takes one up. Raises `YeaftError`."""


class SessionGraphs:
    """The runs of one Session that this process drives. Whoever leaves the Session awaits `ended` first.

    `hear` is called with each visit of a step that begins or ends, and with None when anything else has changed.
    """

    def __init__(self, here: Opened) -> None:
        self.hear: Callable[[Visit | None], None] = _unheard
        self._here = here
        self._driving: dict[asyncio.Task[None], Heard] = {}
        self._watched: list[Heard] = []
        self._cancelling: set[asyncio.Task[None]] = set()
        self._left: dict[str, RunView] = {}
        self._taken_up: set[str] = set()

    @property
    def are_running(self) -> bool:
        """Whether any graph runs, or is about to."""
        return bool(self._driving)

    @property
    def views(self) -> tuple[RunView, ...]:
        """What is known of each run that goes on here, oldest first."""
        return tuple(one.view for one in (*self._driving.values(), *self._watched) if one.view is not None)

    @contextlib.contextmanager
    def watching(self) -> Generator[Heard]:
        """Count a run that somebody else drives, such as a VP in a call of its own, among those that go on here."""
        heard = Heard(self._changed)
        self._watched.append(heard)
        try:
            yield heard
        finally:
            self._watched.remove(heard)
            self.hear(None)

    def start(self, deed: RunGraph) -> None:
        """Run a graph; what is wrong with it is told as its result is."""
        self._own(deed.file, partial(self._started, deed))

    def change(self, deed: ChangeRun) -> None:
        """Go on with a run of this Session, cancel it, or try a step of it again. Raises `NotFound`, `UsageError`."""
        from yeaft.workflows.graphs.runs.known_runs import known_runs, meant

        run = meant(known_runs(self._here.means.journal), deed.run)
        match deed.verb:
            case "resume":
                if not any(view.run_id == run.run_id for view in self.views):
                    self._taken_up.add(run.run_id)
                    self._own(run.name, partial(self._resumed, run.run_id))
            case "cancel":
                if not self.cancel(run.run_id):
                    self._own(run.name, partial(self._resumed, run.run_id, is_unwanted=True))
            case "retry":
                self._own(run.name, partial(self._retried, run.run_id, deed.step, _limits_in(deed.limits)))

    def cancel(self, run_id: str) -> bool:
        """Let a run that goes on here end for good, and say whether there is one."""
        for one in self._driving.values():
            if one.run is not None and one.run.execution.run_id == run_id:
                task = asyncio.create_task(one.run.driver.cancel("user", "interrupted"), name="graph-cancel")
                self._cancelling.add(task)
                task.add_done_callback(self._cancelling.discard)
                return True
        return False

    def suspend(self) -> bool:
        """Let all that runs stand still, to be gone on with later, and say whether anything did."""
        for task in self._driving:
            task.cancel()
        return bool(self._driving)

    async def ended(self) -> None:
        """Wait until nothing runs any more."""
        while tasks := (*self._driving, *self._cancelling):
            await asyncio.wait(tasks)

    def find_left(self) -> tuple[tuple[str, str], ...]:
        """Find the runs that were begun earlier and neither go on nor have ended; return their names and short ids."""
        from yeaft.interfaces.runs.left_runs import left_runs

        means = self._here.means
        driven = {view.run_id for view in self.views}
        self._left = {view.run_id: view for view in left_runs(means.journal, means.blobs) if view.run_id not in driven}
        if not self._left:
            return ()
        from yeaft.workflows.graphs.runs.known_runs import short

        return tuple((view.graph.name, short(view.run_id)) for view in self._left.values())

    def of_ask(self, ask: AskOpened) -> str:
        """Return which step of which run puts a question, for people; empty for one that no run puts."""
        for view in (*self.views, *self._left.values()):
            if (visit := view.asking(ask)) is not None:
                return f"{view.graph.name} · {visit.name}"
        return ""

    def go_on_from(self, ask: AskOpened) -> bool:
        """Go on with a run that was left with a question which has an answer now; return whether there is one."""
        for view in self._left.values():
            if view.asking(ask) is not None:
                if view.run_id not in self._taken_up:
                    self._taken_up.add(view.run_id)
                    self._own(view.graph.name, partial(self._resumed, view.run_id))
                return True
        return False

    def _own(self, what: str, begin: Begin) -> None:
        driven = Heard(self._changed)
        task = asyncio.create_task(self._go(what, begin, driven), name="graph")
        self._driving[task] = driven
        task.add_done_callback(self._let_go)

    def _let_go(self, task: asyncio.Task[None]) -> None:
        del self._driving[task]
        self.hear(None)
        if not task.cancelled():
            task.result()

    def _changed(self, visit: Visit | None) -> None:
        self.hear(visit)

    async def _go(self, what: str, begin: Begin, driven: Heard) -> None:
        from yeaft.interfaces.graphing import Graphing

        try:
            graphing = Graphing(self._here, hear_run=driven.hear_run, hear_step=driven.hear_step)
            await self._drive(await begin(graphing), driven)
        except YeaftError as error:
            self._post(
                NoticePosted(code="graph_run.refused", params={"file": what, "reason": str(error)}, level="error")
            )

    async def _drive(self, run: Run, driven: Heard) -> None:
        from yeaft.interfaces.runs.run_ends import asked, over, stands
        from yeaft.workflows.graphs.runs.cancel_request import heeding

        run_id, here = run.execution.run_id, self._here
        view = driven.begun(run, here)
        try:
            root = here.artifacts.out.parent
            async with heeding(root, run_id, lambda reason: run.driver.cancel("user", reason)):
                ended = await run.driver.drive()
        except asyncio.CancelledError:
            self._post(stands(here.ui, view))
            raise
        if ended is None:
            self._post(asked(view, run.driver.asked))
        else:
            self._post(over(here.ui, view, ended, self._named, run.execution))

    async def _started(self, deed: RunGraph, graphing: Graphing) -> Run:
        read = self._made if deed.pattern else self._read
        frozen, given, source = await asyncio.to_thread(read, deed)
        graphing.begin()
        run = await graphing.runs.start(frozen, given, source=source)
        params = {"graph": frozen.graph.name, "run": run.execution.run_id}
        self._post(NoticePosted(code="graph_run.begun", params=params, level="info"))
        return run

    async def _resumed(self, run_id: str, graphing: Graphing, *, is_unwanted: bool = False) -> Run:
        graphing.begin()
        self._withdraw_left(run_id)
        await self._here.means.parent.flushed()  # from here on nobody who had the run before can write in it
        run = graphing.runs.resume(run_id, is_unwanted=is_unwanted)
        if is_unwanted:
            await run.driver.cancel("user", "interrupted")
        return run

    def _withdraw_left(self, run_id: str) -> None:
        """Take back what was asked when the run was left: its steps ask anew. What calls of VPs wait for stays open."""
        view = self._left.pop(run_id, None)
        for ask in tuple(self._here.state.open_asks.values()):
            if view is not None and view.asking(ask) is not None and not ask.turn_id:
                withdrawn = AskWithdrawn(ask_id=ask.ask_id, reason="aborted")
                self._here.means.parent.post((withdrawn,), src="engine", cause=ask.call_id)

    async def _retried(self, run_id: str, step: str, limits: Mapping[str, float], graphing: Graphing) -> Run:
        from yeaft.workflows.graphs.runs.forking import failed_at

        def change(frozen: Frozen) -> Frozen:
            graph = frozen.graph
            return replace(frozen, graph=replace(graph, limits=replace(graph.limits, **limits)))

        graphing.begin()
        run, taken = await graphing.runs.fork(run_id, partial(failed_at, step), change)
        params = {"run": run_id, "count": str(taken)}
        self._post(NoticePosted(code="graph_run.took_over", params=params, level="info"))
        return run

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

    def _named(self, artifact_id: str) -> str:
        """Return what an artifact is called; empty if the Session does not know it."""
        known = self._here.state.artifacts.values()
        return next((one.name for one in known if one.artifact_id == artifact_id), "")

    def _post(self, notice: NoticePosted) -> None:
        self._here.session.begin()
        with contextlib.suppress(StoreFailed):  # a Session that cannot be written any more says so itself
            self._here.means.parent.post((notice,), src="engine")


class Heard:
    """One run on its way: what it is once it has begun (`begun`), and what has been heard of it."""

    def __init__(self, changed: Callable[[Visit | None], None]) -> None:
        self.run: Run | None = None
        self.view: RunView | None = None
        self._changed = changed

    def begun(self, run: Run, here: Opened) -> RunView:
        """Take in what the journal has of a run that goes on from now."""
        from yeaft.interfaces.runs.read_run import read_run

        self.run = run
        self.view = view = read_run(here.means.journal, here.means.blobs, run.execution.run_id)
        self._changed(None)
        return view

    def hear_run(self, run_id: str, recorded: Recorded) -> None:
        """Take in an event of the run, or of one within it."""
        if self.view is not None:
            self._changed(self.view.hear_run(run_id, recorded))

    def hear_step(self, act_id: str, heard: Recorded | Transient) -> None:
        """Take in what happens in a step; what streams in is no news here."""
        if self.view is not None and isinstance(heard, Recorded):
            self.view.hear_step(act_id, heard)
            self._changed(None)


def _limits_in(words: Sequence[str]) -> Mapping[str, float]:
    if not words:
        return {}
    from yeaft.interfaces.cli.commands.graph_running import limits_in

    return limits_in(words)


def _unheard(visit: Visit | None) -> None:
    """Hear and forget."""
    del visit
