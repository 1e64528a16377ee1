"""One process that drives one run of a graph to its end: shown while it goes on, reported when it is over."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.events.call import AskOpened, AskWithdrawn
from yeaft.events.codec import Recorded, Transient
from yeaft.events.session import NoticePosted
from yeaft.events.turn import ProgressShown, ReplyCompleted, RetryWaiting
from yeaft.interfaces.amounts import money
from yeaft.interfaces.assemble import Opened, opened
from yeaft.interfaces.cli.graphs.graph_result import (
    GraphResult,
    ended_result,
    next_command,
    printed,
    waiting_result,
)
from yeaft.interfaces.cli.graphs.run_screen import RunScreen, screen_for
from yeaft.interfaces.cli.graphs.stdout_aside import stdout_aside
from yeaft.interfaces.cli.json_screen import JsonScreen
from yeaft.interfaces.cli.output import Output
from yeaft.interfaces.cli.signals import Signals
from yeaft.interfaces.cli.spoken import complain_of, spoken
from yeaft.interfaces.cli.streams import complain
from yeaft.interfaces.graphing import Graphing
from yeaft.interfaces.runs.more import more_words
from yeaft.interfaces.runs.run_ends import cancelled_step, failed_step, named_limit, reached
from yeaft.interfaces.runs.run_lines import left_out_line
from yeaft.interfaces.runs.run_view import RunView
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import SessionBusy, YeaftError
from yeaft.kernel.messages import text_of
from yeaft.kernel.outcome import EXIT_FAILED, EXIT_PIPE_CLOSED
from yeaft.kernel.text import without_surrogates
from yeaft.workflows.graphs.runs.cancel_request import heeding
from yeaft.workflows.graphs.runs.known_runs import short
from yeaft.workflows.graphs.runs.run_ledger import STREAM

if TYPE_CHECKING:
    from yeaft.events.graph import GraphEnded
    from yeaft.interfaces.cli.options import Options
    from yeaft.interfaces.ground import Wish
    from yeaft.prompts.ui import Ui
    from yeaft.workflows.graphs.executor.execution import Execution
    from yeaft.workflows.graphs.runs.session_runs import Run

STDOUT = 1
READER_PATIENCE_S = 2.0
MINUTE_MS = 60_000
SOFT_SHARE = 0.8
"""From this share of a limit on the user is told of it."""
Begin = Callable[[Opened, Graphing], Awaitable["Run"]]
"""Begins a run in an open Session, or takes up one that is there. Raises `YeaftError`."""


class GraphRun:
    """Drives what `begin` gives. With `follow` what VPs say is shown, too; `answers` go to the asks of the graph.

    `lines` is where stream-json lines came before, if any. With `gives_way` nothing is reported if another process
    turns out to own the Session.
    """

    def __init__(
        self,
        options: Options,
        begin: Begin,
        *,
        answers: Sequence[str] = (),
        follow: bool = False,
        lines: JsonScreen | None = None,
        gives_way: bool = False,
    ) -> None:
        self._options = options
        self._begin = begin
        self._answers = tuple(answers)
        self._follow = follow
        self._signals = Signals()
        self._view: RunView | None = None
        self._screen: RunScreen | None = None
        self._lines = lines
        self._gives_way = gives_way
        self._cancelling: asyncio.Task[None] | None = None
        self._asked: dict[str, AskOpened] = {}
        self._unmet: dict[str, AskOpened] = {}
        self._warned: set[str] = set()
        self._ui: Ui | None = None
        self._session_id = self._run_id = ""

    async def run(self, wish: Wish) -> int | None:
        """Do it all, report it, and return the exit code; None if it gave way to another owner of the Session."""
        self._signals.install()
        output = Output(os.dup(STDOUT), self._leave_with_reader)  # whose thread may outlive all that waits for it
        is_late = False
        if self._options.output_format == "stream-json" and self._lines is None:
            self._lines = JsonScreen(output.write, wall_clock_ms)
        result = GraphResult(exit_code=EXIT_FAILED, outcome="failed", text="", session="")
        try:
            with stdout_aside():
                async with opened(wish) as here:
                    result = await self._driven(here)
        except* YeaftError as group:
            error = _first(group)
            is_late = self._gives_way and isinstance(error, SessionBusy)
            text = without_surrogates(str(error))
            if not is_late:
                self._say(text)
            session, run = self._session_id, self._run_id
            result = GraphResult(
                exit_code=error.exit_code, outcome="failed", text="", session=session, run=run, error=text
            )
        finally:
            if self._screen is not None:
                self._screen.close()
        if is_late:
            return None
        if self._signals.exit_code is not None and result.outcome == "cancelled":
            result = replace(result, exit_code=self._signals.exit_code)
        self._put(result, output)
        self._signals.also(partial(_hurry, output))
        await output.finish()
        self._signals.ignore()
        return self._exit_code(result, output)

    async def _driven(self, here: Opened) -> GraphResult:
        session_id, self._ui = here.state.session_id, here.ui
        self._session_id = session_id
        if self._lines is not None:
            self._lines.session_id = session_id
            here.listen(self._lines.hear)
        here.listen(self._hear_session)
        graphing = Graphing(here, answers=self._answers, hear_run=self._hear_run, hear_step=self._hear_step)
        run = await self._begin(here, graphing)
        self._run_id = run_id = run.execution.run_id
        self._show(here, run)
        self._signals.also(lambda: self._cancel(run))
        async with heeding(here.artifacts.out.parent, run_id, lambda reason: run.driver.cancel("user", reason)):
            ended = await self._drive(here, run)
        if self._cancelling is not None:
            await self._cancelling
        assert self._screen is not None
        self._screen.close()
        if ended is None:
            asks = tuple(self._unmet.values())
            result = waiting_result(session_id, run.execution, asks, run.driver.asked)
            self._tell_asked(here, result, asks)
            return result
        assert self._view is not None
        result = ended_result(session_id, run.execution.started, ended, self._view.failure)
        self._tell_end(here, result, run.execution)
        return result

    async def _drive(self, here: Opened, run: Run) -> GraphEnded | None:
        """Drive the run, with answers from standard input if they come there."""
        if self._options.input_format != "stream-json":
            return await run.driver.drive()
        from yeaft.interfaces.cli.graphs.answering import follow_answers
        from yeaft.interfaces.cli.json_input import Lines

        lines = Lines()
        async with asyncio.TaskGroup() as group:
            group.create_task(follow_answers(here, lines, lambda: self._cancel(run), self._refuse), name="answers")
            ended = await run.driver.drive()
            lines.close()
        return ended

    def _refuse(self, error: YeaftError) -> None:
        """Say that a line of input could not be done."""
        if self._lines is not None:
            self._lines.hear(ProgressShown(code="input.refused", params={"message": str(error)}))
        self._say(without_surrogates(str(error)))

    def _show(self, here: Opened, run: Run) -> None:
        """Begin to show a run, as far as it has come."""
        run_id = run.execution.run_id
        self._view = view = RunView(run_id, run.frozen.graph)
        for recorded in here.means.journal.read(STREAM + run_id):
            view.hear_run(run_id, recorded)
        self._screen = screen_for(here.ui, view, wall_clock_ms, os.environ, quiet=self._options.quiet)
        if not self._options.quiet:
            for code, params in here.remarks:
                self._screen.say(here.ui.text(code, **params))
            self._screen.say(here.ui.text("graph_run.begun", graph=run.frozen.graph.name, run=run_id))

    def _cancel(self, run: Run) -> None:
        if self._cancelling is None:
            self._cancelling = asyncio.get_running_loop().create_task(run.driver.cancel("user", "interrupted"))

    def _hear_run(self, run_id: str, recorded: Recorded) -> None:
        if self._lines is not None:
            self._lines.hear(recorded)
        if self._view is None or self._screen is None:
            return
        visit = self._view.hear_run(run_id, recorded)
        if visit is not None:
            self._screen.told(visit)
            if self._ui is not None and not self._options.quiet and (said := left_out_line(self._ui, visit)):
                self._screen.say(said)
            for code, limit in self._nearly_reached(self._view):
                self._say_text(f"graph_run.soft_{code}", limit=limit)

    def _hear_step(self, act_id: str, heard: Recorded | Transient) -> None:
        if self._lines is not None:
            self._lines.hear(heard)
        if self._view is None or self._screen is None:
            return
        self._view.hear_step(act_id, heard)
        if isinstance(heard, RetryWaiting):
            self._tell_waiting(act_id, heard)
        if self._follow and isinstance(heard, Recorded) and isinstance(heard.event, ReplyCompleted):
            visit = self._view.visits.get(act_id)
            if visit is not None and (said := text_of(heard.event.items).strip()):
                self._screen.say(f"── {visit.name}  @{visit.vp}\n{said}")

    def _tell_waiting(self, act_id: str, waiting: RetryWaiting) -> None:
        visit = None if self._view is None else self._view.visits.get(act_id)
        if visit is None or self._ui is None:
            return
        why, seconds = self._ui.text(f"retry.{waiting.reason}"), f"{waiting.left_s:.0f}"
        params = {"vp": waiting.vp_id, "reason": why, "seconds": seconds, "attempt": str(waiting.attempt)}
        self._say_text("graph_run.waiting", step=visit.name, text=self._ui.text("retry.waiting", **params))

    def _hear_session(self, heard: Recorded | Transient) -> None:
        event = heard.event if isinstance(heard, Recorded) else heard
        match event:
            case AskOpened():
                self._asked[event.ask_id] = event
            case AskWithdrawn(ask_id=ask_id, reason="headless") if ask_id in self._asked:
                self._unmet[ask_id] = self._asked[ask_id]
            case NoticePosted(code=code, params=params, level=level) if level != "info" and self._screen and self._ui:
                ui = self._ui
                self._screen.say(ui.text(code, **{name: ui.retold(value) for name, value in params.items()}))
            case _:
                pass

    def _nearly_reached(self, view: RunView) -> Iterator[tuple[str, str]]:
        """Yield once each limit that is nearly reached, as people write it."""
        limits, done = view.graph.limits, view.done
        minutes = (view.now_ms - view.began_ms) / MINUTE_MS
        for kind, amount, limit, shown in (
            ("steps", done.steps, limits.max_steps, str(limits.max_steps)),
            ("cost", done.cost_usd, limits.cost_usd, money(limits.cost_usd or 0.0)),
            ("tokens", done.tokens, limits.tokens, str(limits.tokens)),
            ("minutes", minutes, limits.minutes, f"{limits.minutes or 0:g}"),
        ):
            if limit is not None and kind not in self._warned and limit * SOFT_SHARE <= amount < limit:
                self._warned.add(kind)
                yield kind, shown

    def _say_text(self, code: str, **params: str) -> None:
        if self._ui is not None and self._screen is not None and not self._options.quiet:
            self._screen.say(self._ui.text(code, **params))

    def _tell_asked(self, here: Opened, result: GraphResult, asks: Sequence[AskOpened]) -> None:
        """Say what the run waits for, and how it goes on."""
        assert self._screen is not None
        for ask in asks:
            options = "".join(f"\n  {number}. {one}" for number, one in enumerate(ask.options, start=1))
            self._screen.say(here.ui.text("graph_run.asks", step=ask.vp_id, text=here.ui.retold(ask.text) + options))
        if not asks:
            self._screen.say(here.ui.text("graph_run.asks", step=result.graph, text=result.error))
        self._screen.say(here.ui.text("graph_run.next", command=next_command(short(result.run), asks)))

    def _tell_end(self, here: Opened, result: GraphResult, execution: Execution) -> None:
        assert self._screen is not None
        ui, run = here.ui, short(result.run)
        match result.outcome:
            case "failed":
                assert self._view is not None
                reason, step = _retold(ui, result.error), failed_step(self._view)
                code = "graph_run.failed" if step else "graph_run.failed_between"
                self._screen.say(ui.text(code, graph=result.graph, reason=reason, run=run, step=step))
            case "limit":
                assert self._view is not None
                reason = _retold(ui, result.error)
                limit = named_limit(ui, self._view, result.limit, is_declared=bool(reason))
                is_empty = not result.text.strip()
                code = ("graph_run.limit_declared" if reason else "graph_run.limit") + ("_empty" if is_empty else "")
                far = reached(ui, self._view) if is_empty else ""
                params = {"graph": result.graph, "reason": reason, "limit": limit, "reached": far, "run": run}
                self._screen.say(ui.text(code, **params))
                if more := more_words(self._view.graph.limits, execution):
                    self._screen.say(ui.text("graph_run.more", command=f"yeaft graph retry {run} {more}"))
            case "cancelled":
                assert self._view is not None
                step = cancelled_step(self._view)
                code = "graph_run.cancelled_at" if step else "graph_run.cancelled"
                self._screen.say(ui.text(code, graph=result.graph, run=run, step=step))
            case _:
                pass

    def _put(self, result: GraphResult, output: Output) -> None:
        if self._lines is not None:
            self._lines.result(result)
        else:
            output.write(printed(result, as_json=self._options.output_format == "json"))

    def _say(self, text: str) -> None:
        line = spoken(self._options, os.environ).retold(text)
        if self._screen is None:
            complain(line)
        else:
            self._screen.say(f"yeaft: {line}")

    def _leave_with_reader(self) -> None:
        self._signals.act_on(EXIT_PIPE_CLOSED)

    def _exit_code(self, result: GraphResult, output: Output) -> int:
        """The code of `result`, unless that never arrived."""
        if output.is_whole:
            return result.exit_code
        if self._signals.exit_code is not None:
            return self._signals.exit_code
        if output.error is not None:
            lost = f"The result could not be written to standard output: {output.error.strerror}."
            complain_of(lost, self._options, os.environ)
        return result.exit_code or EXIT_FAILED


def _retold(ui: Ui, text: str) -> str:
    """A reason in the user's language; what a graph says itself may have several lines."""
    return "\n".join(map(ui.retold, ui.retold(text).split("\n")))


def _hurry(output: Output) -> None:
    """Wait not much longer for the reader of standard output."""
    asyncio.get_running_loop().call_later(READER_PATIENCE_S, output.give_up)


def _first(group: BaseExceptionGroup[YeaftError]) -> YeaftError:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
