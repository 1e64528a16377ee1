"""What everything in a request costs in tokens, by estimate; what cannot change any more is counted once."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct

from yeaft.engine.kept import Kept
from yeaft.engine.manner import Manner
from yeaft.engine.pictures import Batch, attachment_tokens, batches_of, picture_tokens
from yeaft.engine.repeats import Repeats
from yeaft.engine.said import added
from yeaft.engine.sent_copy import SENT_BYTES, sent_copy, sent_message
from yeaft.engine.state import Attempt, CallState, TurnState, partial_text
from yeaft.engine.stubs import stub_text
from yeaft.engine.view import Own, Posted, Summed, Told, Unit, posted_text
from yeaft.kernel.grown import Grown
from yeaft.kernel.messages import CallItem, TextItem, text_of
from yeaft.llm.tokens import estimate

UNIT_TOKENS = 4
"""What a provider adds around each message."""
CALL_TOKENS = 12
NOTE_TOKENS = 24
"""What stands for a picture that is not sent, or after a reply that has to go on."""


class AttemptCost(Struct, frozen=True, kw_only=True):
    """What one request and what came of it cost when they are told again.

    `heard` is what was added by others, `said` the reply with its calls, `words` only its text. `results` go by call,
    without their pictures, whose costs are `pictures`.
    """

    heard: int
    said: int
    words: int
    results: tuple[int, ...]
    pictures: tuple[int, ...]
    rows: int

    @property
    def texts(self) -> int:
        """All but the pictures."""
        return self.heard + self.said + sum(self.results)


class Rounds:
    """What the requests of one turn cost, one after the other.

    `texts` is without pictures, `whole` with those that go along. `stubs` are the calls whose results cost more than
    the line that would stand for them, with what is won by it.
    """

    def __init__(self) -> None:
        self.texts: list[int] = []
        self.whole: list[int] = []
        self.stubs: list[tuple[tuple[str, int], ...]] = []

    def copy(self) -> "Rounds":
        """The same, to which more can be added."""
        other = Rounds()
        other.texts, other.whole, other.stubs = list(self.texts), list(self.whole), list(self.stubs)
        return other


class Costs:
    """Estimates for one VP's requests."""

    def __init__(self) -> None:
        self._manner: Manner | None = None
        self._messages: Kept[int] = Kept()
        self._attempts: Kept[AttemptCost] = Kept()
        self._stubs: Kept[int] = Kept()
        self._pictures: Kept[Grown[list[Batch]]] = Kept()
        self._rounds: Grown[Rounds] = Grown()
        self._repeats = Repeats()

    def begin(self, manner: Manner) -> None:
        """Begin another turn, or tell this one in another manner."""
        afresh = manner != self._manner
        for kept in (self._messages, self._attempts, self._stubs, self._pictures, self._repeats):
            kept.begin(afresh=afresh)
        self._manner = manner

    @property
    def manner(self) -> Manner:
        """How things are told."""
        assert self._manner is not None, "`begin` comes first"
        return self._manner

    def unit(self, unit: Unit) -> int:
        """A message or what another VP said; of an own turn only what no request has carried yet."""
        match unit:
            case Posted(message=message):
                known = self._messages.known(message.message_id, message)
                if known is None:
                    known = self._messages.keep(message.message_id, message, self._posted(unit))
                return known
            case Told(text=text):
                return 3 * UNIT_TOKENS + estimate(text)
            case Summed(text=text):
                return UNIT_TOKENS + estimate(text)
            case Own(turn=turn):
                return sum(UNIT_TOKENS + estimate(added(one, self.manner)) for one in turn.unseen)

    def attempt(self, turns: Sequence[TurnState], attempt: Attempt) -> AttemptCost:
        """One request of the last of `turns`, which are it and those right before it."""
        key = attempt.sent.request_id
        known = self._attempts.known(key, attempt)
        return known if known is not None else self._attempts.keep(key, attempt, self._attempt(turns, attempt))

    def rounds(self, turns: Sequence[TurnState], pictured: frozenset[str]) -> Rounds:
        """The requests of the last of `turns`; `pictured` are the calls whose pictures go along."""
        *before, turn = turns
        attempts = turn.attempts

        def add(rounds: Rounds, place: int) -> None:
            attempt = attempts[place]
            cost = self.attempt(turns, attempt)
            rounds.texts.append(cost.texts)
            rounds.whole.append(whole_tokens(cost, attempt, pictured))
            rounds.stubs.append(tuple(self._stubs_worth_it(cost, attempt, pictured)))

        key = (self.manner, pictured, before, turn.started)
        rounds = self._rounds.of(attempts[:-1], Rounds, add, key).copy()
        if attempts:
            add(rounds, len(attempts) - 1)
        return rounds

    def _stubs_worth_it(
        self, cost: AttemptCost, attempt: Attempt, pictured: AbstractSet[str]
    ) -> Iterator[tuple[str, int]]:
        for place, state in enumerate(attempt.calls):
            if state.finished is not None:
                won = result_tokens(cost, place, state, pictured) - self.stub(state)
                if won > 0:
                    yield state.call.call_id, won

    def batches(self, turn: TurnState) -> Iterator[Batch]:
        """The pictures of a turn's results by call, the newest first."""
        turn_id, attempts = turn.started.turn_id, turn.attempts
        grown = self._pictures.known(turn_id, turn.started)
        if grown is None:
            grown = self._pictures.keep(turn_id, turn.started, Grown())
        earlier = grown.of(attempts[:-1], list[Batch], lambda found, place: found.extend(batches_of(attempts[place])))
        for attempt in attempts[-1:]:
            yield from reversed(list(batches_of(attempt)))
        yield from reversed(earlier)

    def stub(self, state: CallState) -> int:
        """The line that stands for a call's result."""
        known = self._stubs.known(state.call.call_id, state)
        if known is None:
            text = stub_text(state, self.manner.phrases, self.manner.offered)
            known = self._stubs.keep(state.call.call_id, state, CALL_TOKENS + estimate(text))
        return known

    def shorter(self, state: CallState, limit_bytes: int) -> int:
        """A call's result of which no more than `limit_bytes` are sent."""
        finished = state.finished
        if finished is None:
            return CALL_TOKENS
        return CALL_TOKENS + estimate(sent_copy(finished.text, finished.tool, self.manner.phrases, limit_bytes))

    def question(self, posted: Posted, limit_bytes: int) -> int:
        """The current message of which no more than `limit_bytes` are sent."""
        text = sent_message(posted.message.text, self.manner.phrases, limit_bytes)
        return self.unit(posted) - estimate(posted.message.text) + estimate(text)

    def _posted(self, posted: Posted) -> int:
        tokens = UNIT_TOKENS + estimate(posted_text(posted.message, self.manner))
        return tokens + (attachment_tokens(posted.attachments) if self.manner.sees else 0)

    def _attempt(self, turns: Sequence[TurnState], attempt: Attempt) -> AttemptCost:
        manner, phrases = self.manner, self.manner.phrases
        heard = sum(UNIT_TOKENS + estimate(added(one, manner)) for one in attempt.steers)
        rows = len(attempt.steers) + 1 + len(attempt.calls)
        if attempt.reply is None:
            words = estimate(partial_text(attempt))
            return AttemptCost(heard=heard, said=words, words=words, results=(), pictures=(), rows=rows)
        words = UNIT_TOKENS + estimate(text_of(attempt.reply.items))
        return AttemptCost(
            heard=heard,
            said=words + _unread_tokens(attempt, manner) + estimate(self._repeats.note(turns, attempt, phrases)),
            words=words,
            results=tuple(_result_tokens(state, phrases) for state in attempt.calls),
            pictures=tuple(_picture_tokens(state, sees=manner.sees) for state in attempt.calls),
            rows=rows,
        )


