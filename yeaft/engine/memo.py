"""Keeps what was written for a VP's last request, so that the next one costs only what is new."""

from collections.abc import Callable, Sequence

from yeaft.engine.cuts import Cuts
from yeaft.engine.kept import Kept
from yeaft.engine.manner import Manner
from yeaft.engine.repeats import TURNS_BEFORE, Repeats
from yeaft.engine.said import Piece, pieces_of
from yeaft.engine.state import Attempt, TurnState
from yeaft.engine.talk import Talk
from yeaft.kernel.grown import Grown


class Memo:
    """What one VP was told last. What has changed since, or is told in another manner, is written anew."""

    def __init__(self) -> None:
        self._pieces: Kept[Sequence[Piece]] = Kept()
        self._repeats = Repeats()
        self._talk: Grown[Talk] = Grown()

    def begin(self, *, afresh: bool) -> None:
        """Begin another turn; with `afresh` it is told in another manner."""
        self._pieces.begin(afresh=afresh)
        self._repeats.begin(afresh=afresh)

    def told(
        self,
        talk: Talk,
        turns: Sequence[TurnState],
        manner: Manner,
        cuts: Cuts,
        write: Callable[[Talk, int], object],
    ) -> tuple[Talk, int]:
        """`talk` with those requests of the last of `turns` that are told the same from now on, and how many they are.

        `write` adds the one at a place. It may look at the next, so the newest two are not among them.
        """
        *before, turn = turns
        known = self._talk.of(
            turn.attempts[:-1],
            talk.copy,
            lambda told, place: write(told, place - 1) if place else None,
            (manner, cuts, talk.messages(), before, turn.started, turn.ended),
        )
        return known.copy(), max(0, len(turn.attempts) - 2)

    def pieces(self, turns: Sequence[TurnState], number: int, manner: Manner, cuts: Cuts) -> Sequence[Piece]:
        """The pieces of a request of the last of `turns`, which are it and those right before it."""
        *before, turn = turns
        attempt, is_last = turn.attempts[number], number + 1 == len(turn.attempts)
        key = (
            attempt.sent.request_id,
            tuple(one.started.turn_id for one in before),
            turn.ended is None,
            "" if is_last else turn.attempts[number + 1].sent.how,
            _cut_to(attempt, cuts),
        )
        known = self._pieces.known(key, attempt)
        if known is None:
            note = self._repeats.note(turns, attempt, manner.phrases)
            known = self._pieces.keep(key, attempt, pieces_of(turn, number, manner, cuts, note))
        return known


def up_to(turns: Sequence[TurnState], place: int) -> Sequence[TurnState]:
    """The turn at `place` after those right before it, as far as they matter to how it is told."""
    return turns[max(0, place - TURNS_BEFORE) : place + 1]


def _cut_to(attempt: Attempt, cuts: Cuts) -> tuple[object, ...]:
    if not (cuts.left_out or cuts.bare or cuts.stubbed or cuts.shorter or cuts.pictured):
        return ()
    request_id, pictured = attempt.sent.request_id, cuts.pictured or frozenset()
    call_ids = [one.call.call_id for one in attempt.calls]
    return (
        request_id in cuts.left_out,
        request_id in cuts.bare,
        *((one in cuts.stubbed, one in pictured, cuts.shorter.get(one)) for one in call_ids),
    )
