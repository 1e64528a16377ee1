"""The open questions of a Session in line mode: shown one after another, answered with a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.events.call import AskAnswered, AskOpened, AskWithdrawn, Decision
from yeaft.events.codec import Recorded, Transient
from yeaft.events.ops import Answer
from yeaft.tools.policy.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from yeaft.prompts.ui import Ui

DECISIONS: dict[str, Decision] = {
    "y": "once",
    "yes": "once",
    "1": "once",
    "是": "once",
    "s": "session",
    "session": "session",
    "2": "session",
    "a": "always",
    "always": "always",
    "3": "always",
    "n": "deny",
    "no": "deny",
    "否": "deny",
}
"""What can be typed at an approval; `n` may be followed by what the VP is told."""

DECLINE = "-"
"""What is typed by who does not want to answer a question."""


class Questions:
    """Listens for questions; `put` shows the oldest one that is open, with `details` of what it is about.

    `step_of` says which step of which run puts it, if one does.
    """

    def __init__(
        self,
        ui: Ui,
        put: Callable[[str], None],
        details: Callable[[AskOpened], str],
        step_of: Callable[[AskOpened], str],
    ) -> None:
        self._ui = ui
        self._put = put
        self._details = details
        self._step_of = step_of
        self._open: dict[str, AskOpened] = {}
        self._is_answered: set[str] = set()
        self._left: set[str] = set()
        self._has_gone_on = False

    @property
    def current(self) -> AskOpened | None:
        """The question that the next line answers, if any is open."""
        return next((ask for ask in self._open.values() if ask.ask_id not in self._is_answered), None)

    def take_up(self, asks: Iterable[AskOpened]) -> None:
        """Show the first of those that a dead process has left open."""
        self._open.update((ask.ask_id, ask) for ask in asks)
        self._left.update(self._open)
        if (first := self.current) is not None:
            self._show(first)

    def is_left(self, ask: AskOpened) -> bool:
        """Whether nobody waits for the answer: a dead process has left the question."""
        return ask.ask_id in self._left

    def is_given_up_by_words(self, ask: AskOpened) -> bool:
        """Whether saying something else closes a question that was left: an approval, as long as no turn goes on."""
        return ask.kind == "approval" and self.is_left(ask) and self._is_of_turn(ask) and not self._has_gone_on

    def hear(self, heard: Recorded | Transient) -> None:
        """Take in one event."""
        event = heard.event if isinstance(heard, Recorded) else heard
        if isinstance(event, AskOpened):
            self._open[event.ask_id] = event
            if len(self._open) == 1:
                self._show(event)
        elif isinstance(event, AskAnswered | AskWithdrawn) and event.ask_id in self._open:
            was_shown = next(iter(self._open)) == event.ask_id
            del self._open[event.ask_id]
            if was_shown and (following := self.current) is not None:
                self._show(following)

    def answer(self, line: str) -> Answer | None:
        """Return the op by which `line` answers the current question; None if it is no answer to that."""
        ask = self.current
        if ask is None:
            return None
        return (_decided if ask.kind == "approval" else _chosen)(ask, line.strip())

    def settle(self, ask: AskOpened) -> None:
        """Let the next line be for the next question: this one is answered, and its turn, if it was left, goes on."""
        self._is_answered.add(ask.ask_id)
        if self.is_left(ask) and self._is_of_turn(ask):
            self._has_gone_on = True
            self._left -= {one.ask_id for one in self._open.values() if one.turn_id == ask.turn_id}

    def how(self) -> str:
        """Return how the current question can be answered."""
        ask = self.current
        if ask is None:
            return ""
        if ask.kind == "approval":
            return self._ui.text("line.how_rule" if ask.rule else "line.how", rule=visible(ask.rule))
        return self._ui.text("line.how_choice" if ask.options else "line.how_text")

    def _is_of_turn(self, ask: AskOpened) -> bool:
        """Whether a turn of the Session itself puts a question, and no run."""
        return bool(ask.turn_id) and not self._step_of(ask)

    def _show(self, ask: AskOpened) -> None:
        about = self._ui.text(f"line.{ask.kind}", vp=ask.vp_id, text=self._ui.retold(visible(ask.text)))
        options = [f"  {number}. {visible(one)}" for number, one in enumerate(ask.options, start=1)]
        step, named = visible(self._step_of(ask)), ""
        if step and ask.turn_id:
            named = self._ui.text("runs.asked_in", step=step)
        elif step:
            about = self._ui.text("runs.asks", step=step, text=self._ui.retold(visible(ask.text)))
        left = ""
        if self.is_left(ask):
            left = self._ui.text("left_here.approval" if self.is_given_up_by_words(ask) else "left_here.question")
        self._put("\n".join(line for line in (left, named, about, self._details(ask), *options, self.how()) if line))


def _decided(ask: AskOpened, text: str) -> Answer | None:
    """Read yes or no; only a no may be followed by words."""
    word, _, rest = text.partition(" ")
    decision = DECISIONS.get(word.casefold())
    if decision is None or (rest and decision != "deny") or (decision in ("session", "always") and not ask.rule):
        return None
    return Answer(ask_id=ask.ask_id, decision=decision, text=rest.strip())


def _chosen(ask: AskOpened, text: str) -> Answer | None:
    """Read numbers of options, or free words; an empty line answers nothing."""
    if not text:
        return None
    if text == DECLINE:
        return Answer(ask_id=ask.ask_id, decision="deny")
    words = text.replace(",", " ").split()
    if ask.options and all(word.isdecimal() and 0 < int(word) <= len(ask.options) for word in words):
        return Answer(ask_id=ask.ask_id, choice=tuple(ask.options[int(word) - 1] for word in words))
    return Answer(ask_id=ask.ask_id, text=text)
