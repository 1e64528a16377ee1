"""How many lines of a text come and go, counted and told in one way wherever a change is shown."""

from __future__ import annotations

from functools import lru_cache

MOST_COMPARED_CHARS = 60_000
"""Longer texts count as a whole before and after: comparing them line by line can take seconds."""
HEADS = ("+++", "---", "*** ")
"""What lines of a patch begin with that name a file."""


def counts(come: int, go: int | None) -> str:
    """Return the numbers of lines that come and go as `+2 −1`; `+2` if nobody knows what goes."""
    return f"+{come}" if go is None else f"+{come} −{go}"


@lru_cache(maxsize=64)
def compared(old: str, new: str) -> tuple[int, int]:
    """Return how many lines come and how many go when `old` becomes `new`."""
    before, after = old.splitlines(), new.splitlines()
    if len(old) + len(new) > MOST_COMPARED_CHARS:
        return len(after), len(before)
    import difflib

    steps = [step for step in difflib.SequenceMatcher(None, before, after).get_opcodes() if step[0] != "equal"]
    return sum(b2 - b1 for *_, b1, b2 in steps), sum(a2 - a1 for _, a1, a2, *_ in steps)


def patched(patch: str) -> tuple[int, int]:
    """Return how many lines a patch adds and how many it takes away."""
    lines = [line for line in patch.splitlines() if not line.startswith(HEADS)]
    come, go = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    return come, go
