"""One line of the transcript: styled text that knows which of it was written by somebody and which is decoration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

Joint = Literal["\n", " ", ""]
"""What stands between a line and the next in the source: a line end, or what a soft break has replaced."""
PLAIN = Style()


class Part(NamedTuple):
    """Text in one style. `source` is what it stands for: None if it is itself, empty for decoration."""

    text: str
    style: Style = PLAIN
    source: str | None = None


class Line(NamedTuple):
    """Parts from left to right, and how the next line goes on."""

    parts: tuple[Part, ...] = ()
    joint: Joint = "\n"

    @property
    def text(self) -> str:
        """What can be read."""
        return "".join(part.text for part in self.parts)

    @property
    def width(self) -> int:
        """The columns it takes."""
        return sum(cell_len(part.text) for part in self.parts)

    def segments(self) -> list[Segment]:
        """Return the parts as what the screen draws."""
        return [Segment(part.text, part.style) for part in self.parts]

    def source(self, start: int = 0, end: int | None = None) -> str:
        """Return what the characters from `start` to `end` stand for; a part that stands for others comes whole."""
        found, at = list[str](), 0
        for part in self.parts:
            first, last = max(start - at, 0), len(part.text) if end is None else min(end - at, len(part.text))
            at += len(part.text)
            if first < last:
                found.append(part.text[first:last] if part.source is None else part.source)
        return "".join(found)

    def after(self, *before: Part) -> Line:
        """Return the line with parts before it."""
        return Line((*before, *self.parts), self.joint)


def decor(text: str, style: Style = PLAIN) -> Part:
    """Return a part that nobody has written: a sign, a border, an indent."""
    return Part(text, style, "")


def text_line(text: str, style: Style = PLAIN) -> Line:
    """Return a line of one part."""
    return Line((Part(text, style),)) if text else Line()


def hung(lines: Sequence[Line], first: Part, others: Part) -> list[Line]:
    """Return lines with `first` before the first of them and `others` before all that follow."""
    return [line.after(others if number else first) for number, line in enumerate(lines)]
