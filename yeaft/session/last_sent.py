"""What a VP was last told: the newest request that was made for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yeaft.events.turn import RequestSent
    from yeaft.session.state import SessionState


def last_sent(state: SessionState, vp_id: str) -> RequestSent | None:
    """Return the newest request of any turn of a VP; None if there was none."""
    turns = (state.turns[turn_id] for turn_id in reversed(state.turns_of.get(vp_id, ())))
    return next((turn.last.sent for turn in turns if turn.last is not None), None)
