"""How an address is shown: readable in the scripts of all people, and never as if it led elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.kernel.pattern import Pattern
from yeaft.tools.policy.visible import visible

if TYPE_CHECKING:
    import re

_HOST = Pattern(r"[^/?#]*//[^/?#]*|[A-Za-z][A-Za-z0-9+.-]*:.*")
"""What stands before a path; all of an address that has a scheme, but no place for a host that is marked by slashes."""
_UNSEEN = Pattern("[\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f]")
"""Marks that change, if anything, only the letter before them."""
_ESCAPED = Pattern(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")


def readable(address: str) -> str:
    """Return an address with the escaped letters behind its host written out (`%E4%BD%A0` as `你`).

    What nobody sees, as marks that turn the direction of a text, stays escaped, and so does all of ASCII: a slash or
    space that was escaped means something else than one that was not.
    """
    host = _HOST.match(address)
    start = host.end() if host else 0
    return address[:start] + _ESCAPED.sub(_written_out, address[start:])


def _written_out(found: re.Match[str]) -> str:
    try:
        text = bytes.fromhex(found[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return found[0]
    return text if visible(text) == text and not _UNSEEN.search(text) else found[0]
