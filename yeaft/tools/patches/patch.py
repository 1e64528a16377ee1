"""A patch as a value, whichever of the two formats it came in."""

from typing import Literal

from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.files.line_ends import split_lines

Sign = Literal[" ", "-", "+"]


class HunkLine(Struct, frozen=True):
    """A line that stays, goes or comes; `bare` when the patch says that it has no line end."""

    sign: Sign
    text: str
    bare: bool = False


class Hunk(Struct, frozen=True, kw_only=True):
    """Lines to change together.

    `start` is the 1-based line in the old file where they should stand, if the patch says so; `anchors` are lines that
    stand before them, in order; `at_end` means that they end the file.
    """

    lines: tuple[HunkLine, ...]
    start: int | None = None
    anchors: tuple[str, ...] = ()
    at_end: bool = False

    @property
    def old(self) -> tuple[str, ...]:
        """The lines that must be in the file."""
        return tuple(line.text for line in self.lines if line.sign != "+")


class FilePatch(Struct, frozen=True, kw_only=True):
    """What happens to one file. `target` is its new name when it moves; `executable` only for a new file."""

    kind: Literal["add", "delete", "update"]
    path: str
    target: str | None = None
    hunks: tuple[Hunk, ...] = ()
    executable: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """All paths that are written, as the patch has them."""
        return (self.path,) if self.target is None else (self.path, self.target)


class PatchLines:
    """The lines of a patch and the place a parser has reached; CR at the end of lines is dropped."""

    def __init__(self, text: str) -> None:
        self._lines = [line.text for line in split_lines(text)]
        if not self._lines[-1]:
            self._lines.pop()
        self.at = 0

    @property
    def is_over(self) -> bool:
        """Whether no line is left."""
        return self.at >= len(self._lines)

    def has(self, ahead: int) -> bool:
        """Whether there is a line that far on."""
        return self.at + ahead < len(self._lines)

    def peek(self, ahead: int = 0) -> str:
        """The next line, or one further on, without taking it; empty behind the end."""
        index = self.at + ahead
        return self._lines[index] if index < len(self._lines) else ""

    def take(self) -> str:
        """The next line."""
        self.at += 1
        return self._lines[self.at - 1]

    def refuse(self, what: str) -> ToolFailed:
        """An error that names the line just taken."""
        line = self._lines[self.at - 1] if self.at else ""
        return ToolFailed(f"Patch line {self.at}: {what} ({line[:100]!r}). Nothing was written.")
