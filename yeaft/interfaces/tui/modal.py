"""What lies over a conversation until it is answered or left: it goes once, and never takes another screen along."""

from __future__ import annotations

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
    there instead. What is dismissed while something lies over it goes when that has gone.
    """

    if TYPE_CHECKING:
        app = getters.app(App[int])  # textual leaves open what its App returns

    _is_dismissed = False
    _is_covered = False
    _result: Result | None = None

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Go with a result, at once or as soon as this is the screen on top."""
        if not self._is_dismissed:
            self._is_dismissed, self._result = True, result
            if self.is_on_top:
                return super().dismiss(result)
            self._is_covered = True
        return AwaitComplete()

    def on_screen_resume(self) -> None:
        """Go if that was wanted while something lay above."""
        if self._is_covered and self.is_on_top:
            self._is_covered = False
            super().dismiss(self._result)

    @property
    def is_on_top(self) -> bool:
        """Whether keys come here."""
        return self.app.screen_stack[-1:] == [self]
