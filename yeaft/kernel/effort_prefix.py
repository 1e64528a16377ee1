"""The effort that a message asks for by how it begins: `/high explain this`, maybe behind those it is for. Pure."""

import re

from yeaft.kernel.pattern import Pattern

LEVELS = ("low", "medium", "high", "xhigh", "max", "ultra")
_PREFIX = Pattern(
    "\\s*(?:[@\uff20][^\\s,:\uff0c\u3001\uff1a]+[\\s,:\uff0c\u3001\uff1a]+)*"
    rf"(?P<prefix>/(?P<level>{'|'.join(LEVELS)})(?!\S)\s*)",
    re.IGNORECASE,
)


def is_level(word: str) -> bool:
    """Whether a word, without its slash, is one that asks for an effort; in any capitals."""
    return word.casefold() in LEVELS


def effort_in(text: str) -> str:
    """Return the effort that a message asks for; empty for none."""
    found = _PREFIX.match(text)
    return found["level"].lower() if found else ""


def end_of_effort(text: str) -> int:
    """Return where a message goes on behind the effort that it asks for; 0 if it asks for none."""
    found = _PREFIX.match(text)
    return found.end() if found else 0


def without_effort(text: str) -> str:
    """Return a message as those who answer it are told it: without the effort that it asks for."""
    found = _PREFIX.match(text)
    return f"{text[: found.start('prefix')]}{text[found.end('prefix') :]}" if found else text
