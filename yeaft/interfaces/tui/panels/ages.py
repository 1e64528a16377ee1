"""How long ago something was, in a few columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.interfaces.cli.commands.printing import local_time

if TYPE_CHECKING:
    from yeaft.prompts.ui import Ui

MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000
LONG_AGO_DAYS = 30


def age(ui: Ui, then_ms: int, now_ms: int) -> str:
    """Return the time since `then_ms` (UTC milliseconds); what lies far back is told as a date."""
    past_ms = max(now_ms - then_ms, 0)
    if past_ms < MINUTE_MS:
        return ui.text("panel.age_now")
    if past_ms < HOUR_MS:
        return ui.text("panel.age_minutes", count=past_ms // MINUTE_MS)
    if past_ms < DAY_MS:
        return ui.text("panel.age_hours", count=past_ms // HOUR_MS)
    if past_ms < LONG_AGO_DAYS * DAY_MS:
        return ui.text("panel.age_days", count=past_ms // DAY_MS)
    return local_time(then_ms)[:10]
