"""Shows what goes on beside the conversation, beside it or over it; follows logs only while it is open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Vertical
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from yeaft.events.ops import CloseAgent
from yeaft.interfaces.tui.choice import Choice
from yeaft.interfaces.tui.choice import Option as Answer
from yeaft.interfaces.tui.panels.bound import bound
from yeaft.interfaces.tui.panels.hint_line import hint_lay, hint_line
from yeaft.interfaces.tui.panels.overview_lines import AGENT, RUN, TASK, Outside, is_at_work, look_outside, overview
from yeaft.interfaces.tui.panels.text_panel import TextPanel, View
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import YeaftError
from yeaft.store.directory import session_paths
from yeaft.tools.shell.task_fate import cancel, fate

if TYPE_CHECKING:
    from textual import events, getters
    from textual.app import App, ComposeResult
    from textual.timer import Timer

    from yeaft.interfaces.orders import Deed
    from yeaft.interfaces.tui.panels.filtered_list import Entry
    from yeaft.interfaces.tui.panels.run_panel import RunPanel
    from yeaft.interfaces.tui.panels.situation import Situation

FOLLOW_S = 1.0
"""How often logs and counts are looked at while something runs and the panel is open."""
WITH_FOCUS = ("side.log", "side.cancel", "panel.close")
WITHOUT_FOCUS = ("panel.side_here",)


class Overview(Vertical):
    """Todo lists, tasks and sub-agents of one Session. `hear` tells it of changes; it asks `close` to be closed.

    `then` gets what a run that was opened from here is left with.
    """

    if TYPE_CHECKING:
        app = getters.app(App[int])  # textual leaves open what its App returns

    DEFAULT_CSS = """
    Overview { width: 1fr; height: 1fr; background: $background; }
    Overview.beside { dock: right; width: 42; border-left: solid $foreground 30%; }
    Overview > OptionList { height: 1fr; background: $background; text-wrap: nowrap; text-overflow: ellipsis; }
    Overview > OptionList { scrollbar-size-vertical: 1; }
    Overview > OptionList:focus { background-tint: $foreground 0%; }
    Overview > OptionList.-textual-compact > .option-list--option { padding: 0 1; }
    Overview.-empty > OptionList { height: 0; }
    Overview > .none { height: 1fr; padding: 1; }
    Overview > .hint { padding: 0 1; color: $text-muted; }
    """
    BINDINGS = [
        bound("panel.close", "close"),
        bound("side.log", "log"),
        bound("side.cancel", "cancel"),
    ]

    def __init__(
        self,
        situation: Situation,
        *,
        is_beside: bool,
        close: Callable[[], object],
        then: Callable[[Deed | None], None],
    ) -> None:
        super().__init__(classes="beside" if is_beside else "")
        self._situation = situation
        self._close = close
        self._then = then
        self._opened: RunPanel | None = None
        self._outside = Outside()
        self._entries: list[Entry] = []
        self._timer: Timer | None = None
        self._list = OptionList(markup=False, compact=True)
        self._none = Static(situation.text("panel.side_none"), markup=False, classes="none")
        self._hint = hint_line(situation, WITHOUT_FOCUS if is_beside else WITH_FOCUS)

    def compose(self) -> ComposeResult:
        """Return the list, what is said instead where there is nothing, and the keys."""
        yield self._list
        yield self._none
        yield self._hint

    def on_mount(self) -> None:
        """Begin to read."""
        self.hear()

    def on_resize(self, event: events.Resize) -> None:
        """Lay the lines out for another width."""
        del event
        self._show()

    def on_descendant_focus(self) -> None:
        """Say what keys do that come here now."""
        self._hint.show(hint_lay(self._situation, WITH_FOCUS))

    def on_descendant_blur(self) -> None:
        """Say how keys come here again."""
        self._hint.show(hint_lay(self._situation, WITHOUT_FOCUS))

    def take_focus(self) -> None:
        """Let keys go here."""
        self.screen.set_focus(self._list)

    def hear(self) -> None:
        """Look again, because something has changed."""
        if self._opened is not None and self._opened.is_attached:
            self._opened.hear()
        self.run_worker(self._look(), exclusive=True, group="look")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the log of what was chosen."""
        event.stop()
        self.action_log()

    def action_close(self) -> None:
        """Close it."""
        self._close()

    def action_log(self) -> None:
        """Show the log of the marked task or agent, and what is added to it."""
        from yeaft.interfaces.tui.panels.views import log_view

        key = self._marked
        if self.app.screen is not self.screen:
            return  # a key was pressed twice
        if key.startswith((TASK, AGENT)):
            kind, _, one_id = key.partition(" ")
            is_running = is_at_work(self._situation)
            view: View = log_view(self._situation, kind, one_id, follow_s=FOLLOW_S if is_running else 0.0)
            self.app.push_screen(TextPanel(self._situation, (view,)))
        elif key.startswith(RUN):
            from yeaft.interfaces.tui.panels.run_panel import RunPanel

            self._opened = RunPanel(self._situation, key.removeprefix(RUN))
            self.app.push_screen(self._opened, self._then)

    def action_cancel(self) -> None:
        """End the marked task or agent, once the user has agreed."""
        if self._marked.startswith(TASK):
            self.run_worker(self._cancel(self._marked.removeprefix(TASK)), exclusive=True, group="cancel")
        elif self._marked.startswith(AGENT):
            self.run_worker(self._close_agent(self._marked.removeprefix(AGENT)), exclusive=True, group="cancel")

    @property
    def _marked(self) -> str:
        index = self._list.highlighted
        return self._entries[index].key if index is not None and index < len(self._entries) else ""

    async def _look(self) -> None:
        self._outside = await asyncio.to_thread(look_outside, self._situation)
        self._show()
        is_running = is_at_work(self._situation)
        if is_running and self._timer is None:
            self._timer = self.set_interval(FOLLOW_S, self.hear)
        elif not is_running and self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _show(self) -> None:
        columns = max(self.content_size.width - 3, 10)
        entries = overview(self._situation, self._outside, columns, wall_clock_ms())
        self._none.display = not entries
        self.set_class(not entries, "-empty")  # a list that is not displayed at all would lose the keys, for nobody
        if [(one.key, one.shown) for one in entries] == [(one.key, one.shown) for one in self._entries]:
            return
        marked, offset = self._marked, self._list.scroll_offset
        self._entries = entries
        self._list.set_options(Option(one.shown, disabled=one.is_heading) for one in entries)
        places = [index for index, one in enumerate(entries) if one.key == marked]
        able = [index for index, one in enumerate(entries) if not one.is_heading]
        self._list.highlighted = next(iter((*places, *able)), None)
        self._list.scroll_to(y=offset.y, animate=False)

    async def _close_agent(self, agent_id: str) -> None:
        situation = self._situation
        agent = situation.state.agents.get(agent_id)
        if agent is None or not agent.is_live:
            return
        text = situation.text
        answers = (Answer("", text("panel.let_run")), Answer("end", text("panel.end_agent")))
        question = Choice(situation.ui, text("panel.ask_close"), agent.spawned.mission, answers)
        if await self.app.push_screen_wait(question) != "end":
            return
        try:
            situation.dialogue.ask_for(CloseAgent(agent_id=agent_id))
        except YeaftError as error:
            self.notify(situation.ui.retold(str(error)), severity="error", markup=False)

    async def _cancel(self, task_id: str) -> None:
        situation = self._situation
        task = situation.state.tasks.get(task_id)
        if task is None or task.ended is not None:
            return
        text = situation.text
        answers = (Answer("", text("panel.let_run")), Answer("end", text("panel.end_task")))
        question = Choice(situation.ui, text("panel.ask_cancel"), task.started.command, answers)
        if await self.app.push_screen_wait(question) != "end":
            return
        place = session_paths(situation.home, situation.state.session_id).tasks / task_id
        try:
            record = await asyncio.to_thread(fate, place)
            if record is not None:
                done = await asyncio.to_thread(lambda: asyncio.run(cancel(place, record)))
                if not done.ok:
                    params = {"task": task_id, "error": done.error}
                    self.notify(text("task.not_cancelled", **params), severity="error", markup=False)
        except YeaftError as error:
            self.notify(situation.ui.retold(str(error)), severity="error", markup=False)
        self._none.update(Text(text("panel.side_none")))
