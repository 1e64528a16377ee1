"""What a Session says of its runs of graphs when it is opened and holds nothing else: else it would look empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.tools.policy.visible import visible_on_one_line
from yeaft.workflows.graphs.runs.run_ledger import STREAM

if TYPE_CHECKING:
    from yeaft.prompts.ui import Ui
    from yeaft.store.journal import Journal
    from yeaft.workflows.graphs.runs.known_runs import KnownRun

MOST = 5


def runs_alone(journal: Journal, ui: Ui) -> tuple[tuple[str, dict[str, str]], ...]:
    """Return what to say of the runs, as a code with parameters; nothing where there are none."""
    if not any(stream.startswith(STREAM) for stream in journal.streams()):
        return ()
    from yeaft.workflows.graphs.runs.known_runs import known_runs

    outermost = [run for run in known_runs(journal) if not run.parent_run]
    newest = sorted(outermost, key=lambda run: (run.started_ms, run.run_id), reverse=True)
    told = [
        ui.text("left_here.run", graph=visible_on_one_line(run.name), state=ui.text(_state(run)))
        for run in newest[:MOST]
    ]
    more = ["…"] if len(newest) > MOST else []
    return (("left_here.runs", {"runs": ui.text("left_here.between").join([*told, *more])}),) if told else ()


def _state(run: KnownRun) -> str:
    """Return the code of how a run stands that nobody drives here."""
    if run.state != "open":
        return f"graph_run.is_{run.state}"
    return "graph_run.is_needs_human" if run.asked else "runs.is_standing"
