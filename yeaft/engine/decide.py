"""What a turn does next: a pure function of its state. The whole policy of the loop is here, its doing is not."""

from msgspec import Struct

from yeaft.engine.state import Attempt, CallState, TurnState
from yeaft.events.turn import Failure, RetryHow
from yeaft.kernel.messages import text_of
from yeaft.kernel.outcome import Limit, TurnOutcome
from yeaft.llm.retry import Attempted, RetryIn, RetryRules, SwitchModel, retry_decision

MAX_PAUSES = 20
MAX_EMPTY_REPLIES = 2


class Rules(Struct, frozen=True, kw_only=True):
    """What the user allows a turn; `fallback` is the model to go on with when the first one stays away."""

    max_rounds: int | None = 50
    max_cost_usd: float | None = None
    max_continues: int = 3
    fallback: str = ""
    retry: RetryRules = RetryRules()


class AskModel(Struct, frozen=True, kw_only=True):
    """Send a request, not before `not_before_ms`. Round and attempt count from 0."""

    round: int
    attempt: int = 0
    how: RetryHow = "restart"
    not_before_ms: int = 0


class Admit(Struct, frozen=True, kw_only=True):
    """Judge the next of these calls, and start those that may run."""

    calls: tuple[CallState, ...]


class RunCalls(Struct, frozen=True, kw_only=True):
    """Run calls that were started and have no result."""

    calls: tuple[CallState, ...]


class Postpone(Struct, frozen=True, kw_only=True):
    """Note that the request will be tried again after `delay_s`."""

    delay_s: float
    how: RetryHow
    reason: str


class Switch(Struct, frozen=True, kw_only=True):
    """Note that the rest of the turn uses another model."""

    to_model: str
    reason: str


class Finish(Struct, frozen=True, kw_only=True):
    """End the turn."""

    outcome: TurnOutcome
    limit: Limit | None = None
    error: Failure | None = None


Action = AskModel | Admit | RunCalls | Postpone | Switch | Finish


def decide(state: TurnState, rules: Rules, spent_usd: float) -> Action:
    """Return the next action of a turn that has not ended; `spent_usd` is what the whole process has spent so far."""
    last = state.last
    if last is None:
        return _next_round(state, rules, spent_usd)
    if last.failure is not None:
        return _after_failure(state, last, last.failure.error, rules)
    if last.reply is None:
        return AskModel(round=last.sent.round, attempt=last.sent.attempt + 1)
    if last.reply.stop in ("refusal", "filtered"):
        return Finish(outcome="refused")  # calls of a reply that was called back are not run
    if state.unmet:
        return Finish(outcome="needs_human")
    if state.open_calls:
        started = tuple(call for call in state.open_calls if call.started)
        return RunCalls(calls=started) if started else Admit(calls=state.open_calls)
    if state.handed_off:
        return Finish(outcome="handed_off")
    if last.calls:
        return _next_round(state, rules, spent_usd)
    return _after_words(state, last, rules, spent_usd)


def _next_round(state: TurnState, rules: Rules, spent_usd: float) -> Action:
    if rules.max_rounds is not None and state.rounds >= rules.max_rounds:
        return Finish(outcome="limit", limit="rounds")
    if rules.max_cost_usd is not None and spent_usd >= rules.max_cost_usd:
        return Finish(outcome="limit", limit="cost")
    return AskModel(round=state.rounds)


def _after_words(state: TurnState, last: Attempt, rules: Rules, spent_usd: float) -> Action:
    """The reply asked for nothing: its stop reason decides."""
    assert last.reply is not None
    stop = last.reply.stop
    if stop == "pause" and _count(state, "pause") <= MAX_PAUSES:
        return _next_round(state, rules, spent_usd)
    if stop == "max_tokens":
        again = _count(state, "max_tokens") <= rules.max_continues
        return _next_round(state, rules, spent_usd) if again else Finish(outcome="limit", limit="output")
    if stop == "context":
        return Finish(outcome="limit", limit="tokens")
    if any(message.kind == "steer" for message in state.unseen):  # a notice can wait for the next turn
        return _next_round(state, rules, spent_usd)
    if text_of(last.reply.items).strip():
        return Finish(outcome="answered")
    if _empty_replies(state) < MAX_EMPTY_REPLIES:
        return _next_round(state, rules, spent_usd)
    return Finish(outcome="failed", error=Failure(kind="empty", message="The model answered with no text twice."))


def _after_failure(state: TurnState, last: Attempt, error: Failure, rules: Rules) -> Action:
    following = last.sent.attempt + 1
    if last.retry is not None:
        return AskModel(round=last.sent.round, attempt=following, how=last.retry.how, not_before_ms=last.retry.due_ms)
    if last.switched:
        how: RetryHow = "continue" if last.failure and last.failure.text_so_far else "restart"
        return AskModel(round=last.sent.round, attempt=following, how=how)
    match retry_decision(_attempted(state, last, error, rules), rules.retry):
        case RetryIn(delay_s=delay_s, how=how, reason=reason):
            return Postpone(delay_s=delay_s, how=how, reason=reason)
        case SwitchModel(reason=reason):
            return Switch(to_model=rules.fallback, reason=reason)
        case _:
            return Finish(outcome="failed", error=error)


def _attempted(state: TurnState, last: Attempt, error: Failure, rules: Rules) -> Attempted:
    """Return the facts that the retry policy judges by: the run of failures that this one ends."""
    failures: list[Failure] = []
    for attempt in reversed(state.attempts):
        if attempt.failure is None or (failures and attempt.switched):
            break
        failures.append(attempt.failure.error)
    return Attempted(
        kind=error.kind,
        status=error.status,
        wire_type=error.wire_type,
        retry_after_s=error.retry_after_s,
        text_shown=bool(last.failure and last.failure.text_so_far),
        calls_seen=error.calls_seen,
        failures_in_row=len(failures),
        forbidden_failures=sum(failure.kind == "forbidden" for failure in failures),
        shrinks=sum(failure.kind == "context" for failure in failures) - 1 if error.kind == "context" else 0,
        has_fallback=bool(rules.fallback) and rules.fallback != last.sent.model,
        on_fallback=any(attempt.switched for attempt in state.attempts),
        request_id=last.sent.request_id,
    )


def _count(state: TurnState, stop: str) -> int:
    return sum(attempt.reply is not None and attempt.reply.stop == stop for attempt in state.attempts)


def _empty_replies(state: TurnState) -> int:
    return sum(
        attempt.reply is not None and not attempt.calls and not text_of(attempt.reply.items).strip()
        for attempt in state.attempts
    )
