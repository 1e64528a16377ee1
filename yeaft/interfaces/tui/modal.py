"""What lies over a conversation until it is answered or left: it goes once, and never takes another screen along."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

if TYPE_CHECKING:
    from textual import getters
    from textual.app import App

Result = TypeVar("Result")


class Modal(ModalScreen[Result]):
    """A modal screen that is dismissed with the first result, however often it is.

    Textual takes away whatever lies on top, so that one key too many, or work that ends late, would close what lies
    there instead. What is dismissed while something lies over it goes when that has gone, and what is dismissed while
    it still comes up goes once it `is_up`: its parts look for one another until then.
    """

    if TYPE_CHECKING:
        app = getters.app(App[int])  # textual leaves open what its App returns

    _is_dismissed = False
    _is_held = False
    _result: Result | None = None

    def __init__(self) -> None:
        super().__init__()
        self.is_up = asyncio.Event()

    def on_mount(self) -> None:
        """Note when all parts are there: what a subclass does then has been done by now."""
        self.call_later(self._come_up)

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Go with a result, at once or as soon as this is the screen on top."""
        if not self._is_dismissed:
            self._is_dismissed, self._result = True, result
            self._is_held = True
            return self._go_if_free()
        return AwaitComplete()

    def on_screen_resume(self) -> None:
        """Go if that was wanted while something lay above."""
        self._go_if_free()

    def _come_up(self) -> None:
        self.is_up.set()
        self._go_if_free()

    def _go_if_free(self) -> AwaitComplete:
        """Go if that is wanted and nothing holds it up."""
        if not (self._is_held and self.is_up.is_set() and self.is_on_top):
            return AwaitComplete()
        self._is_held = False
        return super().dismiss(self._result)

    @property
    def goes(self) -> bool:
        """Whether it was dismissed, and is only there until it can go."""
        return self._is_dismissed

    @property
    def is_on_top(self) -> bool:
        """Whether keys come here."""
        return self.app.screen_stack[-1:] == [self]
