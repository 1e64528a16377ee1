"""Lines and how they end: LF, CRLF or CR, also mixed in one file."""

import re
from typing import NamedTuple

BREAK = r"(?>\r\n|\r|(?<!\r)\n)"
"""One line end as a regular expression; it never matches half of a CRLF."""

_BREAK = re.compile(BREAK)


class Line(NamedTuple):
    """A line without its end, and the end: empty only for the last line of a text."""

    text: str
    end: str


def split_lines(text: str) -> list[Line]:
    """All lines; the last has no end and is empty when `text` is empty or ends with a line end."""
    lines: list[Line] = []
    start = 0
    for found in _BREAK.finditer(text):
        lines.append(Line(text[start : found.start()], found[0]))
        start = found.end()
    return [*lines, Line(text[start:], "")]


def joined(lines: list[Line]) -> str:
    """The text that `split_lines` took apart."""
    return "".join(line.text + line.end for line in lines)


def end_near(lines: list[Line], index: int) -> str:
    """How a line put in at `index` should end: as the line there, else the nearest before, else after, else LF."""
    before = (line.end for line in reversed(lines[: index + 1]) if line.end)
    after = (line.end for line in lines[index + 1 :] if line.end)
    return next(before, None) or next(after, "\n")


def kinds_of_ends(text: str) -> frozenset[str]:
    """The different line ends in `text`."""
    return frozenset(_BREAK.findall(text))
