"""What stands in the terminal once a Session has been left: which it was, how to go on, and what still runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.events.codec import Recorded
from yeaft.events.session import NoticePosted
from yeaft.interfaces.unlisted import unlisted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yeaft.events.codec import Transient
    from yeaft.interfaces.assemble import Opened
    from yeaft.prompts.ui import Ui


class Farewell:
    """Notes what is told while a Session is closed, when nobody can see it on the screen any more."""

    def __init__(self, ui: Ui) -> None:
        self._ui = ui
        self._here: Opened | None = None
        self._notices: list[NoticePosted] = []
        self._is_closing = False

    @property
    def session_id(self) -> str:
        """The Session's id; empty if nothing was said in it."""
        return self._here.state.session_id if self._here is not None and self._here.state.created else ""

    def attach(self, here: Opened) -> None:
        """Note what is told in this Session from `close` on."""
        self._here = here
        here.listen(self._hear)

    def close(self) -> None:
        """The screen shows nothing of this Session any more."""
        self._is_closing = True

    def lines(self) -> list[str]:
        """Return what to say. A Session in which nothing was said is not there any more."""
        if self._here is None or not self.session_id:
            return []
        ui, state = self._ui, self._here.state
        lines = [ui.text(notice.code, session=state.session_id, **notice.params) for notice in self._notices]
        lines += [ui.text(code, **params) for code, params in self.unlisted()]
        code = "leaving.resume_named" if state.name else "leaving.resume"
        return [*lines, ui.text(code, session=state.session_id, name=state.name)]

    def unlisted(self) -> Sequence[tuple[str, dict[str, str]]]:
        """Return what to say, as codes with parameters, of what could not be kept when the Session was closed."""
        return unlisted(self._here) if self._here is not None else ()

    def _hear(self, heard: Recorded | Transient) -> None:
        if self._is_closing and isinstance(heard, Recorded) and isinstance(heard.event, NoticePosted):
            self._notices.append(heard.event)
