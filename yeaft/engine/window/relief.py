"""What else goes when a request would be too long for its model: old results first, the user's message last of all."""

from collections.abc import Iterator, Sequence

from yeaft.engine.cuts import Cuts
from yeaft.engine.state import Attempt, CallState, TurnState
from yeaft.engine.view import Own, Posted, Unit
from yeaft.engine.window.costs import Costs, Rounds, result_tokens, whole_tokens
from yeaft.engine.window.room import Room
from yeaft.engine.window.trim import Trimmed, turns_up_to
from yeaft.kernel.errors import ConfigError

STEPS = 8
"""Room is made an eighth of it at a time, so that not every round changes what the requests of a turn begin with."""
RECENT_SHARE = 2
"""Half of the room keeps the newest rounds of the turn as they are, rather than only the names of more of them."""
NEWEST_BYTES = (16_384, 8_192, 4_096, 2_048, 1_024)
"""How much of each result of the newest round is sent, when there is no room for more."""
QUESTION_BYTES_PER_TOKEN = (4, 3, 2)
"""Tried in this order; two bytes are a token at worst."""
ROUNDS_NOTE_TOKENS = 48


class Relief:
    """One request's fight for room: `cut` makes it, in the order of its methods, and stops as soon as there is enough.

    `units` end with the current turn; `trimmed` is what stays of those before it. Where there are any, `tokens` counts
    the words that may stand for what is missing, whether anything is or not.
    """

    def __init__(self, units: Sequence[Unit], trimmed: Trimmed, room: Room, costs: Costs) -> None:
        self.groups = list(trimmed.groups)
        self.bare = set(trimmed.bare)
        self.left_out = set(trimmed.left_out)
        self.stubbed: set[str] = set()
        self.shorter: dict[str, int] = {}
        self.question_bytes: int | None = None
        self._units = units
        self._room = room
        self._costs = costs
        self._pictured = trimmed.pictured
        last = units[-1] if units else None
        self._turn = last.turn if isinstance(last, Own) else None
        self._turns = turns_up_to(units, len(units) - 1)
        self._rounds = costs.rounds(self._turns, trimmed.pictured) if self._turn else Rounds()
        self._question = question_place(units)
        self.words_tokens = room.goals if len(units) > (self._turn is not None) + (self._question >= 0) else 0
        self.tokens = trimmed.tokens + self.words_tokens + self._current_tokens()
        self._newest = self._newest_place()
        self._recent = min(self._newest, self._recent_place())

    def cut(self) -> Cuts:
        """Make room. Raises `ConfigError` when what must stay does not fit."""
        limit = self._room.limit
        over = self.tokens - limit
        if over > 0:
            step = self._step()
            self._go_below(self.tokens - -(-over // step) * step)
        if self.tokens > self._room.utmost:
            self._squeeze(self._room.utmost)
        return Cuts(
            bare=frozenset(self.bare),
            left_out=frozenset(self.left_out),
            stubbed=frozenset(self.stubbed),
            shorter=dict(sorted(self.shorter.items())),
            question_bytes=self.question_bytes,
            pictured=self._pictured,
        )

    def _go_below(self, target: int) -> None:
        """Leave out what can be missed best: old results, then earlier turns, then old rounds of this turn."""
        for make in (self._old_results, self._earlier_units, self._old_rounds, self._newer_results):
            for won in make():
                self.tokens -= won
                if self.tokens <= target:
                    return

    def _squeeze(self, target: int) -> None:
        """Shorten what the model needs most: the newest results, at last the message that it answers."""
        for make in (self._newest_results, self._newest_stubs, self._rounds_left):
            for won in make():
                self.tokens -= won
                if self.tokens <= target:
                    return
        self._shorten_question(target)

    def _old_results(self) -> Iterator[int]:
        yield from self._stubs(0, self._recent)

    def _newer_results(self) -> Iterator[int]:
        yield from self._stubs(self._recent, self._newest)

    def _stubs(self, start: int, end: int) -> Iterator[int]:
        for stubs in self._rounds.stubs[start:end]:
            for call_id, won in stubs:
                self.stubbed.add(call_id)
                yield won

    def _earlier_units(self) -> Iterator[int]:
        while self.groups:
            group = self.groups.pop(0)
            won = sum(self._unit_tokens(place) for place in group)
            for unit in (self._units[place] for place in group):
                if isinstance(unit, Own):
                    request_ids = [attempt.sent.request_id for attempt in unit.turn.attempts]
                    self.bare.difference_update(request_ids)
                    self.left_out.difference_update(request_ids)
            yield won

    def _old_rounds(self) -> Iterator[int]:
        spent = ROUNDS_NOTE_TOKENS
        for attempt in self._attempts()[: self._recent]:
            yield self._leave_out(attempt) - spent
            spent = 0

    def _newest_results(self) -> Iterator[int]:
        for limit_bytes in NEWEST_BYTES:
            for attempt, state in self._newest_calls():
                now = self._result_tokens(attempt, state)
                then = self._costs.shorter(state, limit_bytes)
                if then < now:
                    self.shorter[state.call.call_id] = limit_bytes
                    yield now - then

    def _newest_stubs(self) -> Iterator[int]:
        for attempt in self._attempts()[self._newest :]:
            yield from self._stub(attempt)

    def _rounds_left(self) -> Iterator[int]:
        attempts = self._attempts()
        spent = 0 if self.left_out else ROUNDS_NOTE_TOKENS
        for attempt in attempts:
            is_last = attempt is attempts[-1] and attempt.reply is None
            if not is_last and attempt.sent.request_id not in self.left_out:
                yield self._leave_out(attempt) - spent
                spent = 0

    def _shorten_question(self, target: int) -> None:
        question = self._units[self._question] if self._question >= 0 else None
        if isinstance(question, Posted):
            whole = self._costs.unit(question)
            others = self.tokens - whole
            for bytes_per_token in QUESTION_BYTES_PER_TOKEN:
                limit_bytes = (target - others) * bytes_per_token
                if limit_bytes <= 0:
                    break
                cost = self._costs.question(question, limit_bytes)
                if others + cost <= target:
                    self.question_bytes, self.tokens = limit_bytes, others + cost
                    return
        raise ConfigError(
            f"The model takes too little at once: its rules and tools need about {self._room.fixed} tokens, and what "
            f"has to be said now {self.tokens} more, but only {max(0, self._room.utmost)} are free beside a short "
            "reply. Use a model with a larger window (-m), or give the VP fewer tools and shorter instructions; "
            "`yeaft session context` shows what takes how much."
        )

    def _stub(self, attempt: Attempt) -> Iterator[int]:
        for state in attempt.calls:
            if state.finished is None or state.call.call_id in self.stubbed:
                continue
            won = self._result_tokens(attempt, state) - self._costs.stub(state)
            if won > 0:
                self.stubbed.add(state.call.call_id)
                yield won

    def _leave_out(self, attempt: Attempt) -> int:
        """Leave out a round with all its calls; what the user added in it stays."""
        cost = self._costs.attempt(self._turns, attempt)
        self.left_out.add(attempt.sent.request_id)
        results = sum(
            self._costs.stub(state) if state.call.call_id in self.stubbed else self._result_tokens(attempt, state)
            for state in attempt.calls
        )
        return cost.said + results

    def _result_tokens(self, attempt: Attempt, state: CallState) -> int:
        """What a call's result costs at present, with its pictures."""
        cost, place = self._costs.attempt(self._turns, attempt), attempt.calls.index(state)
        tokens = result_tokens(cost, place, state, self._pictured)
        limit_bytes = self.shorter.get(state.call.call_id)
        return tokens if limit_bytes is None else tokens - cost.results[place] + self._costs.shorter(state, limit_bytes)

    def _unit_tokens(self, place: int) -> int:
        unit = self._units[place]
        return self._turn_tokens(unit.turn, place) if isinstance(unit, Own) else self._costs.unit(unit)

    def _turn_tokens(self, turn: TurnState, place: int) -> int:
        turns, tokens = turns_up_to(self._units, place), 0
        for attempt in turn.attempts:
            cost, request_id = self._costs.attempt(turns, attempt), attempt.sent.request_id
            if request_id in self.bare:
                tokens += cost.heard + cost.words
            elif request_id not in self.left_out:
                tokens += whole_tokens(cost, attempt, self._pictured)
        return tokens + self._costs.unit(Own(turn=turn))

    def _current_tokens(self) -> int:
        tokens = self._costs.unit(self._units[self._question]) if self._question >= 0 else 0
        return tokens + sum(self._rounds.whole) + (self._costs.unit(Own(turn=self._turn)) if self._turn else 0)

    def _attempts(self) -> tuple[Attempt, ...]:
        return self._turn.attempts if self._turn else ()

    def _newest_place(self) -> int:
        """Where the newest round begins: the last request with a reply, and what was tried after it."""
        attempts = self._attempts()
        replied = (number for number in reversed(range(len(attempts))) if attempts[number].reply is not None)
        return next(replied, len(attempts))

    def _recent_place(self) -> int:
        """Where the rounds begin that fill half of the room; it moves by whole steps."""
        limit, step = self._room.limit, self._step()
        if self.tokens <= limit:
            return len(self._attempts())
        costs = self._rounds.texts
        boundary = (sum(costs) - limit // RECENT_SHARE) // step * step
        for place, cost in enumerate(costs):
            boundary -= cost
            if boundary < 0:
                return place
        return len(costs)

    def _step(self) -> int:
        return max(1, self._room.limit // STEPS)

    def _newest_calls(self) -> Iterator[tuple[Attempt, CallState]]:
        for attempt in self._attempts()[self._newest :]:
            yield from ((attempt, state) for state in attempt.calls if state.finished is not None)


def question_place(units: Sequence[Unit]) -> int:
    """Where the message stands that the current turn answers; -1 if nowhere."""
    last = units[-1] if units else None
    if not isinstance(last, Own):
        return -1
    for place in reversed(range(len(units) - 1)):
        unit = units[place]
        if isinstance(unit, Own):
            return -1
        if isinstance(unit, Posted) and unit.message.message_id == last.turn.started.message_id:
            return place
    return -1
