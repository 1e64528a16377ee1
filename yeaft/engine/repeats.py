"""Notices when a VP makes the same call again and again, so that the request can tell it so."""

from collections.abc import Iterable, Mapping, Sequence

from yeaft.engine.kept import Kept
from yeaft.engine.state import Attempt, CallState, TurnState
from yeaft.kernel.grown import Grown
from yeaft.kernel.text import head_bytes
from yeaft.prompts.fill import fill

TURNS_BEFORE = 2
"""How many turns before its own are looked at."""
TIMES_BEFORE_NOTE = 3
BRIEF_BYTES = 500


class Repeats:
    """The notes about calls of one VP that are made again; each call is looked at once in a turn."""

    def __init__(self) -> None:
        self._turns: Kept[Grown[_Noted]] = Kept()

    def begin(self, *, afresh: bool) -> None:
        """Begin another turn; with `afresh` nothing is told as it was before."""
        self._turns.begin(afresh=afresh)

    def note(self, turns: Sequence[TurnState], attempt: Attempt, phrases: Mapping[str, str]) -> str:
        """A note about each call of `attempt` that is at least the third of its kind; empty if there is none.

        Looks at the last of `turns`, of which it is a part, and the two before. Never stops a call: the model decides
        with the note before it.
        """
        if not attempt.calls:
            return ""
        *before, turn = turns[-TURNS_BEFORE - 1 :]
        grown = self._turns.known(turn.started.turn_id, turn.started)
        if grown is None:
            grown = self._turns.keep(turn.started.turn_id, turn.started, Grown())
        noted = grown.of(
            turn.attempts[:-1],
            lambda: _Noted(before),
            lambda noted, place: noted.add(turn.attempts[place], phrases),
            tuple(before),
        )
        known = noted.notes.get(attempt.sent.request_id)
        return noted.calls.note(attempt, phrases) if known is None else known


class _Noted:
    """The notes about requests of a turn, and the calls that later ones may repeat."""

    def __init__(self, before: Iterable[TurnState]) -> None:
        self.calls = _Calls()
        self.notes: dict[str, str] = {}
        for turn in before:
            for attempt in turn.attempts:
                self.calls.add(attempt)

    def add(self, attempt: Attempt, phrases: Mapping[str, str]) -> None:
        self.notes[attempt.sent.request_id] = self.calls.note(attempt, phrases)
        self.calls.add(attempt)


class _Calls:
    """Calls by what is the same in those that are made again: how many there were, and the last."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, bytes], tuple[int, CallState]] = {}

    def add(self, attempt: Attempt) -> None:
        for state in attempt.calls:
            key = state.call.tool, _args(state)
            count = self._made[key][0] if key in self._made else 0
            self._made[key] = count + 1, state

    def note(self, attempt: Attempt, phrases: Mapping[str, str]) -> str:
        notes = (self._note(state, phrases) for state in attempt.calls)
        return "\n".join(dict.fromkeys(note for note in notes if note))

    def _note(self, state: CallState, phrases: Mapping[str, str]) -> str:
        count, last = self._made.get((state.call.tool, _args(state)), (0, state))
        if count + 1 < TIMES_BEFORE_NOTE:
            return ""
        brief = head_bytes(last.finished.text if last.finished else "", BRIEF_BYTES)
        return fill(phrases["repeated_call"], {"tool": state.call.tool, "times": str(count + 1), "result": brief})


def _args(state: CallState) -> bytes:
    """Return what has to be the same in two calls of a tool: the arguments, as understood where they were."""
    return bytes(state.started.args) if state.started else state.call.args_raw.strip().encode("utf-8", "surrogatepass")
