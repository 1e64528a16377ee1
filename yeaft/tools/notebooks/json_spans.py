"""Where the values of a JSON text stand in it, so that one can be changed without touching the others."""

import json
import re

Span = tuple[int, int]
"""Start and stop of a value in its text."""

_BLANK = re.compile(r"[ \t\n\r]*")
_decoder = json.JSONDecoder()


def first_value(text: str) -> int:
    """Where the value of a whole JSON text begins."""
    return _past_blank(text, 0)


def members(text: str, start: int) -> dict[str, Span]:
    """The values of the object that begins at `start`, by key; `text` must be valid JSON."""
    found: dict[str, Span] = {}
    at = _past_blank(text, start + 1)
    while text[at] != "}":
        key, at = _value(text, at)
        at = _past_blank(text, _past_blank(text, at) + 1)
        _, stop = _value(text, at)
        found[str(key)] = at, stop
        at = _past_comma(text, stop)
    return found


def elements(text: str, start: int) -> tuple[Span, ...]:
    """The values of the array that begins at `start`; `text` must be valid JSON."""
    found: list[Span] = []
    at = _past_blank(text, start + 1)
    while text[at] != "]":
        _, stop = _value(text, at)
        found.append((at, stop))
        at = _past_comma(text, stop)
    return tuple(found)


def _value(text: str, at: int) -> tuple[object, int]:
    return _decoder.raw_decode(text, at)


def _past_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _past_comma(text: str, at: int) -> int:
    at = _past_blank(text, at)
    return _past_blank(text, at + 1) if text[at] == "," else at
