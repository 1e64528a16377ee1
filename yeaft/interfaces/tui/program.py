"""What a screen of a Session needs of the program that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from yeaft.config.settings import Theme
    from yeaft.interfaces.orders import Deed
    from yeaft.interfaces.tui.choice import Choice
    from yeaft.interfaces.tui.panels.frame import Panel

Noted = tuple[str, dict[str, str]]
"""A sentence for the user: its code, and what stands in it."""


class Program(Protocol):
    """What a screen needs of the program that shows it."""

    def stop_now(self) -> None:
        """Leave for good, without asking."""
        ...

    def open(self, panel: Panel, then: Callable[[Deed | None], None]) -> None:
        """Open a panel, and call back with what it is left with."""
        ...

    def retheme(self, theme: Theme) -> None:
        """Look otherwise from now on."""
        ...

    def ask(self, choice: Choice, then: Callable[[str | None], None]) -> None:
        """Show a question, and call back with what was chosen."""
        ...

    def uncover(self) -> None:
        """Take away what lies over the screen: it is about a Session that is closed."""
        ...
