"""Times, tokens and money as people read them at a glance."""

from __future__ import annotations

import time

MS = 1000
MINUTE_S = 60
HOUR_S = 3600
THOUSAND = 1000
MILLION = 1_000_000
SHORT_S = 10
CENT_USD = 0.01


def took(duration_ms: int) -> str:
    """Return a duration: `0.3s`, `42s`, `3m 05s`, `1h 02m`."""
    seconds = duration_ms / MS
    if seconds < SHORT_S:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < MINUTE_S:
        return f"{whole}s"
    if whole < HOUR_S:
        return f"{whole // MINUTE_S}m {whole % MINUTE_S:02}s"
    return f"{whole // HOUR_S}h {whole % HOUR_S // MINUTE_S:02}m"


def short(count: int) -> str:
    """Return a number of tokens: `940`, `12.3k`, `1.2M`."""
    if count < THOUSAND:
        return str(count)
    return f"{count / THOUSAND:.1f}k" if count < MILLION else f"{count / MILLION:.1f}M"


def size_text(size_bytes: int) -> str:
    """Return a size for people, such as `1.2 MB`."""
    size, units = float(size_bytes), ["B", "kB", "MB", "GB"]
    while size >= THOUSAND and len(units) > 1:
        size /= THOUSAND
        del units[0]
    return f"{size:.0f} {units[0]}" if units[0] == "B" else f"{size:.1f} {units[0]}"


def money(cost_usd: float, *, is_least: bool = False) -> str:
    """Return an amount of US dollars; one below a cent with what would else be lost.

    A `+` tells that it is the least: something else has no known price.
    """
    amount = f"${cost_usd:.4f}" if 0 < cost_usd < CENT_USD else f"${cost_usd:.2f}"
    return f"{amount}+" if is_least else amount


def clock(at_ms: int) -> str:
    """Return a time of day in the user's time zone; with the date if it is not today's."""
    then = time.localtime(at_ms / MS)
    is_today = then[:3] == time.localtime()[:3]
    return time.strftime("%H:%M" if is_today else "%Y-%m-%d %H:%M", then)
