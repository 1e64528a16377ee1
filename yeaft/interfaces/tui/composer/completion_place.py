"""Where in a draft something can be completed: the name or path behind an `@`, or a command behind a `/`. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from yeaft.kernel.effort_prefix import end_of_effort, is_level
from yeaft.session.at_signs import POSSIBLE, may_begin, name_at
from yeaft.session.code_ranges import CodeRanges
from yeaft.session.slash.words import slash_in
from yeaft.vp.names import Names

MOST_FRAGMENT_CHARS = 300
QUOTES = "\"'"
_ANY = "x"
"""Stands for a name of which nothing is written yet."""


class Place(Struct, frozen=True):
    """What is being written: `begin` is where its sign stands, `fragment` what follows up to the caret at `end`.

    A `hint` is a command that is complete: what it takes can be shown.
    """

    kind: Literal["at", "slash", "hint"]
    begin: int
    end: int
    fragment: str
    quote: str = ""


def place_at(text: str, caret: int, names: Callable[[], Names]) -> Place | None:
    """Return what is being written at the caret, by the same grammar as messages are read; None for plain words."""
    return _slash(text, caret, names) or _at(text, caret, names)


def _slash(text: str, caret: int, names: Callable[[], Names]) -> Place | None:
    written = text[:caret]
    if "/" not in written or written.lstrip()[:1] not in ("/", "@", "\uff20"):
        return None
    found = slash_in(f"{written}{_ANY}" if written.endswith("/") else written, names)
    if found is None:
        return None
    name = found.name.removesuffix(_ANY) if written.endswith("/") else found.name
    begin = written.find(f"/{name}", 0 if is_level(name) else end_of_effort(written))
    fragment = written[begin + 1 :]
    if not any(map(str.isspace, fragment)):
        return Place("slash", begin, caret, fragment)
    return Place("hint", begin, caret, found.name) if "\n" not in fragment else None


def _at(text: str, caret: int, names: Callable[[], Names]) -> Place | None:
    if "@" not in text[:caret] and "\uff20" not in text[:caret]:
        return None
    code: CodeRanges | None = None
    known_end = -1
    found: Place | None = None
    for sign in POSSIBLE.finditer(text, 0, caret):
        at = sign.start()
        if not may_begin(text, at, known_end):
            continue
        code = code or CodeRanges(text)
        if code.hold(at):
            continue
        match = name_at(text, at + 1, names())
        known_end = match.end if match else -1
        found = _fragment(text, at, caret)
    return found


def _fragment(text: str, at: int, caret: int) -> Place | None:
    """Return what stands between a sign and the caret, if it is one name or path and has not ended yet."""
    written = text[at + 1 : caret]
    if len(written) > MOST_FRAGMENT_CHARS or "\n" in written:
        return None
    if written[:1] and written[0] in QUOTES:
        quote, inside = written[0], written[1:]
        return None if quote in inside else Place("at", at, caret, inside, quote)
    if any(one.isspace() or one in "`<>|@\uff20" for one in written):
        return None
    return Place("at", at, caret, written)