def whole_tokens(cost: AttemptCost, attempt: Attempt, pictured: AbstractSet[str]) -> int:
    """What a request costs whole; `pictured` are the calls whose pictures go along."""
    if not any(cost.pictures):
        return cost.texts
    return cost.texts + sum(_pictures(cost, place, state, pictured) for place, state in enumerate(attempt.calls))


def result_tokens(cost: AttemptCost, place: int, state: CallState, pictured: AbstractSet[str]) -> int:
    """What the result of the call at `place` costs, with its pictures."""
    return cost.results[place] + _pictures(cost, place, state, pictured)


def _pictures(cost: AttemptCost, place: int, state: CallState, pictured: AbstractSet[str]) -> int:
    tokens = cost.pictures[place]
    return tokens if state.call.call_id in pictured else min(tokens, NOTE_TOKENS)


def _unread_tokens(attempt: Attempt, manner: Manner) -> int:
    """What a reply costs beside its text: calls, and what goes back only to the model that it came from."""
    reply = attempt.reply
    assert reply is not None
    total = sum(CALL_TOKENS + estimate(call.args_raw) for call in reply.calls)
    if not reply.calls:
        total += NOTE_TOKENS if reply.stop in ("max_tokens", "pause") else 0
    if (reply.model, attempt.sent.protocol) == (manner.model, manner.protocol):
        items = (item for item in reply.items if not isinstance(item, TextItem | CallItem))
        total += sum(len(bytes(item.raw)) // 4 for item in items)
    return total


def _result_tokens(state: CallState, phrases: Mapping[str, str]) -> int:
    finished = state.finished
    if finished is None:
        return CALL_TOKENS + NOTE_TOKENS
    text = finished.text
    if len(text) * 4 > SENT_BYTES:
        text = sent_copy(text, finished.tool, phrases)
    return CALL_TOKENS + estimate(text)


def _picture_tokens(state: CallState, *, sees: bool) -> int:
    if state.finished is None or not state.finished.images:
        return 0
    return picture_tokens(state.finished.images) if sees else NOTE_TOKENS * len(state.finished.images)
