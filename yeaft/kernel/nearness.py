"""Finds the name that somebody probably meant."""

from collections.abc import Iterable

LIMIT_CHARS = 60
PREFIX_CHARS = 3
SLIPS_FROM_CHARS = (3, 5, 9)
"""How long a word must be to have one, two, three slips."""


def nearest(word: str, names: Iterable[str]) -> str | None:
    """Return the one of `names` that `word` is most likely a slip of, the first of equals; None if none is plausible.

    Both sides must already be folded alike. A slip is a changed, missing, extra or swapped character: one in a word
    of three or four characters, two in a longer one, three from nine on; or a name that was broken off.
    """
    if len(word) > LIMIT_CHARS:
        return None
    best: tuple[int, str] | None = None
    for name in names:
        allowed = _allowed(min(len(word), len(name)))
        if len(word) >= PREFIX_CHARS and name.startswith(word):
            steps = 0
        elif abs(len(word) - len(name)) > allowed:
            continue
        else:
            steps = distance(word, name)
            if steps > allowed:
                continue
        if best is None or steps < best[0]:
            best = steps, name
    return best[1] if best else None


def distance(one: str, other: str) -> int:
    """Count the changed, missing, extra and swapped neighbouring characters between two words."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, right in enumerate(other, 1):
            steps = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                steps = min(steps, last[j - 2] + 1)
            row.append(steps)
    return row[-1]


def _allowed(shorter_chars: int) -> int:
    return sum(shorter_chars >= chars for chars in SLIPS_FROM_CHARS)
