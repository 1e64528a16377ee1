"""What panels show of runs: those of this Session as a list, one of them as it stands, one of its steps as text."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from yeaft.interfaces.cli.graphs.found_runs import journal_of
from yeaft.interfaces.runs.read_run import read_run
from yeaft.interfaces.runs.step_lines import step_text
from yeaft.interfaces.tui.panels.text_panel import View
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import SessionPaths, session_paths

if TYPE_CHECKING:
    from yeaft.interfaces.runs.run_view import RunView
    from yeaft.interfaces.tui.panels.situation import Situation
    from yeaft.workflows.graphs.runs.known_runs import KnownRun

FOLLOW_S = 1.0


def seen_runs(situation: Situation) -> list[KnownRun]:
    """Return the runs of the Session but for those within others, newest first. Blocks; raises `StoreFailed`."""
    from yeaft.workflows.graphs.runs.known_runs import known_run
    from yeaft.workflows.graphs.runs.run_ledger import STREAM

    if not situation.has_begun:
        return []
    journal, ended = journal_of(_paths(situation)), situation.ended_runs
    found: list[KnownRun] = []
    for stream in journal.streams():
        if not stream.startswith(STREAM):
            continue
        run = ended.get(stream.removeprefix(STREAM)) or known_run(journal.read(stream))
        if run is not None and run.state != "open":
            ended[run.run_id] = run
        if run is not None and not run.parent_run:
            found.append(run)
    return sorted(found, key=lambda one: (one.started_ms, one.run_id), reverse=True)


def seen_run(situation: Situation, run_id: str) -> RunView:
    """Return a run as it stands on disk. Blocks; raises `NotFound` or `StoreFailed`."""
    paths = _paths(situation)
    return read_run(journal_of(paths), FileBlobs(paths.blobs), run_id)


def run_state(view: RunView, *, is_driven: bool, asks: bool = False) -> str:
    """Return the code of what is said of how a run stands; `asks` says that it waits for the user."""
    if view.ended is not None:
        return f"graph_run.is_{view.ended.outcome}"
    if not is_driven:
        return "runs.is_standing"
    return "runs.ask_waits" if asks else "graph_run.is_running"


def step_view(situation: Situation, run_id: str, node: str, graph: str) -> View:
    """Return all that happened in a step as a text, which grows while the run goes on."""

    def read() -> str:
        journal = journal_of(_paths(situation))
        return step_text(situation.ui, journal, seen_run(situation, run_id), node)

    async def text(columns: int) -> str:
        del columns
        return await asyncio.to_thread(read)

    is_driven = any(view.run_id == run_id for view in situation.dialogue.graphs.views)
    title = situation.text("runs.title_step", graph=graph, step=node)
    return View(title, text, follow_s=FOLLOW_S if is_driven else 0.0)


def _paths(situation: Situation) -> SessionPaths:
    return session_paths(situation.home, situation.state.session_id)
