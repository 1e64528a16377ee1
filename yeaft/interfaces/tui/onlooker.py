"""A Session that another process owns, as one who only looks on sees it: what was said, and what comes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.widgets import Static

from yeaft.interfaces.tui.modal import Modal
from yeaft.interfaces.tui.panels.bound import bound, first_bound
from yeaft.interfaces.tui.scene import Scene
from yeaft.interfaces.tui.transcript.keys import TRANSCRIPT_KEYS
from yeaft.interfaces.tui.transcript.transcript import Transcript
from yeaft.kernel.errors import StoreFailed
from yeaft.session.state import SessionState
from yeaft.store.blobs import FileBlobs
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.sqlite import SqliteJournal

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from yeaft.events.session import NoticePosted
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui
    from yeaft.store.directory import SessionPaths

FOLLOW_S = 0.5
"""So often it is looked for what has come; the other process tells nobody."""


class Onlooker(Modal[None]):
    """Shows a Session and follows it, without owning it. Nothing can be said here."""

    DEFAULT_CSS = """
    Onlooker { background: $background; layout: vertical; }
    Onlooker > .title { height: 1; padding: 0 1; text-style: bold reverse; text-wrap: nowrap; text-overflow: ellipsis; }
    Onlooker > .hint { height: 1; padding: 0 1; color: $text-muted; }
    """
    BINDINGS = [*TRANSCRIPT_KEYS, bound("panel.close", "leave"), first_bound("panel.give_up", "leave")]

    def __init__(self, paths: SessionPaths, look: Look, ui: Ui) -> None:
        super().__init__()
        self._ui = ui
        self._journal = SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs))
        self._state = SessionState(paths.session_id)
        self._scene = Scene(self._state, self._noticed)
        self._title = Static(ui.text("opening.looking", session=paths.session_id), markup=False, classes="title")
        self._hint = Static(ui.text("opening.look_hint"), markup=False, classes="hint")
        self.transcript = Transcript(look, ui)
        self.transcript.find_pictures(FileBlobs(paths.blobs).get)

    def compose(self) -> ComposeResult:
        """Return the widgets from top to bottom."""
        yield self._title
        yield self.transcript
        yield self._hint

    def on_mount(self) -> None:
        """Begin to read."""
        self.transcript.focus()
        self.run_worker(self._follow())

    def on_transcript_wants_older(self) -> None:
        """Show what lies back."""
        self.transcript.prepend(self._scene.older())

    def on_transcript_left(self) -> None:
        """Go back to the question."""
        self.action_leave()

    def action_transcript(self, verb: str) -> None:
        """Scroll the transcript, search it, or look at it in another way."""
        self.transcript.reading.does(verb)

    def action_leave(self) -> None:
        """Look on no longer."""
        self.dismiss(None)

    async def _follow(self) -> None:
        is_first = True
        while True:
            try:
                came = await asyncio.to_thread(self._journal.read, SESSION_STREAM, self._state.head)
            except StoreFailed as error:
                self.notify(self._ui.retold(str(error)), severity="error", markup=False)
                return
            for recorded in came:
                self._state.apply(recorded)
                if not is_first:
                    self._scene.hear(recorded)
            if is_first:
                self._scene.reset()
            if came or is_first:
                self.transcript.apply(self._scene.take())
            is_first = False
            await asyncio.sleep(FOLLOW_S)

    def _noticed(self, notice: NoticePosted) -> str:
        params = {name: self._ui.retold(value) for name, value in notice.params.items()}
        return self._ui.text(notice.code, session=self._state.session_id, **params)
