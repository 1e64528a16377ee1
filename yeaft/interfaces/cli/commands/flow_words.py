"""What is written behind `yeaft flow PATTERN`: who takes part, in which role, and the task."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from yeaft.kernel.errors import NotFound, UsageError
from yeaft.vp.names import Names

_MEMBER = re.compile(r"(?:([\w-][\w .-]*)[=:])?[@＠](.+)")
_ARROW = (">", "->", "→")


class Part(Struct, frozen=True):
    """A VP that takes part, and what its part is called if that was said."""

    vp: str
    name: str = ""


class Members(Struct, frozen=True, kw_only=True):
    """All that take part, in the order in which they were named, and the task; the task is empty if none was given."""

    parts: tuple[Part, ...]
    task: str


def members_in(words: Sequence[str], named: Sequence[str], names: Names) -> Members:
    """Tell the members at the beginning of `words` (`@writer`, `draft:@writer`) from the task behind them.

    `named` are members that options gave. Raises `NotFound` for a VP that nobody knows.
    """
    parts = [part_of(one, names) for one in named]
    at = 0
    while at < len(words) and _is_member(words[at]):
        if words[at] not in _ARROW:
            parts.append(part_of(words[at], names))
        at += 1
    return Members(parts=tuple(parts), task=" ".join(words[at:]))


def _is_member(word: str) -> bool:
    return word in _ARROW or (_MEMBER.fullmatch(word) is not None and " " not in word)


def part_of(word: str, names: Names) -> Part:
    """Return the VP that a word such as `@writer` or `draft=@writer` names. Raises `NotFound`."""
    found = _MEMBER.fullmatch(word)
    label = found[2] if found else word
    vp_id = names.id_of(label)
    if vp_id is None:
        near = names.nearest(label)
        raise NotFound(f"No VP named {label!r}." + (f" Did you mean {near}?" if near else " See `yeaft vp ls`."))
    return Part(vp_id, (found[1] or "") if found else "")


class Roles:
    """Hands out members to the roles of a pattern: options first, then those that are left, in order."""

    def __init__(self, pattern: str, members: Members, names: Names) -> None:
        self._pattern = pattern
        self._left = list(members.parts)
        self._names = names

    def one(self, role: str, given: str, *, default: str = "") -> str:
        """Return the VP of a role. Raises `UsageError` if there is none."""
        if given:
            return part_of(given, self._names).vp
        if self._left:
            return self._left.pop(0).vp
        if default:
            return default
        raise UsageError(f"yeaft flow {self._pattern} needs --{role} @VP. See `yeaft flow {self._pattern} --help`.")

    def rest(self, given: Sequence[str] = ()) -> tuple[Part, ...]:
        """Return all that have no role yet, with those that an option names before them."""
        parts = (*(part_of(one, self._names) for one in given), *self._left)
        self._left.clear()
        return parts

    def check_empty(self) -> None:
        """Check that everybody has a role. Raises `UsageError`."""
        if self._left:
            raise UsageError(f"yeaft flow {self._pattern} has no role for @{self._left[0].vp}.")
