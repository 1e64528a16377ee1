"""How much goes into a field of one line, which is drawn whole at every key: a pasted megabyte would stop it."""

from yeaft.kernel.pattern import Pattern

MOST_CHARS = 2_000
"""In what looks for something or names it; what is longer is refused with a bell."""
MOST_ANSWER_CHARS = 20_000
"""In an answer to a question; of a longer paste the beginning is taken."""
_ACTED_ON = Pattern(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
"""Characters that a terminal acts on instead of showing them; such a field would write them to it as they are."""


def showable(pasted: str) -> str:
    """Return what of a paste can be shown; a tab is a space."""
    return _ACTED_ON.sub("", pasted).replace("\t", " ")
