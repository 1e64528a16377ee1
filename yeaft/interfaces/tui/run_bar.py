"""One line for each run of a graph that goes on: how far it is, what is under way in it, and whether it asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.widgets import Static

from yeaft.interfaces.cli.terminal_text import cut, unmasked, width
from yeaft.kernel.clock import wall_clock_ms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from yeaft.events.call import AskOpened
    from yeaft.interfaces.runs.run_view import RunView
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui

MOST_RUNS = 4
LEAST_DOING_COLUMNS = 16
USUAL_COLUMNS = 80


class RunBar(Static):
    """The runs that go on, those that ask first; more than a few are counted."""

    DEFAULT_CSS = """
    RunBar { height: auto; max-height: 5; padding-left: 1; display: none; }
    """

    def __init__(self, look: Look, ui: Ui) -> None:
        super().__init__(markup=False)
        self._look = look
        self._ui = ui
        self._drawn = ""

    def show(self, views: Sequence[RunView], asks: Iterable[AskOpened] = ()) -> None:
        """Show these runs; `asks` are all questions that are open. Nothing is drawn if nothing has changed."""
        if not views and not self._drawn:
            return
        open_asks = tuple(asks)
        asking = {view.run_id: sum(view.asking(ask) is not None for ask in open_asks) for view in views}
        shown = sorted(views, key=lambda view: not asking[view.run_id])[:MOST_RUNS]
        columns = self.content_size.width or self.screen.size.width or USUAL_COLUMNS
        now_ms = wall_clock_ms()
        text = Text(no_wrap=True, overflow="ellipsis")
        for view in shown:
            text.append_text(self._line(view, asking[view.run_id], columns, now_ms))
            text.append("\n")
        if (more := len(views) - len(shown)) > 0:
            text.append(f"  {self._ui.text('lane.more', count=more)}\n", style="dim")
        text.rstrip()
        self.display = bool(views)
        if text.markup != self._drawn:
            is_as_high = self._drawn.count("\n") == text.markup.count("\n") and bool(self._drawn)
            self._drawn = text.markup
            self.update(text, layout=not is_as_high)

    def _line(self, view: RunView, asks: int, columns: int, now_ms: int) -> Text:
        """One run: its name and how far it is, then what is under way; numbers as far as there is room for all that."""
        from yeaft.interfaces.runs.run_lines import doing, sums

        ui = self._ui
        done, count = view.passed
        mark = "= " if self._look.is_plain else "◇ "
        name = f"{mark}{unmasked(view.graph.name)}  "
        asking = ui.text("runs.asks_wait" if asks > 1 else "runs.ask_waits", count=asks) if asks else ""
        state = "  ".join(part for part in (ui.text("runs.passed", done=done, count=count), asking) if part)
        about = ", ".join(unmasked(one) for one in doing(ui, view)) or ui.text("runs.starts")
        tokens, *rest = sums(ui, view, now_ms)
        numbers = [rest[-1], tokens, *rest[:-1]]
        room = columns - width(name) - width(state) - 3
        while numbers and room - width("  ".join(numbers)) - 2 < min(LEAST_DOING_COLUMNS, width(about)):
            numbers.pop()
        tail = "  ".join(numbers)
        room -= width(tail) + 2 if tail else 0
        about = cut(about, max(room, 0)) if room > 1 else ""
        line = Text(name, style="bold")
        line.append(ui.text("runs.passed", done=done, count=count))
        line.append(f"  {asking}" if asking else "", style="bold")
        line.append(f"  {tail}" if tail else "", style="dim")
        line.append(f"  {about}" if about else "", style="dim")
        return line
