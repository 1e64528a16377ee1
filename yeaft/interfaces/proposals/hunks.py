"""Two texts as the hunks in which they differ, and the text in between: some hunks taken, the others left."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from yeaft.tools.files.line_ends import split_lines

CONTEXT = 3
MOST_LINES_IN_FULL = 2_000
"""Where more lines differ, lines that occur often are not used to line up the rest: that could take minutes."""


class Hunk(Struct, frozen=True):
    """Lines `old_start` up to `old_end` of the old text become lines `new_start` up to `new_end` of the new one.

    All count from 0, and the end is not part of it.
    """

    old_start: int
    old_end: int
    new_start: int
    new_end: int


class Row(Struct, frozen=True):
    """One line of a diff: its sign (" ", "-" or "+"), where it stands in each text (from 1, 0 for nowhere), itself.

    `hunk` is the number of its hunk from 0, that of a line that stays -1.
    """

    sign: str
    old: int
    new: int
    line: str
    hunk: int = -1


def lines_of(text: str | None) -> list[str]:
    """Return the lines of a text with their ends; none for no text."""
    lines = [line.text + line.end for line in split_lines(text or "")]
    return lines if lines[-1] else lines[:-1]


def hunks(before: Sequence[str], after: Sequence[str]) -> tuple[Hunk, ...]:
    """Return where two lists of lines differ, in order."""
    from difflib import SequenceMatcher

    head = _alike(before, after)
    tail = _alike(before[head:][::-1], after[head:][::-1])
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    is_small = len(old) + len(new) <= MOST_LINES_IN_FULL
    opcodes = SequenceMatcher(None, old, new, autojunk=not is_small).get_opcodes()
    return tuple(Hunk(*(number + head for number in place)) for kind, *place in opcodes if kind != "equal")


def mixed(before: Sequence[str], after: Sequence[str], found: Sequence[Hunk], taken: Collection[int]) -> list[str]:
    """Return `before` with those of its hunks that are taken, by their number from 0."""
    lines: list[str] = []
    done = 0
    for number, hunk in enumerate(found):
        if number in taken:
            lines += before[done : hunk.old_start]
            lines += after[hunk.new_start : hunk.new_end]
            done = hunk.old_end
    return [*lines, *before[done:]]


def rows(
    before: Sequence[str], after: Sequence[str], found: Sequence[Hunk], *, context: int = CONTEXT
) -> Iterator[list[Row]]:
    """Yield the rows of each hunk, with up to `context` lines around it that belong to no other hunk's rows."""
    shown = 0
    for number, hunk in enumerate(found):
        start = max(shown, hunk.old_start - context)
        shift = hunk.new_start - hunk.old_start
        following = found[number + 1].old_start if number + 1 < len(found) else len(before)
        shown = min(hunk.old_end + context, following)
        moved = hunk.new_end - hunk.old_end
        yield [
            *(Row(" ", at + 1, at + 1 + shift, before[at]) for at in range(start, hunk.old_start)),
            *(Row("-", at + 1, 0, before[at], number) for at in range(hunk.old_start, hunk.old_end)),
            *(Row("+", 0, at + 1, after[at], number) for at in range(hunk.new_start, hunk.new_end)),
            *(Row(" ", at + 1, at + 1 + moved, before[at]) for at in range(hunk.old_end, shown)),
        ]


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Return with how many equal lines both begin."""
    count = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        count += 1
    return count
