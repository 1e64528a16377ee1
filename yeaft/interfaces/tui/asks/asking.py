"""One open question as it is looked at: what it says, and what the user takes of the change it is about."""

from __future__ import annotations

import asyncio
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Raw

from yeaft.config.keys import effective
from yeaft.events.ops import Answer
from yeaft.interfaces.tui.asks import ask_words
from yeaft.interfaces.tui.outside import outside
from yeaft.interfaces.tui.standing import short
from yeaft.kernel.errors import ToolFailed, YeaftError

if TYPE_CHECKING:
    from textual.app import App

    from yeaft.events.call import AskOpened, Decision
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.proposals.taking import Taking
    from yeaft.interfaces.tui.asks.diff_layout import Highlights
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui


class Asking:
    """Holds what was chosen so far; it goes with the question."""

    def __init__(self, ask: AskOpened, here: Opened, look: Look, ui: Ui) -> None:
        self.ask = ask
        self.ui = ui
        self.taking: Taking | None = None
        self._look = look
        self._asked = here.approvals.asked(ask.ask_id)
        self._paths = self._asked.paths if self._asked is not None else here.paths
        kept_in = here.approvals.kept_in
        self._kept_in = short(kept_in, os.environ.get("HOME", "")) if kept_in is not None else ""
        self._keys = effective(here.config.keys)
        self._call = _call(ask, here)
        self._approvals = here.approvals

    @property
    def is_waited_for(self) -> bool:
        """Whether a turn waits for the answer; for a question that a dead process has left, none does."""
        return self._approvals.is_waiting(self.ask.ask_id)

    @cached_property
    def what(self) -> str:
        """The tool and its subject."""
        return self.ui.retold(ask_words.what(self.ask, self._asked))

    @cached_property
    def why(self) -> tuple[str, ...]:
        """Why it has to be asked."""
        return tuple(ask_words.why(self.ask, self._asked, self.ui))

    @cached_property
    def details(self) -> tuple[str, ...]:
        """What is to be read before deciding."""
        return tuple(ask_words.details(self.ask, self._asked, self.ui))

    def rules(self, columns: int) -> tuple[str, ...]:
        """Return what a yes for more than once would make, in so many columns if that can be."""
        return tuple(ask_words.rules(self.ask, self._asked, self._kept_in, self._keys, self.ui, columns=columns))

    @property
    def first_line(self) -> str:
        """The beginning of it."""
        return next((line for line in self.details if line.strip()), "")

    async def propose(self) -> bool:
        """Find out what the call would change; return whether it is a call that changes files."""
        self.taking = await asyncio.to_thread(self._proposed)
        return self.taking is not None

    async def highlights(self) -> Highlights:
        """Return the colours of what would change."""
        return await asyncio.to_thread(self._coloured)

    def toggled(self, hunk: int) -> Taking | None:
        """Take a hunk, or leave it, and return what is taken then; None if there is no such hunk."""
        if self.taking is not None and 0 <= hunk < len(self.taking.hunks):
            self.taking = self.taking.without(self.taking.left ^ {hunk})
            return self.taking
        return None

    async def edit(self, hunk: int, app: App[Any]) -> str:
        """Let the user write the text that `hunk` stands in (-1 for the first) otherwise; return what went wrong.

        The terminal of `app` is lent to the editor.
        """
        from yeaft.interfaces.proposals.text_editor import written

        taking = self.taking
        if taking is None or not taking.proposal.parts:
            return ""
        number = taking.hunks[hunk][0] if 0 <= hunk < len(taking.hunks) else 0
        part = taking.part(number)
        try:
            text = await outside(app, written(part.path.name, part.after or "", part.like, os.environ))
        except (YeaftError, OSError) as error:
            return self.ui.retold(str(error))
        if text != (part.after or ""):
            self.taking = taking.edited(number, text)
        return ""

    async def yes(self, decision: Decision) -> Answer | str:
        """Return the answer that lets through what is taken, or why it cannot be given: then what is shown is new."""
        if self.taking is None:
            return Answer(ask_id=self.ask.ask_id, decision=decision)
        fresh = await asyncio.to_thread(self._proposed)
        if fresh is None or fresh.proposal != self.taking.proposal:
            self.taking = fresh
            return self.ui.text("asks.moved")
        try:
            return await asyncio.to_thread(self.taking.answer, self.ask, decision, self._paths)
        except ToolFailed as error:
            return self.ui.retold(str(error))

    def _proposed(self) -> Taking | None:
        if self._call is None:
            return None
        from yeaft.interfaces.proposals.proposal import proposal
        from yeaft.interfaces.proposals.taking import Taking

        found = proposal(*self._call, self._paths)
        return Taking(found) if found is not None else None

    def _coloured(self) -> Highlights:
        from yeaft.interfaces.tui.asks.highlights import highlights

        taking = self.taking
        if taking is None:
            return {}
        found: Highlights = {}
        for number in range(len(taking.proposal.parts)):
            part = taking.part(number)
            name = part.target or part.written
            sides = {
                (number, "-"): highlights(part.before, name, self._look),
                (number, "+"): highlights(part.after, name, self._look),
            }
            found = {**found, **sides}
        return found


def _call(ask: AskOpened, here: Opened) -> tuple[str, Raw] | None:
    """Return the tool and the arguments that are to be approved, also of a call that a dead process has left."""
    asked = here.approvals.asked(ask.ask_id)
    if ask.kind != "approval":
        return None
    if asked is not None:
        return asked.bound.tool, asked.bound.args
    turn = here.state.turns.get(ask.turn_id)
    found = [one.call for attempt in (turn.attempts if turn else ()) for one in attempt.calls]
    call = next((one for one in found if one.call_id == ask.call_id), None)
    return (call.tool, Raw(call.args_raw.encode("utf-8", "replace"))) if call is not None else None
