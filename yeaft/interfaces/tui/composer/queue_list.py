"""The messages that wait to be said, above the draft."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual.widgets import Static

from yeaft.tools.policy.visible import visible_on_one_line

if TYPE_CHECKING:
    from yeaft.interfaces.tui.composer.queueing import Queue
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui

MOST_SHOWN = 4
MOST_CHARS = 300


class QueueList(Static):
    """One line for each message that waits, numbered in the order in which they will be said."""

    DEFAULT_CSS = """
    QueueList { height: auto; max-height: 6; display: none; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, look: Look, ui: Ui) -> None:
        super().__init__(markup=False)
        self._look = look
        self._ui = ui

    def show(self, queue: Queue) -> None:
        """Show what waits."""
        items = queue.items
        self.display = bool(items)
        if not items:
            return
        code = "composer.queue_paused" if queue.is_paused else "composer.queue_waiting"
        text = Text(self._ui.text(code, count=len(items)), style=Style(dim=True), no_wrap=True, overflow="ellipsis")
        for number, item in enumerate(items[:MOST_SHOWN], 1):
            to = " ".join(f"@{vp_id}" for vp_id in item.to)
            text.append(f"\n  {number}. {to} {visible_on_one_line(item.text[:MOST_CHARS])}".replace(".  ", ". "))
        if len(items) > MOST_SHOWN:
            text.append(f"\n  +{len(items) - MOST_SHOWN}")
        self.update(text)
