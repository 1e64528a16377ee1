"""Points in time as people write them on a command line: `2025-01-31`, `2025-01-31T09:30`, `yesterday`, `7d`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

import click

_AGO = re.compile(r"(\d{1,6})\s*(m|h|d|w)")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DAY = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
FORMS = "2025-01-31, 2025-01-31T09:30, today, yesterday, or an age such as 12h, 7d or 2w"


class Moment(click.ParamType[int]):
    """A point in time, as UTC milliseconds. A day alone means its first moment or, with `is_end`, its last one."""

    name = "date"

    def __init__(self, *, is_end: bool = False) -> None:
        self._is_end = is_end

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return UTC milliseconds."""
        try:
            return moment_ms(str(value), datetime.now().astimezone(), is_end=self._is_end)
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is no date; write {FORMS}.", param, ctx)


def moment_ms(text: str, now: datetime, *, is_end: bool) -> int:
    """Return the moment that `text` means at the time `now`. Raises `ValueError` or `OverflowError` if none."""
    text = text.strip().lower()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if (ago := _AGO.fullmatch(text)) is not None:
        return _ms(now - timedelta(**{_UNITS[ago[2]]: int(ago[1])}))
    days = {"today": midnight, "今天": midnight, "yesterday": _day_before(midnight), "昨天": _day_before(midnight)}
    day = days.get(text)
    if day is None and _DAY.fullmatch(text):
        day = datetime.strptime(text, "%Y-%m-%d").astimezone()
    if day is not None:
        return _ms(_zoned(day + timedelta(days=1))) - 1 if is_end else _ms(day)
    found = datetime.fromisoformat(text.upper())
    return _ms(found if found.tzinfo else found.astimezone())


def _day_before(midnight: datetime) -> datetime:
    return _zoned(midnight - timedelta(days=1))


def _zoned(clock: datetime) -> datetime:
    """Return the same time of day with the offset that holds on that day."""
    return clock.replace(tzinfo=None).astimezone()


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
