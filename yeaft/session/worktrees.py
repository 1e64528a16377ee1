"""Which git worktrees a Session has made, from its journal."""

from yeaft.session.state import SessionState
from yeaft.tools.worktrees.worktrees import Worktrees


def worktrees_of(state: SessionState) -> Worktrees:
    """Return the worktrees that calls of the Session have made and not removed."""
    attempts = (attempt for turn in state.turns.values() for attempt in turn.attempts)
    return Worktrees.after(call.finished for attempt in attempts for call in attempt.calls if call.finished)
