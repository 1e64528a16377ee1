"""What goes on beside the conversation, over the whole screen: where it is too narrow for both, or when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.interfaces.tui.panels.bound import bound
from yeaft.interfaces.tui.panels.frame import Panel
from yeaft.interfaces.tui.panels.overview import Overview

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from yeaft.interfaces.orders import Deed
    from yeaft.interfaces.tui.panels.situation import Situation


class OverviewPanel(Panel):
    """Shows the overview alone. `overview` is what has to hear of changes."""

    BINDINGS = [bound("panel.side", "leave")]

    def __init__(self, situation: Situation) -> None:
        super().__init__(situation, situation.text("panel.side"), ())
        self.overview = Overview(situation, is_beside=False, close=self.action_leave, then=self._left)

    def compose(self) -> ComposeResult:
        """Return title and overview, which shows its own keys."""
        yield self.title_line
        yield self.overview

    def on_mount(self) -> None:
        """Let keys go to the list."""
        self.overview.take_focus()

    def _left(self, deed: Deed | None) -> None:
        if deed is not None:
            self.dismiss(deed)
