"""One run of a graph: the tree of its steps as it grows, and what can be done about it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.text import Text
from textual import work
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from yeaft.interfaces.cli.terminal_text import cut, unmasked, width
from yeaft.interfaces.orders import ChangeRun, Choose
from yeaft.interfaces.runs.run_lines import Row, head_line, rows
from yeaft.interfaces.tui.choice import Choice
from yeaft.interfaces.tui.choice import Option as Answer
from yeaft.interfaces.tui.panels.bound import bound
from yeaft.interfaces.tui.panels.frame import Panel
from yeaft.interfaces.tui.panels.run_reading import run_state, seen_run, step_view
from yeaft.interfaces.tui.panels.shown_text import safe
from yeaft.interfaces.tui.panels.text_panel import TextPanel
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import YeaftError
from yeaft.workflows.graphs.runs.known_runs import short

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.timer import Timer

    from yeaft.interfaces.runs.run_view import RunView
    from yeaft.interfaces.tui.panels.situation import Situation

TICK_S = 1.0
"""So often clocks are drawn while the run goes on; `hear` draws what happens."""
END = "end"
GAP = "  "
"""What stands between the things said of a step."""


class RunPanel(Panel):
    """Shows the run with this id, those of its steps in which nothing has happened too."""

    DEFAULT_CSS = """
    RunPanel > OptionList { height: 1fr; background: $background; text-wrap: nowrap; text-overflow: ellipsis; }
    RunPanel > OptionList { scrollbar-size-vertical: 1; }
    RunPanel > OptionList:focus { background-tint: $foreground 0%; }
    RunPanel > OptionList.-textual-compact > .option-list--option { padding: 0 1; }
    RunPanel > .about { height: auto; max-height: 6; padding: 0 1; }
    """
    BINDINGS = [
        bound("text.leave", "leave"),
        bound("runs.cancel", "cancel"),
        bound("runs.retry", "retry"),
        bound("runs.artifact", "artifact"),
    ]

    def __init__(self, situation: Situation, run_id: str) -> None:
        super().__init__(situation, situation.text("runs.title_one", run=short(run_id)), KEYS)
        self._run_id = run_id
        self._view: RunView | None = None
        self._steps: list[str] = []
        self._drawn: list[str] = []
        self._timer: Timer | None = None
        self._about = Static(situation.text("panel.reading"), markup=False, classes="about")
        self._list = OptionList(markup=False, compact=True)

    def compose(self) -> ComposeResult:
        """Return title, what is said of the whole run, its steps, and keys."""
        yield self.title_line
        yield self._about
        yield self._list
        yield self.hint_line

    def on_mount(self) -> None:
        """Begin to read."""
        self._list.focus()
        self.hear()

    def on_resize(self, event: events.Resize) -> None:
        """Lay the lines out for another width."""
        del event
        self._drawn = []
        self._draw()

    def hear(self) -> None:
        """Look again, because something has changed."""
        self._read()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Show all that is known of the step that was chosen."""
        event.stop()
        if self._view is not None and self._marked and self.is_on_top:
            view = step_view(self.situation, self._run_id, self._marked, self._view.graph.name)
            self.app.push_screen(TextPanel(self.situation, (view,)))

    def action_cancel(self) -> None:
        """Cancel the run, once the user has agreed."""
        if self._view is not None and self._view.ended is None:
            self.run_worker(self._cancel(self._view), exclusive=True, group="cancel")

    def action_retry(self) -> None:
        """Try the marked step again if it has failed, or go on with a run that stands still."""
        view = self._view
        if view is None:
            return
        failed = [one.node for one in view.own if one.state not in ("ok", "running", "cancelled")]
        step = self._marked if self._marked in failed else next(iter(failed), "")
        if view.ended is None and not self._is_driven:
            self._change(ChangeRun("resume", self._run_id))
        elif view.ended is not None and step:
            self._change(ChangeRun("retry", self._run_id, step))
            self.dismiss(None)
        else:
            self.tell("runs.nothing_to_retry")

    def action_artifact(self) -> None:
        """Open what the marked step has kept, the newest of it."""
        kept = [one for visit in (self._view.of(self._marked) if self._view else ()) for one in visit.artifacts]
        if kept:
            self.dismiss(Choose("artifacts", text=kept[-1]))
        else:
            self.tell("runs.no_artifact")

    @property
    def _marked(self) -> str:
        """The step that is marked."""
        index = self._list.highlighted
        return self._steps[index] if index is not None and index < len(self._steps) else ""

    @property
    def _is_driven(self) -> bool:
        return any(view.run_id == self._run_id for view in self.situation.dialogue.graphs.views)

    @work(exclusive=True, group="read")
    async def _read(self) -> None:
        driven = next((one for one in self.situation.dialogue.graphs.views if one.run_id == self._run_id), None)
        try:
            self._view = driven or await asyncio.to_thread(seen_run, self.situation, self._run_id)
        except YeaftError as error:
            self._about.update(self.situation.ui.retold(str(error)))
            return
        self._tick_while(driven is not None)
        self._draw()

    def _draw(self) -> None:
        if self._view is None:
            return
        ui, columns, now_ms = self.situation.ui, max(self.size.width - 4, 10), wall_clock_ms()
        view = self._view
        asked = [visit.node for ask in self.situation.state.open_asks.values() if (visit := view.asking(ask))]
        state = run_state(view, is_driven=self._is_driven, asks=bool(asked))
        now_ms = now_ms if self._is_driven else view.now_ms
        said = view.ended.error if view.ended is not None else ""
        self._about.update(
            f"{unmasked(head_line(ui, view, now_ms))}  {ui.text(state)}"
            + (f"\n{safe(ui.retold(said))}" if said else "")
        )
        shown = rows(ui, view, now_ms)
        asks = f"  {ui.text('runs.ask_waits')}"
        lines = [_fitting(row, asks if row.node in asked else "", columns) for row in shown]
        self._steps = [row.node for row in shown]
        if len(lines) != len(self._drawn):
            index = self._list.highlighted
            self._list.set_options(Option(Text(line)) for line in lines)
            self._list.highlighted = min(index or 0, len(lines) - 1) if lines else None
        else:
            for number, (line, before) in enumerate(zip(lines, self._drawn, strict=True)):
                if line != before:
                    self._list.replace_option_prompt_at_index(number, Text(line))
        self._drawn = lines

    def _tick_while(self, runs: bool) -> None:
        if runs and self._timer is None:
            self._timer = self.set_interval(TICK_S, self._draw)
        elif not runs and self._timer is not None:
            self._timer.stop()
            self._timer = None

    async def _cancel(self, view: RunView) -> None:
        text = self.situation.text
        title = text("runs.ask_cancel", graph=safe(view.graph.name))
        options = (Answer("", text("runs.let_run")), Answer(END, text("runs.end_it")))
        if await self.app.push_screen_wait(Choice(self.situation.ui, title, "", options)) == END:
            self._change(ChangeRun("cancel", self._run_id))

    def _change(self, deed: ChangeRun) -> None:
        try:
            self.situation.dialogue.graphs.change(deed)
        except YeaftError as error:
            self.refuse(error)


def _fitting(row: Row, asks: str, columns: int) -> str:
    """Return the line of a step, without what is said last of it where that would be cut: numbers are whole."""
    line = unmasked(row.text)
    while width(line + asks) > columns and row.node and row.node in (shorter := line.rpartition(GAP)[0]):
        line = shorter
    return cut(line + asks, columns)


KEYS = ("runs.retry", "runs.cancel", "runs.artifact")
