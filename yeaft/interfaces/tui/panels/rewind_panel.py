"""Goes back in the Session: to before a message or to a checkpoint, for what was said, the files, or both; or forks."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.containers import Vertical, VerticalScroll

from yeaft.events.ops import Redo, Rewind
from yeaft.interfaces.orders import Leave
from yeaft.interfaces.tui.choice import Choice, Option
from yeaft.interfaces.tui.lines_view import lay_prose, prose
from yeaft.interfaces.tui.panels.bound import bound
from yeaft.interfaces.tui.panels.filtered_list import FilteredList
from yeaft.interfaces.tui.panels.frame import Panel
from yeaft.interfaces.tui.panels.rewind_lines import outlook, outlook_forward, places, told
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import YeaftError

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from yeaft.events.history import RewindScope
    from yeaft.interfaces.tui.panels.rewind_lines import Outlook
    from yeaft.interfaces.tui.panels.situation import Situation

PAUSE_S = 0.12
SCOPES: tuple[RewindScope, ...] = ("both", "conversation", "files")


class RewindPanel(Panel):
    """Lists where one can go back to, newest first, with what that would do; nothing is done before that is agreed."""

    DEFAULT_CSS = """
    RewindPanel FilteredList { height: 3fr; }
    RewindPanel VerticalScroll { height: 2fr; padding: 0 1; border-top: solid $foreground 30%; }
    """
    BINDINGS = [
        bound("rewind.scope", "scope"),
        bound("rewind.fork", "fork"),
        bound("rewind.redo", "redo"),
    ]

    def __init__(self, situation: Situation) -> None:
        super().__init__(situation, "", ("rewind.scope", "rewind.fork", "rewind.redo"))
        self._scope: RewindScope = "both"
        self._list = FilteredList(
            placeholder=situation.text("panel.filter"),
            empty=situation.text("line.nothing_said"),
            unmatched=situation.text("panel.no_match"),
        )
        self._below = prose("")

    def compose(self) -> ComposeResult:
        """Return title, places, what going there would do, and keys."""
        yield self.title_line
        with Vertical():
            yield self._list
            with VerticalScroll(can_focus=False):
                yield self._below
        yield self.hint_line

    def on_mount(self) -> None:
        """List the places."""
        self._entitle()
        self._list.show(places(self.situation, wall_clock_ms()))
        self._list.focus_line()

    def on_filtered_list_reached(self, message: FilteredList.Reached) -> None:
        """Show what going there would do."""
        if message.key:
            self.run_worker(self._look(message.key), exclusive=True, group="look")
        else:
            self._below.show(lay_prose(""))

    def on_filtered_list_chosen(self, message: FilteredList.Chosen) -> None:
        """Go there, once the user has seen what that does and agreed."""
        self.run_worker(self._go(message.key), exclusive=True, group="go")

    def action_scope(self) -> None:
        """Mean something else: the files, what was said, or both."""
        self._scope = SCOPES[(SCOPES.index(self._scope) + 1) % len(SCOPES)]
        self._entitle()
        if self._list.marked:
            self.run_worker(self._look(self._list.marked), exclusive=True, group="look")

    def action_fork(self) -> None:
        """Copy the Session as it was before the marked message, and go on with the copy."""
        if self._list.marked:
            self.run_worker(self._fork(self._list.marked), exclusive=True, group="go")

    def action_redo(self) -> None:
        """Take the last rewind back, once the user has seen what that does."""
        self.run_worker(self._redo(), exclusive=True, group="go")

    def _entitle(self) -> None:
        text = self.situation.text
        self.title_line.update(text("panel.rewind", what=text(f"line.scope_{self._scope}")))

    async def _look(self, to: str) -> None:
        await asyncio.sleep(PAUSE_S)
        try:
            self._below.show(lay_prose(told(self.situation, await outlook(self.situation, to, self._scope))))
        except YeaftError as error:
            self._below.show(lay_prose(self.situation.ui.retold(str(error))))

    async def _go(self, to: str) -> None:
        scope = self._scope
        try:
            seen = await outlook(self.situation, to, scope)
        except YeaftError as error:
            self.refuse(error)
            return
        if seen.is_needed and await self._agrees(seen, "panel.ask_rewind"):
            self.dismiss(Rewind(to=to, scope=seen.way.scope))

    async def _redo(self) -> None:
        try:
            seen = await outlook_forward(self.situation)
        except YeaftError as error:
            self.refuse(error)
            return
        if await self._agrees(seen, "panel.ask_redo"):
            self.dismiss(Redo())

    async def _agrees(self, seen: Outlook, question: str) -> bool:
        text = self.situation.text
        options = (Option("", text("panel.stay")), Option("go", text("panel.go")))
        body = told(self.situation, seen)
        return await self.app.push_screen_wait(Choice(self.situation.ui, text(question), body, options)) == "go"

    async def _fork(self, to: str) -> None:
        from yeaft.session.offline import fork_offline

        session_id, home = self.situation.state.session_id, self.situation.home
        try:
            copy_id, notices = await asyncio.to_thread(lambda: asyncio.run(fork_offline(home, session_id, "", to)))
        except YeaftError as error:
            self.refuse(error)
            return
        for notice in notices:
            self.tell(notice.code, **notice.params)
        self.dismiss(Leave(resume=copy_id))
