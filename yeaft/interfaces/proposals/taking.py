"""What the human takes of a proposal: all of it, some of its hunks, or texts of the human's own instead."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from msgspec.structs import replace

from yeaft.events.call import AskOpened, Decision
from yeaft.events.ops import Answer
from yeaft.interfaces.proposals.changed_call import changed_call
from yeaft.interfaces.proposals.hunks import Hunk, Row, hunks, lines_of, mixed, rows
from yeaft.interfaces.proposals.proposal import Part, Proposal
from yeaft.tools.paths import Paths


class Taking:
    """A proposal with what was chosen of it. It never changes; `without` and `edited` give another one.

    Hunks are numbered from 0 over all parts. The hunks are those of the texts as they are wanted now, so what the human
    has written can be looked at, and taken or left, like what the model had.
    """

    def __init__(
        self, proposal: Proposal, afters: tuple[str | None, ...] | None = None, left: frozenset[int] = frozenset()
    ) -> None:
        self.proposal = proposal
        self.left = left
        self._afters = tuple(part.after for part in proposal.parts) if afters is None else afters

    @cached_property
    def hunks(self) -> tuple[tuple[int, Hunk], ...]:
        """All hunks, each with the number of its part. A part that is only moved, made or removed has an empty one."""
        found: list[tuple[int, Hunk]] = []
        for number, (part, after) in enumerate(zip(self.proposal.parts, self._afters, strict=True)):
            own = hunks(lines_of(part.before), lines_of(after))
            found += [(number, hunk) for hunk in own or ((Hunk(0, 0, 0, 0),) if _is_more(part, after) else ())]
        return tuple(found)

    @property
    def is_edited(self) -> bool:
        """Whether the human has written something else than what was proposed."""
        return self._afters != tuple(part.after for part in self.proposal.parts)

    def part(self, number: int) -> Part:
        """Return a part with the text that is wanted now."""
        return replace(self.proposal.parts[number], after=self._afters[number])

    def without(self, left: frozenset[int]) -> Taking:
        """Return the same with these hunks left, all others taken."""
        return Taking(self.proposal, self._afters, left)

    def edited(self, number: int, after: str) -> Taking:
        """Return the same, all of it taken, with another text for a part."""
        return Taking(self.proposal, (*self._afters[:number], after, *self._afters[number + 1 :]))

    def rows(self) -> Iterator[tuple[int, list[Row]]]:
        """Yield the rows of each hunk, with the number of its part."""
        for number in range(len(self.proposal.parts)):
            part = self.part(number)
            own = [hunk for of, hunk in self.hunks if of == number]
            first = next((at for at, (of, _) in enumerate(self.hunks) if of == number), 0)
            for found in rows(lines_of(part.before), lines_of(part.after), own):
                yield number, [replace(row, hunk=row.hunk + first) if row.hunk >= 0 else row for row in found]

    def answer(self, ask: AskOpened, decision: Decision, paths: Paths) -> Answer:
        """Return the op that says yes to what is taken, or no if that is nothing.

        Raises `ToolFailed` if the tool cannot do just that. Blocking; reads the files.
        """
        if not (self.left or self.is_edited):
            return Answer(ask_id=ask.ask_id, decision=decision)
        taken = tuple(self._taken())
        if not taken:
            return Answer(ask_id=ask.ask_id, decision="deny")
        return Answer(ask_id=ask.ask_id, decision=decision, changed=changed_call(self.proposal, taken, paths))

    def _taken(self) -> Iterator[Part]:
        """Yield the parts of which something is taken, with the texts that they then have."""
        for number in range(len(self.proposal.parts)):
            part = self.part(number)
            own = [(at, hunk) for at, (of, hunk) in enumerate(self.hunks) if of == number]
            places = {place for place, (at, _) in enumerate(own) if at not in self.left}
            if len(places) == len(own) and own:
                yield part
            elif places:
                lines = mixed(lines_of(part.before), lines_of(part.after), [hunk for _, hunk in own], places)
                yield replace(part, after="".join(lines))


def _is_more(part: Part, after: str | None) -> bool:
    return bool(part.target) or (part.before is None) != (after is None)
