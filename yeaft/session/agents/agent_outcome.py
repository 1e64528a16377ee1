"""How an agent's work came out, read from its own stream: the state it ends in, and the report that it leaves."""

from collections.abc import Mapping

from yeaft.engine.state import TurnState
from yeaft.events.agent import AgentEnding
from yeaft.kernel.text import tail_bytes, without_surrogates
from yeaft.prompts.fill import fill
from yeaft.session.state import SessionState

RESULT_BYTES = 8 * 1024


def outcome_of(state: SessionState, unmet: str, texts: Mapping[str, str]) -> tuple[AgentEnding, str]:
    """Return how an agent whose turns are over ends, and why; `unmet` is the question that nobody could answer."""
    last = newest_turn(state)
    ended = last.ended if last else None
    if last is None or ended is None:
        return "failed", texts["ended_unstarted"]
    match ended.outcome:
        case "answered" | "handed_off":
            return "completed", ""
        case "limit":
            return "budget_exceeded", fill(texts["ended_budget"], {"limit": ended.limit or ""})
        case "needs_human":
            return "failed", fill(texts["ended_human"], {"text": unmet})
        case "aborted":
            return "closed", texts["ended_closed"]
        case "lost":
            return "lost", texts["ended_lost"]
        case "failed" | "refused":
            return "failed", ended.error.message if ended.error else ended.outcome


def result_of(state: SessionState) -> str:
    """Return the end of what the agent said last; of its newest turn if that said anything."""
    said = (turn.final_text.strip() for turn in reversed(state.turns.values()))
    return tail_bytes(without_surrogates(next((text for text in said if text), "")), RESULT_BYTES)


def newest_turn(state: SessionState) -> TurnState | None:
    """Return the turn that was started last."""
    return next(reversed(state.turns.values()), None)
