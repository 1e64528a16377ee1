"""A screen on which what is typed is drawn at once, and all else with the next frame."""

from __future__ import annotations

from textual.screen import Screen

from yeaft.interfaces.tui.composer.field import Field


class PromptScreen(Screen[None]):
    """Lets no key wait: Textual would draw it with what streams in, up to a sixtieth of a second after that."""

    def on_idle(self) -> None:
        """Draw what was typed; what else has changed is left to Textual, which comes next."""
        typed = {widget for widget in self._dirty_widgets if isinstance(widget, Field)}
        if typed:
            others = self._dirty_widgets - typed
            self._dirty_widgets &= typed
            self._on_timer_update()
            self._dirty_widgets |= others
