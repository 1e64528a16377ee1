"""How long a provider asks us to wait, out of the many forms in which its headers say so."""

import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from yeaft.kernel.pattern import Pattern

_DURATION = Pattern(
    r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?"
)  # `6m0s`, `1.5s`, `250ms`: OpenAI
_UNITS_S = (3600.0, 60.0, 1.0, 0.001)
_EPOCH_S = 1_000_000_000  # larger numbers are points in time, in seconds
_EPOCH_MS = 1_000_000_000_000  # and these in milliseconds


def retry_after_s(headers: Mapping[str, str], now_ms: int) -> float | None:
    """Seconds to wait, at least 0, or None if `headers` (lower-case names) do not say.

    `retry-after-ms` and `retry-after` (seconds or HTTP date) come first, then the latest reset of a rate limit of
    which nothing remains: `x-ratelimit-reset*` (OpenAI, OpenRouter) and `anthropic-ratelimit-*-reset`.
    """
    now_s = now_ms / 1000
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = _wait_s(headers.get("retry-after", ""), now_s)
    return asked if asked is not None else max(_resets_s(headers, now_s), default=None)


def _resets_s(headers: Mapping[str, str], now_s: float) -> Iterator[float]:
    for name, value in headers.items():
        if "ratelimit" not in name or "reset" not in name:
            continue
        remaining = _number(headers.get(name.replace("reset", "remaining"), "0"))
        wait_s = _wait_s(value, now_s)
        if wait_s is not None and not remaining:
            yield wait_s


def _wait_s(value: str, now_s: float) -> float | None:
    """Seconds from now: of a number, a duration, an RFC 3339 time or an HTTP date."""
    number = _number(value)
    if number is not None:
        moment_s = number / 1000 if number >= _EPOCH_MS else number
        return max(0.0, moment_s - now_s if moment_s >= _EPOCH_S else number)
    duration = _DURATION.fullmatch(value.strip())
    if value.strip() and duration is not None:
        parts = [_number(part or "0") for part in duration.groups()]
        return sum(part * unit_s for part, unit_s in zip(parts, _UNITS_S, strict=True) if part is not None)
    moment = _moment(value.strip())
    return None if moment is None else max(0.0, moment.timestamp() - now_s)


def _moment(value: str) -> datetime | None:
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = parse(value)
        except (ValueError, TypeError, IndexError, OverflowError):  # the second parser meets garbage with all of them
            continue
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None


def _number(value: str) -> float | None:
    """The number, or None for what is none that one could wait: negative, infinite, or a word."""
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
