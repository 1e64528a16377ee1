"""Whether and when a failed request is tried again: a pure policy over the facts of the failure."""

import hashlib
from typing import Literal

from msgspec import Struct

from yeaft.config.settings import Retry

How = Literal["restart", "continue", "shrink"]
"""Send the same again; keep what was shown and ask for the rest; send a smaller copy of the history."""

MAX_SHRINKS = 2
PATIENCE_S = 300.0
RETRYABLE = frozenset({"rate_limit", "overloaded", "server", "connect", "idle", "truncated", "protocol"})
CROWDED = frozenset({"rate_limit", "overloaded"})
PERMANENT_TYPES = frozenset(
    {
        "access_terminated",
        "account_deactivated",
        "billing_error",
        "billing_hard_limit_reached",
        "insufficient_quota",
        "permission_denied",
        "permission_error",
        "unsupported_country_region_territory",
    }
)
"""The provider's own words (`error.type` or `error.code`) for a refusal that waiting does not mend."""


class RetryRules(Struct, frozen=True, kw_only=True):
    """How patient to be. Somebody who watches (`headless` False) is worth more waiting when a provider is crowded."""

    max_retries: int = 3
    base_delay_s: float = 1.0
    max_delay_s: float = 30.0
    jitter_ratio: float = 0.25
    forbidden_delays_s: tuple[float, ...] = (30.0, 120.0)
    headless: bool = True


class Attempted(Struct, frozen=True, kw_only=True):
    """What is known of a failed request; `kind` is a `ModelErrorKind` or `bug`.

    The two failure counts include this failure and start anew after a reply or a switch of model. `shrinks` counts
    how often the history was already cut for this request. `request_id` only seeds the jitter.
    """

    kind: str
    request_id: str
    status: int | None = None
    wire_type: str = ""
    retry_after_s: float | None = None
    text_shown: bool = False
    calls_seen: bool = False
    failures_in_row: int = 1
    forbidden_failures: int = 0
    shrinks: int = 0
    has_fallback: bool = False
    on_fallback: bool = False


class RetryIn(Struct, frozen=True, kw_only=True):
    """Try again after `delay_s`."""

    delay_s: float
    how: How
    reason: str


class SwitchModel(Struct, frozen=True, kw_only=True):
    """Go on with the fallback model at once."""

    how: How
    reason: str


class GiveUp(Struct, frozen=True, kw_only=True):
    """The turn ends with this failure."""

    reason: str


RetryDecision = RetryIn | SwitchModel | GiveUp


def rules_of(retry: Retry, *, headless: bool) -> RetryRules:
    """The policy's part of `[retry]`; time limits of a single request are the transport's."""
    return RetryRules(
        max_retries=retry.max_retries,
        base_delay_s=retry.base_delay_s,
        max_delay_s=retry.max_delay_s,
        jitter_ratio=retry.jitter_ratio,
        forbidden_delays_s=retry.forbidden_delays_s,
        headless=headless,
    )


def retry_decision(attempted: Attempted, rules: RetryRules) -> RetryDecision:
    """What to do about a failed request. The same facts always give the same decision, jitter included.

    A request of which any part of a tool call had arrived is never sent again, nor is it given to another model.
    """
    if attempted.calls_seen:
        return GiveUp(reason="calls_seen")
    if attempted.kind == "context":
        return _after_overflow(attempted)
    if attempted.kind == "forbidden":
        return _after_forbidden(attempted, rules)
    if attempted.kind not in RETRYABLE:
        return GiveUp(reason=attempted.kind)
    if attempted.wire_type in PERMANENT_TYPES:
        return _instead_of_waiting(attempted, "permanent")
    if attempted.failures_in_row > _retries_allowed(attempted, rules):
        return _instead_of_waiting(attempted, "retries_exhausted")
    if attempted.retry_after_s is not None:
        return _as_told(attempted, attempted.retry_after_s, rules)
    return RetryIn(delay_s=_backoff_s(attempted, rules), how=_how(attempted), reason=_reason(attempted.kind))


def _reason(kind: str) -> str:
    if kind in CROWDED:
        return "rate_limit_backoff"
    return "stream_idle_timeout" if kind == "idle" else "transient_backoff"


def _how(attempted: Attempted) -> How:
    """Visible text is never said twice: the model is asked for the rest."""
    return "continue" if attempted.text_shown else "restart"


def _after_overflow(attempted: Attempted) -> RetryDecision:
    if attempted.text_shown or attempted.shrinks >= MAX_SHRINKS:
        return GiveUp(reason="context")
    return RetryIn(delay_s=0.0, how="shrink", reason="context_overflow")


def _after_forbidden(attempted: Attempted, rules: RetryRules) -> RetryDecision:
    """A 403 without a reason often comes from a gateway and passes; one with a reason does not."""
    done = max(attempted.forbidden_failures, 1) - 1
    if attempted.wire_type in PERMANENT_TYPES or done >= len(rules.forbidden_delays_s):
        return GiveUp(reason="forbidden")
    return RetryIn(delay_s=rules.forbidden_delays_s[done], how=_how(attempted), reason="temporary_forbidden")


def _instead_of_waiting(attempted: Attempted, reason: str) -> RetryDecision:
    if attempted.has_fallback and not attempted.on_fallback:
        return SwitchModel(how=_how(attempted), reason=reason)
    return GiveUp(reason=reason)


def _as_told(attempted: Attempted, retry_after_s: float, rules: RetryRules) -> RetryDecision:
    """Headless, a wait beyond the limit ends the turn: coming back earlier than told would only be refused again."""
    if retry_after_s > rules.max_delay_s and rules.headless:
        return _instead_of_waiting(attempted, "retry_after_too_long")
    delay_s = min(max(retry_after_s, 0.0), rules.max_delay_s)
    return RetryIn(delay_s=delay_s, how=_how(attempted), reason="rate_limit_retry_after")


def _retries_allowed(attempted: Attempted, rules: RetryRules) -> int:
    """`max_retries`, or with a human watching and no fallback as many as it takes to sit out a crowded provider."""
    impatient = rules.headless or attempted.kind not in CROWDED or rules.max_retries == 0
    if impatient or (attempted.has_fallback and not attempted.on_fallback):
        return rules.max_retries
    slowest_s = max(rules.max_delay_s, 1.0)
    return max(rules.max_retries, round(PATIENCE_S / slowest_s) + _doublings(rules))


def _doublings(rules: RetryRules) -> int:
    """How many waits are shorter than `max_delay_s`."""
    steps, delay_s = 0, max(rules.base_delay_s, 0.1)
    while delay_s < rules.max_delay_s:
        steps, delay_s = steps + 1, delay_s * 2
    return steps


def _backoff_s(attempted: Attempted, rules: RetryRules) -> float:
    """Doubling waits with jitter that never exceed `max_delay_s`; for a crowded provider they start a step higher."""
    doublings = attempted.failures_in_row - 1 + (attempted.kind in CROWDED)
    ceiling_s = rules.max_delay_s / (1 + rules.jitter_ratio)
    plain_s = min(rules.base_delay_s * 2.0 ** min(doublings, 60), ceiling_s)
    return plain_s * (1 + rules.jitter_ratio * _spread(attempted.request_id))


def _spread(seed: str) -> float:
    """A number in [-1, 1] that depends only on `seed`, so that requests of several VPs do not come back together."""
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") / 0xFFFFFFFF * 2 - 1
