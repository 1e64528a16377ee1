"""Finds the command that a message begins with: `/name arguments`, maybe behind the VPs that it is for."""

import re
from collections.abc import Callable

from msgspec import Struct

from yeaft.kernel.effort_prefix import is_level
from yeaft.vp.names import Names

_NAME = re.compile(r"/(?P<name>[^\W_][\w:-]*(?:\.[\w:-]+)*)(?=\s|$)")
_AT = "@\uff20"
_BETWEEN = " \t\r\n,\uff0c\u3001\u3000"


class Slash(Struct, frozen=True, kw_only=True):
    """A command as it was typed: `name` without its slash, and what stands behind it."""

    name: str
    arguments: str = ""


def slash_in(text: str, names: Callable[[], Names]) -> Slash | None:
    """Return the command that `text` begins with, maybe behind an effort; None for a message like any other.

    A path (`/usr/bin is big`), `//` and a lone `/` are text. `names` is asked only where an `@` stands first.
    """
    found = _first(text, names)
    if found is not None and is_level(found.name) and found.arguments:
        return _first(found.arguments, names)
    return found


def name_at(text: str, at: int) -> Slash | None:
    """Return the command whose slash stands at `at`, if one does."""
    found = _NAME.match(text, at)
    return Slash(name=found["name"].rstrip(":"), arguments=text[found.end() :].strip()) if found else None


def behind_names(text: str, names: Callable[[], Names]) -> int | None:
    """Return where the text goes on behind the VPs that it begins with; None if an `@` there names no VP."""
    at = len(text) - len(text.lstrip())
    while text[at : at + 1] and text[at] in _AT:
        found = names().match(text, at + 1)
        if found is None:
            return None
        at = _skip(text, found.end)
    return at


def _first(text: str, names: Callable[[], Names]) -> Slash | None:
    at = behind_names(text, names)
    return None if at is None else name_at(text, at)


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _BETWEEN:
        at += 1
    return at
