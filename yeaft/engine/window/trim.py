"""What of the earlier turns goes along with the current one: the newest, within bounds that the user can set."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from yeaft.config.settings import Window as Bounds
from yeaft.engine.repeats import TURNS_BEFORE
from yeaft.engine.state import TurnState
from yeaft.engine.view import Own, Posted, Unit
from yeaft.engine.window.costs import Costs, whole_tokens


class Trimmed(Struct, frozen=True, kw_only=True):
    """What stays: the places of units in groups that stay or go together, oldest first.

    `bare` are the requests of them that are shown by their words only, `left_out` those not shown at all.
    """

    groups: tuple[tuple[int, ...], ...]
    bare: frozenset[str]
    left_out: frozenset[str]
    pictured: frozenset[str]
    tokens: int


def trim(units: Sequence[Unit], bounds: Bounds, tokens: int, costs: Costs, pictured: frozenset[str]) -> Trimmed:
    """Keep the newest of `units`, which end before the current turn, in so many tokens.

    The newest `bounds.tool_turns` turns stay as they were; of older ones only what was said. A turn goes with all that
    was heard since the turn before it. The oldest one that stays may have lost its beginning, but not the message that
    it answers, if there was room for that.
    """
    walk = _Walk(units, bounds, tokens, costs, pictured)
    for start, end in _groups(units):
        if not walk.take_group(start, end):
            break
    return Trimmed(
        groups=tuple(walk.groups[::-1]),
        bare=frozenset(walk.bare),
        left_out=frozenset(walk.left_out),
        pictured=pictured,
        tokens=tokens - walk.tokens,
    )


def _groups(units: Sequence[Unit]) -> Iterator[tuple[int, int]]:
    """The stretches of units that stay or go together, the newest first: an own turn with what came before it.

    What was heard after the last own turn goes one by one: a VP that joins late has everything before its first turn.
    """
    end = len(units)
    while end and not isinstance(units[end - 1], Own):
        yield end - 1, end
        end -= 1
    while end:
        start = end - 1
        while start and not isinstance(units[start - 1], Own):
            start -= 1
        yield start, end
        end = start


class _Walk:
    """Goes from the newest unit to the oldest and takes what fits."""

    def __init__(
        self, units: Sequence[Unit], bounds: Bounds, tokens: int, costs: Costs, pictured: frozenset[str]
    ) -> None:
        self.groups: list[tuple[int, ...]] = []
        self.bare: set[str] = set()
        self.left_out: set[str] = set()
        self.tokens = tokens
        self._rows = bounds.rows
        self._turns = bounds.turns
        self._tool_turns = bounds.tool_turns
        self._units = units
        self._costs = costs
        self._places: list[int] = []
        self._pictured = pictured

    def take_group(self, start: int, end: int) -> bool:
        """Take a group, or what fits of it, as one that stays or goes; False if that is not all of it."""
        self._places = list[int]()
        is_whole = self._take(start, end)
        if self._places:
            self.groups.append(tuple(sorted(self._places)))
        return is_whole

    def _take(self, start: int, end: int) -> bool:
        own = self._units[end - 1]
        if not isinstance(own, Own):
            return self._take_unit(start)
        if self._turns <= 0:
            return False
        self._turns -= 1
        question = self._question_of(own, start, end - 1)
        before = self.tokens, self._rows
        is_whole = question < 0 or self._take_unit(question)
        taken, all_taken = self._take_turn(own.turn, end - 1)
        if not taken:
            self.tokens, self._rows = before
            self._places.clear()
            return False
        self._places.append(end - 1)
        is_whole = is_whole and all_taken
        for place in reversed(range(start, end - 1)):
            if place != question:
                is_whole = is_whole and self._take_unit(place)
        return is_whole

    def _question_of(self, own: Own, start: int, end: int) -> int:
        for place in range(start, end):
            unit = self._units[place]
            if isinstance(unit, Posted) and unit.message.message_id == own.turn.started.message_id:
                return place
        return -1

    def _take_unit(self, place: int) -> bool:
        if not self._pays(self._costs.unit(self._units[place]), 1):
            return False
        self._places.append(place)
        return True

    def _take_turn(self, turn: TurnState, place: int) -> tuple[bool, bool]:
        """Take a turn's requests, the newest first: whole, then by their words, then not. Whether any, whether all."""
        is_full = self._tool_turns > 0
        self._tool_turns -= 1
        turns = turns_up_to(self._units, place)
        for number in reversed(range(len(turn.attempts))):
            attempt = turn.attempts[number]
            cost, request_id = self._costs.attempt(turns, attempt), attempt.sent.request_id
            if is_full and self._pays(whole_tokens(cost, attempt, self._pictured), cost.rows):
                continue
            is_full = False
            if not self._pays(cost.words + cost.heard, 1):
                self.left_out.update(one.sent.request_id for one in turn.attempts[: number + 1])
                return number + 1 < len(turn.attempts), False
            self.bare.add(request_id)
        return self._pays(self._costs.unit(self._units[place]), 0), True

    def _pays(self, tokens: int, rows: int) -> bool:
        if tokens > self.tokens or rows > self._rows:
            return False
        self.tokens -= tokens
        self._rows -= rows
        return True


def turns_up_to(units: Sequence[Unit], place: int) -> list[TurnState]:
    """The own turn at `place` after those right before it, as far as they matter to how it is told."""
    turns: list[TurnState] = []
    while place >= 0 and len(turns) <= TURNS_BEFORE:
        unit = units[place]
        if isinstance(unit, Own):
            turns.append(unit.turn)
        place -= 1
    return turns[::-1]
