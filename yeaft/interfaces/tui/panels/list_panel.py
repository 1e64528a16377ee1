"""What panels look like that are one list: a title, a line to narrow it down with its entries, and the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.interfaces.tui.panels.filtered_list import FilteredList
from yeaft.interfaces.tui.panels.frame import Panel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from yeaft.interfaces.tui.panels.situation import Situation


class ListPanel(Panel):
    """A panel whose subclass reads what there is and shows it in `listed`; `unmatched` is said where nothing fits."""

    def __init__(self, situation: Situation, title: str, keys: Sequence[str], *, unmatched: str = "") -> None:
        super().__init__(situation, title, keys)
        self.listed = FilteredList(
            placeholder=situation.text("panel.filter"),
            empty=situation.text("panel.reading"),
            unmatched=unmatched or situation.text("panel.no_match"),
        )

    def compose(self) -> ComposeResult:
        """Return title, list and keys."""
        yield self.title_line
        yield self.listed
        yield self.hint_line

    def on_mount(self) -> None:
        """Let the user type; what a subclass does when it is mounted comes beside this."""
        self.listed.focus_line()
