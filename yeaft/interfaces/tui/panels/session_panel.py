"""Picks a Session: go on with it, fork, rename, archive or delete it; those of this folder first."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.containers import Horizontal, VerticalScroll

from yeaft.events.ops import Rename
from yeaft.events.session import SessionRenamed, SessionTagged
from yeaft.interfaces.orders import Leave
from yeaft.interfaces.tui.choice import Choice, Option
from yeaft.interfaces.tui.lines_view import lay_prose, prose
from yeaft.interfaces.tui.panels.ask_line import AskLine
from yeaft.interfaces.tui.panels.bound import bound
from yeaft.interfaces.tui.panels.columns import MARGIN_COLUMNS
from yeaft.interfaces.tui.panels.filtered_list import FilteredList
from yeaft.interfaces.tui.panels.frame import Panel
from yeaft.interfaces.tui.panels.session_lines import preview, session_entries
from yeaft.interfaces.tui.standing import short
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import YeaftError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult

    from yeaft.events.codec import Event
    from yeaft.interfaces.tui.panels.situation import Situation
    from yeaft.store.meta import SessionMeta

PAUSE_S = 0.12
"""A Session is looked into once it has been marked for so long."""
KEYS = ("sessions.everywhere", "sessions.rename", "sessions.delete", "sessions.fork", "sessions.archive")


class SessionPanel(Panel):
    """Lists Sessions, last used first, with the end of the marked one beside them."""

    DEFAULT_CSS = """
    SessionPanel FilteredList { width: 3fr; }
    SessionPanel .aside { width: 2fr; border-left: solid $foreground 30%; }
    """
    BINDINGS = [
        bound("sessions.fork", "fork"),
        bound("sessions.rename", "rename"),
        bound("sessions.archive", "archive"),
        bound("sessions.delete", "delete"),
        bound("sessions.everywhere", "everywhere"),
    ]

    def __init__(self, situation: Situation) -> None:
        super().__init__(situation, "", KEYS)
        self._metas: dict[str, SessionMeta] = {}
        self._is_everywhere = False
        self._has_read = False
        self._list = FilteredList(
            placeholder=situation.text("panel.filter"),
            empty=situation.text("panel.reading"),
            unmatched=situation.text("panel.no_match"),
        )
        self._aside = prose("")

    def compose(self) -> ComposeResult:
        """Return title, list, what is in the marked one, and keys."""
        yield self.title_line
        with Horizontal():
            yield self._list
            with VerticalScroll(classes="aside", can_focus=False):
                yield self._aside
        yield self.hint_line

    def on_mount(self) -> None:
        """Begin to read."""
        self._list.focus_line()
        self._reread()

    def on_resize(self, event: events.Resize) -> None:
        """Lay the lines out for another width."""
        del event
        self.call_after_refresh(self._show)

    def on_filtered_list_chosen(self, message: FilteredList.Chosen) -> None:
        """Go on with a Session."""
        if message.key == self.situation.state.session_id:
            self.dismiss(None)
        else:
            self.dismiss(Leave(resume=message.key))

    def on_filtered_list_reached(self, message: FilteredList.Reached) -> None:
        """Show what is in the marked Session."""
        if message.key:
            self.run_worker(self._look(message.key), exclusive=True, group="look")
        else:
            self._aside.show(lay_prose(""))

    def action_everywhere(self) -> None:
        """List those of all folders and archived ones too, or those of this folder alone."""
        self._is_everywhere = not self._is_everywhere
        self._reread()

    def action_fork(self) -> None:
        """Copy the marked Session and go on with the copy."""
        if self._list.marked:
            self.run_worker(self._fork(self._list.marked), exclusive=True, group="change")

    def action_rename(self) -> None:
        """Give the marked Session another name."""
        if self._list.marked:
            self.run_worker(self._rename(self._list.marked), exclusive=True, group="change")

    def action_archive(self) -> None:
        """Take the marked Session out of the usual lists, or put it back."""
        meta = self._metas.get(self._list.marked)
        if meta is None or self._is_current(meta.session_id):
            return
        tagged = SessionTagged(archived=not meta.archived, labels=meta.labels)
        self.run_worker(self._append(meta.session_id, tagged), exclusive=True, group="change")

    def action_delete(self) -> None:
        """Delete the marked Session, once the user has agreed."""
        meta = self._metas.get(self._list.marked)
        if meta is not None and not self._is_current(meta.session_id):
            self.run_worker(self._delete(meta), exclusive=True, group="change")

    def _is_current(self, session_id: str) -> bool:
        """Say that something cannot be done to the Session one is in, if it is that one."""
        if session_id != self.situation.state.session_id:
            return False
        self.tell("panel.is_current")
        return True

    def _reread(self) -> None:
        self.run_worker(self._read(), exclusive=True, group="read")

    async def _read(self) -> None:
        situation, is_everywhere = self.situation, self._is_everywhere

        def metas() -> Sequence[SessionMeta]:
            from yeaft.store.index import Index

            folder = None if is_everywhere else str(situation.here.folder)
            return Index(situation.home).rows(include_archived=is_everywhere, folder=folder)

        found = await asyncio.to_thread(metas)
        self._metas = {meta.session_id: meta for meta in found}
        self._has_read = True
        self._show()

    def _show(self) -> None:
        situation = self.situation
        if not self._has_read:
            return
        where = "panel.sessions_all" if self._is_everywhere else "panel.sessions_here"
        folder = short(situation.here.folder, situation.environ.get("HOME", ""))
        self.title_line.update(situation.text(where, count=len(self._metas), folder=folder))
        entries = session_entries(
            situation.ui,
            list(self._metas.values()),
            current=situation.state.session_id,
            columns=max(self._list.size.width - MARGIN_COLUMNS, 20),
            now_ms=wall_clock_ms(),
            everywhere=self._is_everywhere,
        )
        empty = "panel.sessions_none" if self._is_everywhere else "panel.sessions_none_here"
        self._list.show(entries, empty=situation.text(empty))

    async def _look(self, session_id: str) -> None:
        await asyncio.sleep(PAUSE_S)
        try:
            self._aside.show(await asyncio.to_thread(preview, self.situation, session_id))
        except YeaftError as error:
            self._aside.show(lay_prose(self.situation.ui.retold(str(error))))

    async def _fork(self, session_id: str) -> None:
        from yeaft.session.offline import fork_offline

        try:
            copy_id, notices = await asyncio.to_thread(
                lambda: asyncio.run(fork_offline(self.situation.home, session_id, ""))
            )
        except YeaftError as error:
            self.refuse(error)
            return
        for notice in notices:
            self.tell(notice.code, **notice.params)
        self.dismiss(Leave(resume=copy_id))

    async def _rename(self, session_id: str) -> None:
        meta = self._metas.get(session_id)
        if meta is None:
            return  # somebody else has deleted it meanwhile
        question = self.situation.text("panel.ask_name")
        name = await self.app.push_screen_wait(AskLine(question, meta.name or meta.title or ""))
        if not name:
            return
        if session_id != self.situation.state.session_id:
            await self._append(session_id, SessionRenamed(name=name))
            return
        try:
            self.situation.dialogue.ask_for(Rename(name=name))
        except YeaftError as error:
            self.refuse(error)
        self._reread()

    async def _append(self, session_id: str, event: Event) -> None:
        from yeaft.session.offline import append_offline

        try:
            await asyncio.to_thread(lambda: asyncio.run(append_offline(self.situation.home, session_id, (event,))))
        except YeaftError as error:
            self.refuse(error)
        self._reread()

    async def _delete(self, meta: SessionMeta) -> None:
        from yeaft.interfaces.cli.commands.session_rows import called
        from yeaft.session.offline import delete_session

        text = self.situation.text
        options = (Option("", text("panel.keep")), Option("delete", text("panel.delete")))
        question = Choice(self.situation.ui, text("panel.ask_delete"), called(meta), options)
        if await self.app.push_screen_wait(question) != "delete":
            return
        try:
            await asyncio.to_thread(delete_session, self.situation.home, meta.session_id)
        except YeaftError as error:
            self.refuse(error)
        self._reread()
