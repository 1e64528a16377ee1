"""Notices when a VP makes the same call again and again, so that the request can tell it so."""

from collections.abc import Iterable, Mapping, Sequence

from yeaft.engine.state import Attempt, CallState, TurnState
from yeaft.kernel.text import head_bytes
from yeaft.prompts.fill import fill

TURNS_LOOKED_AT = 3
TIMES_BEFORE_NOTE = 3
BRIEF_BYTES = 500


def repeat_note(turns: Sequence[TurnState], turn: TurnState, attempt: Attempt, phrases: Mapping[str, str]) -> str:
    """Return a note about each call of `attempt` that is at least the third of its kind; empty if there is none.

    Looks at `turn` and the two before it. Never stops a call: the model decides with the note before it.
    """
    if not attempt.calls:
        return ""
    place = next(number for number, known in enumerate(turns) if known is turn)
    earlier = [*turns[max(0, place - TURNS_LOOKED_AT + 1) : place], turn]
    before = list(_calls_before(earlier, attempt))
    notes = (_note(call, before, phrases) for call in attempt.calls)
    return "\n".join(dict.fromkeys(note for note in notes if note))


def _calls_before(turns: Iterable[TurnState], attempt: Attempt) -> Iterable[CallState]:
    for turn in turns:
        for known in turn.attempts:
            if known.sent.request_id == attempt.sent.request_id:
                return
            yield from known.calls


def _note(call: CallState, before: Sequence[CallState], phrases: Mapping[str, str]) -> str:
    same = [known for known in before if _key(known) == _key(call)]
    if len(same) + 1 < TIMES_BEFORE_NOTE:
        return ""
    brief = head_bytes(same[-1].finished.text if same[-1].finished else "", BRIEF_BYTES)
    return fill(phrases["repeated_call"], {"tool": call.call.tool, "times": str(len(same) + 1), "result": brief})


def _key(state: CallState) -> tuple[str, str]:
    """Return what makes two calls the same: the tool and the arguments, as understood where they were."""
    args = bytes(state.started.args).decode() if state.started else state.call.args_raw.strip()
    return state.call.tool, args
