"""Flows that VPs start by themselves, in the Session they are in, where the user lets them do so."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from yeaft.kernel.errors import ToolFailed, YeaftError
from yeaft.tools.run_flow import run_flow
from yeaft.tools.tool import Running, ToolResult

if TYPE_CHECKING:
    from yeaft.events.codec import Recorded
    from yeaft.events.graph import GraphEnded
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.graphing import Graphing
    from yeaft.interfaces.session_graphs import Heard, SessionGraphs
    from yeaft.tools.tool import Toolbox
    from yeaft.workflows.graphs.runs.session_runs import Frozen, Run

SHOWN_CHARS = 20_000


class VpFlows:
    """Runs flows for the VPs of one Session once it is open (`serve`); a step of a flow cannot start another.

    A screen that shows the runs of its Session sets `graphs`.
    """

    def __init__(self, *, are_allowed: bool) -> None:
        self.graphs: SessionGraphs | None = None
        self._are_allowed = are_allowed
        self._here: Opened | None = None

    def serve(self, here: Opened) -> None:
        """From now on flows can be run, in this Session."""
        self._here = here

    def tools(self) -> Toolbox:
        """Return what a VP has of this: the tool RunFlow, or nothing."""
        if not self._are_allowed:
            return {}
        tool = run_flow(self._run)
        return {tool.name: tool}

    async def _run(self, words: Sequence[str], running: Running) -> ToolResult:
        here = self._here
        if here is None:
            raise ToolFailed("The session is not open yet. Nothing was started.")
        try:
            frozen, task, source = await asyncio.to_thread(_made, words, here)
        except YeaftError as error:
            raise ToolFailed(f"{error} Nothing was started.") from error
        with self.graphs.watching() if self.graphs else contextlib.nullcontext() as heard:
            graphing = _graphing(here, running, heard)
            run = await graphing.runs.start(frozen, task, source=source, call_id=running.call_id)
            if heard is not None:
                heard.begun(run, here)
            return _told(run, await _driven(here, run))


def _graphing(here: Opened, running: Running, heard: Heard | None) -> Graphing:
    """What runs the graph of a flow, telling of its steps where its call is shown."""
    from yeaft.events.graph import StepReady
    from yeaft.interfaces.graphing import Graphing
    from yeaft.workflows.graphs.graph import HIDDEN

    def hear(run_id: str, recorded: Recorded) -> None:
        event = recorded.event
        if isinstance(event, StepReady) and HIDDEN not in event.node:
            running.show(f"{event.node}\n")
        if heard is not None:
            heard.hear_run(run_id, recorded)

    return Graphing(here, hear_run=hear, hear_step=heard.hear_step if heard is not None else None)


def _made(words: Sequence[str], here: Opened) -> tuple[Frozen, str, str]:
    """What a flow's run is made of, its task and its source. Raises `UsageError`, `NotFound` or `BadData`."""
    from yeaft.interfaces.cli.commands.flow import flow_in
    from yeaft.interfaces.flowing import SOURCE, frozen_flow

    made = flow_in(words, here.library, here.ui.lang, here.config.default_vp)
    frozen = frozen_flow(made.pattern, made.text, here.folder, here.library)
    limits, most = frozen.graph.limits, here.config.graphs.vp_run_tokens
    bounded = replace(limits, tokens=min(limits.tokens or most, most))
    return replace(frozen, graph=replace(frozen.graph, limits=bounded)), made.task, f"{SOURCE}{made.pattern}"


async def _driven(here: Opened, run: Run) -> GraphEnded | None:
    """Drive a run to its end; if the call is interrupted, the run is cancelled in good order first."""
    from yeaft.workflows.graphs.runs.cancel_request import heeding

    drive = asyncio.create_task(run.driver.drive(), name="flow")
    root = here.artifacts.out.parent
    try:
        async with heeding(root, run.execution.run_id, lambda reason: run.driver.cancel("user", reason)):
            await asyncio.wait((drive,))  # which goes on if this is cancelled
            return drive.result()
    except asyncio.CancelledError:
        await run.driver.cancel("user", "interrupted")
        await asyncio.wait((drive,))
        raise


def _told(run: Run, ended: GraphEnded | None) -> ToolResult:
    from yeaft.workflows.graphs.conditions import text_of

    run_id = run.execution.run_id
    if ended is None:
        text = f"Run {run_id} waits for the user: {run.driver.asked} Tell them: `yeaft graph resume {run_id}`."
        return ToolResult(text=text, failed=True)
    value = msgspec.json.decode(ended.value)
    result = "" if value is None else text_of(value)
    shown = result[:SHOWN_CHARS] + ("\n… (cut)" if len(result) > SHOWN_CHARS else "")
    if ended.outcome == "completed":
        return ToolResult(text=f"Run {run_id} completed.\n\n{shown}")
    why = ended.error or ended.limit
    best = f"\n\nThe best so far:\n\n{shown}" if shown else ""
    return ToolResult(text=f"Run {run_id} ended: {ended.outcome}. {why}{best}", failed=True)
