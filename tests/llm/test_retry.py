"""A failed request is tried again when that can help, and never in a way that says or does a thing twice."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from yeaft.config.settings import Retry
from yeaft.llm.retry import (
    RETRYABLE,
    Attempted,
    GiveUp,
    RetryIn,
    RetryRules,
    SwitchModel,
    retry_decision,
    rules_of,
)

RULES = RetryRules()
WATCHED = RetryRules(headless=False)
KINDS = [*sorted(RETRYABLE), "auth", "forbidden", "policy", "context", "invalid", "cancelled", "bug"]

attempts = st.builds(
    Attempted,
    kind=st.sampled_from(KINDS),
    request_id=st.text(max_size=5),
    wire_type=st.sampled_from(["", "insufficient_quota", "overloaded_error"]),
    retry_after_s=st.none() | st.floats(-5, 5000),
    text_shown=st.booleans(),
    calls_seen=st.booleans(),
    failures_in_row=st.integers(1, 40),
    forbidden_failures=st.integers(0, 5),
    shrinks=st.integers(0, 4),
    has_fallback=st.booleans(),
    on_fallback=st.booleans(),
)
rules = st.builds(
    RetryRules,
    max_retries=st.integers(0, 20),
    base_delay_s=st.floats(0, 60),
    max_delay_s=st.floats(60, 600),
    jitter_ratio=st.floats(0, 1),
    headless=st.booleans(),
)


def failed(kind: str, **facts) -> Attempted:
    return Attempted(kind=kind, request_id="q_1", **facts)


@given(attempts, rules)
@settings(max_examples=400)
def test_no_decision_ever_repeats_a_call_or_visible_text(attempted: Attempted, rules: RetryRules) -> None:
    decision = retry_decision(attempted, rules)

    if attempted.calls_seen:
        assert isinstance(decision, GiveUp)
    if attempted.text_shown and not isinstance(decision, GiveUp):
        assert decision.how == "continue"
    assert decision == retry_decision(attempted, rules)


@given(attempts, rules)
@settings(max_examples=400)
def test_no_wait_is_longer_than_the_rules_allow(attempted: Attempted, rules: RetryRules) -> None:
    decision = retry_decision(attempted, rules)

    if isinstance(decision, RetryIn) and attempted.kind != "forbidden":
        assert 0 <= decision.delay_s <= rules.max_delay_s + 1e-9


@pytest.mark.parametrize("kind", sorted(RETRYABLE))
def test_a_passing_failure_is_retried_three_times_and_then_ends_the_turn(kind: str) -> None:
    decisions = [retry_decision(failed(kind, failures_in_row=count), RULES) for count in range(1, 5)]

    assert [type(decision) for decision in decisions] == [RetryIn, RetryIn, RetryIn, GiveUp]
    assert all(isinstance(decision, RetryIn) and decision.how == "restart" for decision in decisions[:3])


@pytest.mark.parametrize("kind", ["auth", "policy", "invalid", "cancelled", "bug"])
def test_a_failure_that_would_only_come_again_ends_the_turn(kind: str) -> None:
    assert retry_decision(failed(kind, has_fallback=True), RULES) == GiveUp(reason=kind)


def test_waits_double_and_a_crowded_provider_gets_twice_as_long() -> None:
    even = replace(RULES, jitter_ratio=0.0)

    def waits(kind: str) -> list[float]:
        decisions = [retry_decision(failed(kind, failures_in_row=count), even) for count in (1, 2, 3)]
        return [decision.delay_s for decision in decisions if isinstance(decision, RetryIn)]

    assert waits("server") == [1.0, 2.0, 4.0]
    assert waits("overloaded") == [2.0, 4.0, 8.0]


def test_requests_that_fail_together_come_back_apart() -> None:
    decisions = [retry_decision(replace(failed("server"), request_id=f"q_{n}"), RULES) for n in range(20)]

    waits = {decision.delay_s for decision in decisions if isinstance(decision, RetryIn)}

    assert len(waits) == 20
    assert all(0.75 <= wait <= 1.25 for wait in waits)


def test_a_provider_that_names_a_time_is_believed() -> None:
    assert retry_decision(failed("rate_limit", retry_after_s=7.5), RULES) == RetryIn(
        delay_s=7.5, how="restart", reason="rate_limit_retry_after"
    )


def test_a_wait_beyond_the_limit_ends_a_headless_turn_and_is_cut_for_a_watcher() -> None:
    long = failed("rate_limit", retry_after_s=3600.0)

    assert retry_decision(long, RULES) == GiveUp(reason="retry_after_too_long")
    assert retry_decision(replace(long, has_fallback=True), RULES) == SwitchModel(
        how="restart", reason="retry_after_too_long"
    )
    decision = retry_decision(long, WATCHED)
    assert isinstance(decision, RetryIn)
    assert decision.delay_s == 30.0


def test_a_storm_of_overloads_is_sat_out_for_five_minutes_when_somebody_watches() -> None:
    waited, count = 0.0, 1
    while isinstance(decision := retry_decision(failed("overloaded", failures_in_row=count), WATCHED), RetryIn):
        waited, count = waited + decision.delay_s, count + 1

    assert 240 <= waited <= 480
    assert count <= 21


def test_a_fallback_is_taken_once_the_retries_are_used_up() -> None:
    spent = failed("overloaded", failures_in_row=4, has_fallback=True)

    assert retry_decision(spent, WATCHED) == SwitchModel(how="restart", reason="retries_exhausted")
    assert retry_decision(replace(spent, text_shown=True), RULES) == SwitchModel(
        how="continue", reason="retries_exhausted"
    )
    assert retry_decision(replace(spent, on_fallback=True), RULES) == GiveUp(reason="retries_exhausted")
    assert retry_decision(replace(spent, calls_seen=True), RULES) == GiveUp(reason="calls_seen")


def test_a_history_that_is_too_long_is_cut_twice_and_then_given_up() -> None:
    decisions = [retry_decision(failed("context", shrinks=count), RULES) for count in (0, 1, 2)]

    assert decisions == [
        RetryIn(delay_s=0.0, how="shrink", reason="context_overflow"),
        RetryIn(delay_s=0.0, how="shrink", reason="context_overflow"),
        GiveUp(reason="context"),
    ]


def test_a_403_without_a_reason_is_waited_for_twice() -> None:
    decisions = [retry_decision(failed("forbidden", forbidden_failures=count), RULES) for count in (1, 2, 3)]

    assert [decision.delay_s for decision in decisions if isinstance(decision, RetryIn)] == [30.0, 120.0]
    assert decisions[2] == GiveUp(reason="forbidden")


def test_a_403_or_429_with_a_lasting_reason_is_not_waited_for() -> None:
    assert retry_decision(failed("forbidden", wire_type="permission_error"), RULES) == GiveUp(reason="forbidden")
    assert retry_decision(failed("rate_limit", wire_type="insufficient_quota"), RULES) == GiveUp(reason="permanent")


def test_zero_retries_means_none_even_for_a_watcher() -> None:
    none = rules_of(Retry(max_retries=0), headless=False)

    assert retry_decision(failed("overloaded"), none) == GiveUp(reason="retries_exhausted")


def test_later_waits_are_never_shorter_on_average() -> None:
    decisions = [
        retry_decision(failed("server", failures_in_row=count), replace(RULES, max_retries=20, jitter_ratio=0.0))
        for count in range(1, 21)
    ]

    waits = [decision.delay_s for decision in decisions if isinstance(decision, RetryIn)]
    assert len(waits) == 20
    assert all(earlier <= later for earlier, later in pairwise(waits))
