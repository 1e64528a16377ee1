"""How hard a VP is to think in its turn: who asked for it, and whose word counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.engine.said import effort_of

if TYPE_CHECKING:
    from yeaft.engine.state import TurnState
    from yeaft.session.state import SessionState


class Efforts:
    """The effort that one VP's requests are to have, as the user wants it.

    The caller's (`--effort`) counts until the user gives another order, then what a message asks for, for all that it
    leads to, then what was ordered for the Session.
    """

    def __init__(self, callers: str) -> None:
        self.callers = callers
        self._ordered = ""

    def order(self, effort: str) -> None:
        """Use another effort from the next request on; an empty one changes nothing."""
        if effort:
            self.callers, self._ordered = "", effort

    def wanted(self, asked: str) -> str:
        """Return the effort of a request in whose turn `asked` is asked for; empty if nobody wants any."""
        return self.callers or asked or self._ordered


def asked_in(turn: TurnState | None, state: SessionState) -> str:
    """Return what the user asked for in what a turn is about: the newest that was added to it, or its first message."""
    if turn is None:
        return ""
    added = (*(one for attempt in turn.attempts for one in attempt.steers), *turn.unseen)
    root = state.messages[state.messages[turn.started.message_id].root_id]
    return next((effort for one in reversed((root, *added)) if (effort := effort_of(one))), "")
