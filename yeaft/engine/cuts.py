"""What a request leaves out of a conversation, by id: what is said of a window to whoever writes the messages."""

from collections.abc import Mapping

from msgspec import Struct

Shorter = Mapping[str, int]
"""Calls whose result is sent shorter than others, with the bytes that it may have."""


class Cuts(Struct, frozen=True, kw_only=True):
    """What is left out or shortened. Nothing stored changes by it.

    `bare` are requests of which only what was said in them is shown, without thinking, calls and results; `left_out`
    those that are not shown at all. `stubbed` are calls whose result is a line, `shorter` those with less of it than
    usual. `before` stands in front of all, for what was left out of earlier turns. `question_bytes` is how much of
    the current message is sent; None is all. `pictured` are ids under which pictures go along; None is the newest.
    """

    bare: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()
    stubbed: frozenset[str] = frozenset()
    shorter: Shorter = {}
    before: str = ""
    question_bytes: int | None = None
    pictured: frozenset[str] | None = None


NOTHING_CUT = Cuts()
