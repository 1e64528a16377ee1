"""The runs of graphs of this Session: going on, waiting, standing still, ended; one of them can be opened."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.text import Text
from textual import work

from yeaft.interfaces.amounts import money, short
from yeaft.interfaces.cli.terminal_text import cut
from yeaft.interfaces.tui.panels.ages import age
from yeaft.interfaces.tui.panels.columns import joined
from yeaft.interfaces.tui.panels.filtered_list import Entry, FilteredList
from yeaft.interfaces.tui.panels.list_panel import ListPanel
from yeaft.interfaces.tui.panels.run_panel import RunPanel
from yeaft.interfaces.tui.panels.run_reading import seen_runs
from yeaft.interfaces.tui.panels.shown_text import safe
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import YeaftError
from yeaft.workflows.graphs.runs.known_runs import short as short_id

if TYPE_CHECKING:
    from yeaft.interfaces.orders import Deed
    from yeaft.interfaces.tui.panels.situation import Situation
    from yeaft.workflows.graphs.runs.known_runs import KnownRun


class RunsPanel(ListPanel):
    """Lists them, newest first; with `run`, an id or enough of it, that one is opened at once."""

    def __init__(self, situation: Situation, run: str = "") -> None:
        super().__init__(situation, situation.text("runs.title"), (), unmatched=situation.text("runs.none_such"))
        self._wanted = run
        self._opened: RunPanel | None = None

    def on_mount(self) -> None:
        """Begin to read."""
        self._look()

    def hear(self) -> None:
        """Look again, because something has changed."""
        if self._opened is not None and self._opened.is_attached:
            self._opened.hear()
        else:
            self._look()

    def on_filtered_list_chosen(self, message: FilteredList.Chosen) -> None:
        """Open what was chosen."""
        message.stop()
        self._open(message.key)

    def _look(self) -> None:
        self._read()

    @work(exclusive=True, group="read")
    async def _read(self) -> None:
        from yeaft.workflows.graphs.runs.known_runs import meant

        try:
            found = await asyncio.to_thread(seen_runs, self.situation)
            wanted, self._wanted = self._wanted, ""
            if wanted:
                self._open(meant(found, wanted).run_id)
        except YeaftError as error:
            self.refuse(error)
            found = []
        columns = max(self.size.width - 4, 20)
        entries = [run_entry(self.situation, one, columns) for one in found]
        self.listed.show(entries, empty=self.situation.text("runs.none"))

    def _open(self, run_id: str) -> None:
        if not self.is_on_top:
            return  # a key was pressed twice
        self._opened = RunPanel(self.situation, run_id)
        self.app.push_screen(self._opened, self._left)

    def _left(self, deed: Deed | None) -> None:
        """Leave with what the run was left with, or look again."""
        self._opened = None
        if deed is not None:
            self.dismiss(deed)
        else:
            self._look()


def run_entry(situation: Situation, run: KnownRun, columns: int) -> Entry:
    """Return one run in two lines: what it is and how it stands, then what it has used."""
    driven = next((view for view in situation.dialogue.graphs.views if view.run_id == run.run_id), None)
    state = situation.text(_state(situation, run))
    mark = ">" if driven is not None else "-"
    parts = [
        short_id(run.run_id),
        situation.text("graph_run.steps_done", count=driven.done.steps if driven else run.steps),
        situation.text("lane.tokens", tokens=short(run.usage.sent + run.usage.output)),
        *([] if run.cost_usd is None else [money(run.cost_usd)]),
        age(situation.ui, run.started_ms, wall_clock_ms()),
    ]
    said = f"  {safe(situation.ui.retold(run.error))}" if run.error and run.state == "failed" else ""
    shown = Text(cut(f"{mark} {safe(run.name)}  {state}{said}", columns), no_wrap=True, overflow="ellipsis")
    shown.append("\n" + cut(f"  {joined(parts, columns - 2)}", columns), style="dim")
    return Entry(run.run_id, shown, f"{run.name} {run.run_id} {state}")


def _state(situation: Situation, run: KnownRun) -> str:
    """Return the code of how a run stands."""
    asks = situation.state.open_asks.values()
    for view in situation.dialogue.graphs.views:
        if view.run_id == run.run_id:
            return "runs.ask_waits" if any(view.asking(ask) for ask in asks) else "graph_run.is_running"
    if run.state != "open":
        return f"graph_run.is_{run.state}"
    return "graph_run.is_needs_human" if run.asked else "runs.is_standing"
