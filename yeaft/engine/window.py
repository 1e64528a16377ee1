"""What fits in a model's window: the oldest turns go first, then the text of old results; nothing stored changes."""

from collections.abc import Sequence

from msgspec import Struct

from yeaft.engine.pictures import picture_tokens
from yeaft.engine.sent_copy import SENT_BYTES
from yeaft.engine.state import TurnState, partial_text
from yeaft.engine.view import Own, Posted, Told, Unit
from yeaft.events.call import CallFinished
from yeaft.kernel.messages import CallItem, TextItem
from yeaft.llm.tokens import estimate

UNIT_TOKENS = 8
CALL_TOKENS = 12
STUB_TOKENS = 40


class Window(Struct, frozen=True, kw_only=True):
    """The units that are sent, the calls whose results are only named, and what was left out."""

    units: tuple[Unit, ...]
    stubbed: frozenset[str] = frozenset()
    dropped: int = 0
    dropped_turns: int = 0
    tokens_est: int = 0


def fit(units: Sequence[Unit], limit_tokens: int) -> Window:
    """Keep the newest turns that fit in `limit_tokens` (an estimate).

    An earlier turn goes with all that was said since the turn before it, calls with their results; then goes what
    was said before the last turn, one by one. The last turn and its message always stay; if they alone are too
    large, the text of their older results is replaced by a stub, oldest first, the newest round last of all.
    """
    groups = _groups(units)
    sizes = [sum(map(unit_tokens, group)) for group in groups]
    total = sum(sizes)
    gone: list[Unit] = []
    staying: list[Unit] = []
    for group, tokens in zip(groups, sizes, strict=True):
        if total > limit_tokens and not _must_stay(group, units[-1]):
            gone += group
            total -= tokens
        else:
            staying += group
    kept = tuple(staying)
    dropped_turns = max(1, sum(isinstance(unit, Posted) for unit in gone)) if gone else 0
    stubbed: set[str] = set()
    for call_id, tokens in _stubbable(kept):
        if total <= limit_tokens:
            break
        stubbed.add(call_id)
        total -= tokens
    return Window(
        units=kept, stubbed=frozenset(stubbed), dropped=len(gone), dropped_turns=dropped_turns, tokens_est=total
    )


def unit_tokens(unit: Unit) -> int:
    """Return the estimate for one unit as it is sent."""
    match unit:
        case Posted(message=message):
            return UNIT_TOKENS + estimate(message.text)
        case Told(text=text):
            return UNIT_TOKENS + estimate(text)
        case Own(turn=turn):
            return _turn_tokens(turn)


def _turn_tokens(turn: TurnState) -> int:
    total = 0
    for attempt in turn.attempts:
        total += sum(UNIT_TOKENS + estimate(steer.text) for steer in attempt.steers)
        if attempt.reply is None:
            total += estimate(partial_text(attempt))
            continue
        for item in attempt.reply.items:
            total += estimate(item.text) if isinstance(item, TextItem) else 0
            total += 0 if isinstance(item, TextItem | CallItem) else len(bytes(item.raw)) // 4
        total += sum(CALL_TOKENS + estimate(call.args_raw) for call in attempt.reply.calls)
        total += sum(_result_tokens(state.finished) for state in attempt.calls if state.finished)
    return total


def _result_tokens(finished: CallFinished) -> int:
    text = finished.text if len(finished.text) <= SENT_BYTES else finished.text[:SENT_BYTES]
    return CALL_TOKENS + estimate(text) + picture_tokens(finished.images)


def _groups(units: Sequence[Unit]) -> list[list[Unit]]:
    """Cut after each own turn, so that a message stays with the turn that answers it, and after all that follows.

    A VP that joins late has everything that was said so far before its one turn: that must not stay as a whole.
    """
    owns = [place for place, unit in enumerate(units[:-1]) if isinstance(unit, Own)]
    groups: list[list[Unit]] = []
    start = 0
    for place in owns:
        groups.append(list(units[start : place + 1]))
        start = place + 1
    return [*groups, *([unit] for unit in units[start:])]


def _must_stay(group: Sequence[Unit], last: Unit) -> bool:
    """Whether a group is the last turn, or the message that it answers."""
    question = last.turn.started.message_id if isinstance(last, Own) else ""
    return any(unit is last or (isinstance(unit, Posted) and unit.message.message_id == question) for unit in group)


def _stubbable(units: Sequence[Unit]) -> list[tuple[str, int]]:
    """List the calls whose results may be stubbed, oldest first, with the tokens that would be won."""
    attempts = [attempt for unit in units if isinstance(unit, Own) for attempt in unit.turn.attempts]
    found: list[tuple[str, int]] = []
    for attempt in attempts:
        for state in attempt.calls:
            won = _result_tokens(state.finished) - STUB_TOKENS if state.finished else 0
            if won > 0:
                found.append((state.call.call_id, won))
    return found
