"""Messages of a request as they are written, one thing after another."""

from collections.abc import Iterable

from yeaft.engine.said import Piece
from yeaft.kernel.messages import AssistantMessage, Part, PromptMessage, TextPart, UserMessage


class Talk:
    """What was told so far; what is heard in a row becomes one user message.

    `left_out` is how many requests in a row were left out right before what comes next.
    """

    def __init__(self) -> None:
        self.left_out = 0
        self._done: list[PromptMessage] = []
        self._heard: list[Part] = []

    def hear(self, text: str) -> None:
        """Tell the VP something, unless it is blank."""
        if text.strip():
            self._heard.append(TextPart(text=text))

    def add(self, pieces: Iterable[Piece | Part]) -> None:
        """Tell the VP what it heard and said."""
        for piece in pieces:
            if not isinstance(piece, AssistantMessage):
                self._heard.append(piece)
                continue
            if self._heard:
                self._done.append(UserMessage(parts=tuple(self._heard)))
                self._heard = []
            self._done.append(piece)

    def messages(self) -> tuple[PromptMessage, ...]:
        """All of it."""
        if self._heard:
            return (*self._done, UserMessage(parts=tuple(self._heard)))
        return tuple(self._done)

    def copy(self) -> "Talk":
        """The same, to which more can be added."""
        other = Talk()
        other.left_out, other._done, other._heard = self.left_out, list(self._done), list(self._heard)
        return other
