"""Puts one prompt after another into the draft, for a demo: the user only has to send it, or writes something else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from yeaft.events.artifact import ArtifactStored
from yeaft.events.codec import Recorded
from yeaft.events.session import MessageSettled

if TYPE_CHECKING:
    from yeaft.events.codec import Transient


class Offering:
    """Offers the next of `prompts` whenever what was said or ordered before is done with; after the last, it is `done`.

    `put` says whether the draft was free for it; if not, the prompt is offered the next time.
    """

    def __init__(self, prompts: Sequence[str], put: Callable[[str], bool], done: Callable[[], None]) -> None:
        self._left = list(prompts)
        self._put = put
        self._done = done
        self._is_done = False

    def next(self) -> None:
        """Offer the next prompt, or say that there is none."""
        if self._left and self._put(self._left[0]):
            del self._left[0]
        elif not self._left and not self._is_done:
            self._is_done = True
            self._done()

    def hear(self, heard: Recorded | Transient) -> None:
        """Take in one event."""
        if isinstance(heard, Recorded) and isinstance(heard.event, MessageSettled | ArtifactStored):
            self.next()
