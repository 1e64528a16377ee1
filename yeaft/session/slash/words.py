"""Finds the command that a message begins with: `/name arguments`, maybe behind the VPs that it is for."""

import re
from collections.abc import Callable

from msgspec import Struct

from yeaft.vp.names import Names

_NAME = re.compile(r"/(?P<name>[^\W_][\w:-]*(?:\.[\w:-]+)*)(?=\s|$)")
_AT = "@\uff20"
_BETWEEN = " \t\r\n,\uff0c\u3001\u3000"


class Slash(Struct, frozen=True, kw_only=True):
    """A command as it was typed: `name` without its slash, and what stands behind it."""

    name: str
    arguments: str = ""


def slash_in(text: str, names: Callable[[], Names]) -> Slash | None:
    """Return the command that `text` begins with; None for a message like any other.

    A path (`/usr/bin is big`), `//` and a lone `/` are text. `names` is asked only where an `@` stands first.
    """
    at = len(text) - len(text.lstrip())
    while text[at : at + 1] and text[at] in _AT:
        found = names().match(text, at + 1)
        if found is None:
            return None
        at = _skip(text, found.end)
    found_name = _NAME.match(text, at)
    if found_name is None:
        return None
    return Slash(name=found_name["name"].rstrip(":"), arguments=text[found_name.end() :].strip())


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _BETWEEN:
        at += 1
    return at
