"""What an open question in line mode would change, and the words that take only part of it or write it otherwise."""

from __future__ import annotations

import asyncio
import os
import re
from typing import TYPE_CHECKING

from yeaft.events.ops import Answer
from yeaft.interfaces.change_preview import change_preview
from yeaft.interfaces.proposals.proposal import proposal
from yeaft.interfaces.proposals.taking import Taking
from yeaft.interfaces.proposals.text_editor import written
from yeaft.kernel.errors import UsageError

if TYPE_CHECKING:
    from yeaft.events.call import AskOpened, Decision
    from yeaft.interfaces.assemble import Opened

MOST_DIFF_LINES = 60
_WISH = re.compile(r"(?P<word>h|e)(?:\s+(?P<numbers>\d[\d,\s]*))?", re.IGNORECASE)


class Changing:
    """Holds what the user has written otherwise, by question; it goes with the question."""

    def __init__(self, here: Opened) -> None:
        self._here = here
        self._edited: dict[str, Taking] = {}

    def details(self, ask: AskOpened) -> str:
        """Return the diff of a change that has to be approved; nothing for any other question. Reads the files."""
        taking = self._taking(ask)
        if taking is None:
            return ""
        lines = change_preview(taking, self._here.ui.retold)
        left_out = len(lines) - MOST_DIFF_LINES
        more = [self._here.ui.text("line.more_lines", count=left_out)] if left_out > 0 else []
        how = [self._here.ui.text("line.how_parts")] if taking.proposal.is_divisible else []
        return "\n".join([*lines[:MOST_DIFF_LINES], *more, *how])

    def is_wish(self, ask: AskOpened, line: str) -> bool:
        """Whether a line is about the parts of a change.

        `h 1,3` takes these hunks, `e` opens the first text in an editor, `e 2` the one that a hunk stands in.
        """
        is_form = ask.kind == "approval" and _WISH.fullmatch(line.strip()) is not None
        taking = self._taking(ask) if is_form else None
        return taking is not None and taking.proposal.is_divisible

    async def wish(self, ask: AskOpened, line: str) -> Answer | None:
        """Return the answer that takes the hunks which a line names, or let the user write and return None.

        Raises `UsageError` for hunks that there are not, `YeaftError` if it cannot be done.
        """
        found, taking = _WISH.fullmatch(line.strip()), self._taking(ask)
        if found is None or taking is None:
            return None
        numbers = frozenset(int(number) - 1 for number in re.findall(r"\d+", found["numbers"] or ""))
        count = len(taking.hunks)
        is_edit = found["word"].casefold() == "e"
        if not numbers <= set(range(count)) or not (numbers or is_edit):
            raise UsageError(f"Name hunks from 1 to {count}, such as h 1.")
        if not is_edit:
            return await self._answer(ask, "once", taking.without(frozenset(range(count)) - numbers))
        number = taking.hunks[min(numbers)][0] if numbers else 0
        part = taking.part(number)
        text = await written(part.path.name, part.after or "", part.like, os.environ)
        self._edited[ask.ask_id] = taking.edited(number, text)
        return None

    async def completed(self, ask: AskOpened, answer: Answer) -> Answer:
        """Return an answer with what the user has written otherwise, if that is a yes to it."""
        taking = self._edited.get(ask.ask_id)
        if taking is None or answer.decision == "deny":
            return answer
        return await self._answer(ask, answer.decision, taking)

    async def _answer(self, ask: AskOpened, decision: Decision, taking: Taking) -> Answer:
        asked = self._here.approvals.asked(ask.ask_id)
        paths = asked.paths if asked else self._here.paths
        return await asyncio.to_thread(taking.answer, ask, decision, paths)

    def _taking(self, ask: AskOpened) -> Taking | None:
        if ask.ask_id in self._edited:
            return self._edited[ask.ask_id]
        asked = self._here.approvals.asked(ask.ask_id)
        if asked is None or ask.kind != "approval":
            return None
        found = proposal(asked.bound.tool, asked.bound.args, asked.paths)
        return Taking(found) if found is not None else None
