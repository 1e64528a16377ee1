"""What every panel looks like: a title, what it shows, and a last line with its keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.widgets import Static

from yeaft.interfaces.orders import Deed
from yeaft.interfaces.tui.modal import Modal
from yeaft.interfaces.tui.panels.bound import first_bound
from yeaft.interfaces.tui.panels.hint_line import hint_line
from yeaft.kernel.errors import YeaftError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import getters
    from textual.app import App
    from textual.binding import BindingType

    from yeaft.interfaces.tui.panels.situation import Situation

WIDE_FROM = 90


class Panel(Modal[Deed | None]):
    """A panel over the conversation; it is dismissed with what is to be done, or with nothing."""

    if TYPE_CHECKING:
        app = getters.app(App[int])  # textual leaves open what its App returns

    DEFAULT_CSS = """
    Panel { background: $background; layout: vertical; }
    Panel .title { height: 1; padding: 0 1; text-style: bold; background: $panel; }
    Panel .title { text-wrap: nowrap; text-overflow: ellipsis; }
    Panel .title:ansi, Panel .title:nocolor { text-style: bold reverse; }
    Panel .hint { padding: 0 1; color: $text-muted; }
    Panel .aside { padding: 0 1; display: none; }
    Panel OptionList, Panel VerticalScroll, Panel TextView { scrollbar-size-vertical: 1; }
    Panel.-wide .aside { display: block; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE_FROM, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [first_bound("panel.close", "leave"), first_bound("panel.give_up", "leave")]

    def __init__(self, situation: Situation, title: str, keys: Sequence[str]) -> None:
        super().__init__()
        self.situation = situation
        self.title_line = Static(title, markup=False, classes="title")
        self.hint_line = hint_line(situation, (*keys, "panel.close"))

    def action_leave(self) -> None:
        """Leave without doing anything."""
        self.dismiss(None)

    def refuse(self, error: YeaftError) -> None:
        """Say why something could not be done."""
        self.notify(self.situation.ui.retold(str(error)), severity="error", markup=False)

    def tell(self, code: str, /, **params: str | float) -> None:
        """Say something in passing."""
        self.notify(self.situation.text(code, **params), markup=False)
