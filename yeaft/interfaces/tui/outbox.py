"""What was sent and is not said yet: a Session opens, hooks and files take their time, and nothing else waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.interfaces.tui.composer.later import Later
from yeaft.kernel.errors import YeaftError
from yeaft.tools.policy.visible import visible_on_one_line

if TYPE_CHECKING:
    from textual.worker import Worker

    from yeaft.interfaces.dialogue import Dialogue
    from yeaft.interfaces.tui.composer.composer import Composer
    from yeaft.interfaces.tui.conversation import Conversation
    from yeaft.prompts.ui import Ui

TOLD_AFTER_S = 0.3
"""What is said sooner is seen at once anyway."""


class Outbox:
    """Says the messages of one screen one after another, in the order in which they were sent, while it is open.

    The status line tells of one that takes a moment.
    """

    def __init__(self, screen: Conversation, ui: Ui) -> None:
        self._screen = screen
        self._ui = ui
        self._dialogue: Dialogue | None = None
        self._waiting: list[Composer.Sent] = []
        self._worker: Worker[None] | None = None
        self._telling = Later(TOLD_AFTER_S, screen.set_timer, self._tell)
        self._is_told = False

    @property
    def is_open(self) -> bool:
        """Whether messages are said."""
        return self._dialogue is not None

    def open(self, dialogue: Dialogue, *first: Composer.Sent) -> None:
        """Begin to say what waits, these before the rest."""
        self._dialogue = dialogue
        self._waiting = [*first, *self._waiting]
        self._go_on()

    def close(self) -> None:
        """Say nothing more; what was not said waits on."""
        self._dialogue = None
        self._stop()

    def put(self, message: Composer.Sent) -> None:
        """Have a message said after all that were sent before."""
        self._waiting.append(message)
        self._go_on()

    def take_back(self) -> bool:
        """Let the user edit again what waits, and say whether anything did: none of it is said any more."""
        taken, self._waiting = tuple(self._waiting), []
        self._stop()
        if taken:
            self._screen.composer.put_back(taken)
            self._is_told = False
            self._screen.status_line.tell("")
        return bool(taken)

    def _go_on(self) -> None:
        if self._dialogue is not None and self._waiting:
            self._telling.soon()
            if self._worker is None:
                self._worker = self._screen.run_worker(self._say_all(self._dialogue, self._waiting))

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.cancel()
            self._worker = None

    async def _say_all(self, dialogue: Dialogue, waiting: list[Composer.Sent]) -> None:
        while waiting:
            await self._say(dialogue, waiting[0])
            del waiting[0]
            if self._is_told:
                self._tell()
        self._worker = None

    async def _say(self, dialogue: Dialogue, message: Composer.Sent) -> None:
        """Say a message, or do what it orders; what cannot be said goes back into the draft."""
        screen = self._screen
        try:
            if dialogue.is_order(message.text):
                screen.do(dialogue.read(message.text))
            elif await dialogue.say(message.text, message.files, message.to) == "stopped":
                screen.composer.put_back((message,))
            else:
                screen.transcript.go_to_end()
        except YeaftError as error:
            screen.composer.put_back((message,))
            screen.complain(error)

    def _tell(self) -> None:
        """Tell of the first that waits, or that none does any more."""
        if self._waiting or self._is_told:
            self._is_told = bool(self._waiting)
            text = visible_on_one_line(self._waiting[0].text) if self._waiting else ""
            self._screen.status_line.tell(self._ui.text("screen.on_its_way", text=text) if text else "")
