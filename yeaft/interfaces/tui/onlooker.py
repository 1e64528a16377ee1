"""A Session in which nothing can be said, because another process owns it or its files are gone; it can be read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Self

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
    """Shows a Session as far as `state` knows it, and follows its `journal` if there is one. Nothing can be said here.

    `title` says why.
    """

    DEFAULT_CSS = """
    Onlooker { background: $background; layout: vertical; }
    Onlooker > .title { height: auto; padding: 0 1; text-style: bold reverse; }
    Onlooker > .hint { height: 1; padding: 0 1; color: $text-muted; }
    """
    BINDINGS = [*TRANSCRIPT_KEYS, bound("panel.close", "leave"), first_bound("panel.give_up", "leave")]

    def __init__(
        self,
        state: SessionState,
        blob: Callable[[str], bytes | None],
        *,
        title: str,
        look: Look,
        ui: Ui,
        journal: SqliteJournal | None = None,
    ) -> None:
        super().__init__()
        self._ui = ui
        self._journal = journal
        self._state = state
        self._scene = Scene(state, self._noticed)
        self._title = Static(title, markup=False, classes="title")
        self._hint = Static(ui.text("opening.look_hint"), markup=False, classes="hint")
        self.transcript = Transcript(look, ui)
        self.transcript.find_pictures(blob)

    @classmethod
    def of_another(cls, paths: SessionPaths, look: Look, ui: Ui) -> Self:
        """Look on while another process goes on with its Session."""
        blobs = FileBlobs(paths.blobs)
        title = ui.text("opening.looking", session=paths.session_id)
        journal = SqliteJournal.for_reading(paths.db, blobs)
        state = SessionState(paths.session_id)
        return cls(state, blobs.get, title=title, look=look, ui=ui, journal=journal)

    def compose(self) -> ComposeResult:
        """Return the widgets from top to bottom."""
        yield self._title
        yield self.transcript
        yield self._hint

    def on_mount(self) -> None:
        """Begin to read."""
        self.transcript.focus()
        if self._journal is not None:
            self.run_worker(self._follow(self._journal))
        else:
            self._scene.reset()
            self.transcript.apply(self._scene.take())

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

    async def _follow(self, journal: SqliteJournal) -> None:
        is_first = True
        while True:
            try:
                came = await asyncio.to_thread(journal.read, SESSION_STREAM, self._state.head)
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
