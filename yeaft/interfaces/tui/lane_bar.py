"""One line for each VP that is at work: its sign, its name and what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.message import Message
from textual.widgets import Static

from yeaft.interfaces.cli.counted import priced
from yeaft.interfaces.cli.terminal_text import cut, unmasked, width
from yeaft.kernel.clock import wall_clock_ms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from yeaft.interfaces.tui.blocks import Lane
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui

MOST_LANES = 7
"""More VPs than these are counted, not shown; those that ask or are watched come first."""
LEAST_ABOUT_COLUMNS = 8
USUAL_COLUMNS = 80
THOUSAND = 1_000


class LaneBar(Static):
    """The lanes of those at work, the watched one marked; a click watches another."""

    DEFAULT_CSS = """
    LaneBar { height: auto; max-height: 8; display: none; }
    """

    class Watched(Message):
        """The user wants to watch this VP."""

        def __init__(self, vp_id: str) -> None:
            super().__init__()
            self.vp_id = vp_id

    def __init__(self, look: Look, ui: Ui) -> None:
        super().__init__(markup=False)
        self._look = look
        self._ui = ui
        self._shown: tuple[str, ...] = ()
        self._text = ""

    def show(self, lanes: Sequence[Lane], focus: str) -> None:
        """Show these lanes; nothing is drawn if nothing has changed."""
        shown = _chosen(lanes, focus)
        self._shown = tuple(lane.vp_id for lane in shown)
        columns = self.content_size.width or self.screen.size.width or USUAL_COLUMNS
        now_ms = wall_clock_ms()
        text = Text(no_wrap=True, overflow="ellipsis")
        for lane in shown:
            text.append_text(self._line(lane, lane.vp_id == focus and len(lanes) > 1, columns, now_ms))
            text.append("\n")
        if (more := len(lanes) - len(shown)) > 0:
            text.append(f"  {self._ui.text('lane.more', count=more)}\n", style="dim")
        text.rstrip()
        self.display = bool(lanes)
        if text.markup != self._text:
            is_as_high = self._text.count("\n") == text.markup.count("\n") and bool(self._text)
            self._text = text.markup
            self.update(text, layout=not is_as_high)

    def on_click(self, event: events.Click) -> None:
        """Watch the VP whose line was clicked."""
        if 0 <= event.y < len(self._shown):
            self.post_message(self.Watched(self._shown[event.y]))

    def _line(self, lane: Lane, is_watched: bool, columns: int, now_ms: int) -> Text:
        """One lane: mark and name first, then what it does, then numbers as far as there is room for all of that."""
        look = self._look.of_vp(lane.vp_id)
        mark = ("> " if self._look.is_plain else "▸ ") if is_watched else "  "
        name = f"{mark}{look.glyph} @{lane.vp_id}  "
        state, about = self._told(lane, now_ms)
        numbers = _numbers(lane, now_ms)
        room = columns - width(name) - width(state) - 3
        while numbers and room - width("  ".join(numbers)) - 2 < min(LEAST_ABOUT_COLUMNS, width(about)):
            numbers.pop()
        tail = "  ".join(numbers)
        room -= width(tail) + 2 if tail else 0
        about = cut(unmasked(about).replace("\n", " ").replace("\t", " "), max(room, 0)) if room > 1 else ""
        line = Text(name, style=look.style)
        line.append(state, style="bold" if lane.state in ("asking", "retrying") else "")
        line.append(f"  {tail}" if tail else "", style="dim")
        line.append(f"  {about}" if about else "", style="dim")
        return line

    def _told(self, lane: Lane, now_ms: int) -> tuple[str, str]:
        """What a VP does, in words, and about what."""
        if lane.state != "retrying":
            return self._ui.text(f"lane.{lane.state}"), lane.about
        left_s = max(0, round((lane.due_ms - now_ms) / 1000)) if lane.due_ms else round(lane.left_s)
        provider = lane.model.partition("/")[0] or self._ui.text("lane.provider")
        why = self._ui.text(f"lane.failed_{lane.failed}" if lane.failed else "lane.failed", provider=provider)
        status = f" ({lane.status})" if lane.status else ""
        return self._ui.text("lane.again", why=f"{why}{status}", seconds=left_s), ""


def _chosen(lanes: Sequence[Lane], focus: str) -> list[Lane]:
    """Return the lanes that are shown, in their order."""
    if len(lanes) <= MOST_LANES:
        return list(lanes)
    ranked = sorted(lanes, key=lambda lane: (lane.vp_id != focus, lane.state != "asking", lane.state == "waiting"))
    kept = {lane.vp_id for lane in ranked[:MOST_LANES]}
    return [lane for lane in lanes if lane.vp_id in kept][:MOST_LANES]


def _numbers(lane: Lane, now_ms: int) -> list[str]:
    """How long it has taken, how much was said, and what it has cost, as far as that is known."""
    numbers = [clock((now_ms - lane.started_ms) / 1000)] if lane.started_ms else []
    if lane.tokens:
        numbers.append(f"{counted(lane.tokens)} tok")
    if lane.cost_usd:
        numbers.append(priced(lane.cost_usd))
    return numbers


def clock(seconds: float) -> str:
    """Return a span of time as `7s`, `3m07s` or `2h05m`."""
    whole = max(0, int(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h{minutes:02d}m"
    return f"{minutes}m{rest:02d}s" if minutes else f"{rest}s"


def counted(number: int) -> str:
    """Return a number of things, from a thousand on in thousands."""
    return str(number) if number < THOUSAND else f"{number / THOUSAND:.1f}k"
