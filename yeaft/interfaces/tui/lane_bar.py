"""One line for each VP that is at work: its sign, its name and what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.message import Message
from textual.widgets import Static

from yeaft.interfaces.tui.lane_lines import QUIET, lane_lines
from yeaft.kernel.clock import wall_clock_ms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from yeaft.interfaces.tui.blocks import Lane
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui

MOST_LANES = 7
"""More VPs than these are counted, not shown; those that ask or are watched come first."""
USUAL_COLUMNS = 80


class LaneBar(Static):
    """The lanes of those at work, the watched one marked; a click watches another."""

    DEFAULT_CSS = """
    LaneBar { height: auto; max-height: 8; display: none; text-wrap: nowrap; text-overflow: ellipsis; }
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
        columns = self.content_size.width or (self.is_attached and self.screen.size.width) or USUAL_COLUMNS
        watched = focus if len(lanes) > 1 else ""
        lines = lane_lines(shown, watched, columns, self._look, self._ui, now_ms=wall_clock_ms())
        if (more := len(lanes) - len(shown)) > 0:
            lines.append(Text(f" {self._ui.text('lane.more', count=more)}", style=QUIET))
        text = Text("\n", no_wrap=True, overflow="ellipsis").join(lines)
        self.display = bool(lanes)
        if text.markup != self._text:
            is_as_high = self._text.count("\n") == text.markup.count("\n") and bool(self._text)
            self._text = text.markup
            self.update(text, layout=not is_as_high)

    def on_click(self, event: events.Click) -> None:
        """Watch the VP whose line was clicked."""
        if 0 <= event.y < len(self._shown):
            self.post_message(self.Watched(self._shown[event.y]))


def _chosen(lanes: Sequence[Lane], focus: str) -> list[Lane]:
    """Return the lanes that are shown, in their order."""
    if len(lanes) <= MOST_LANES:
        return list(lanes)
    ranked = sorted(lanes, key=lambda lane: (lane.vp_id != focus, lane.state != "asking", lane.state == "waiting"))
    kept = {lane.vp_id for lane in ranked[:MOST_LANES]}
    return [lane for lane in lanes if lane.vp_id in kept][:MOST_LANES]
