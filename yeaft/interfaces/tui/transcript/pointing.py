"""What somebody means who clicks into a line: a link, or a path with perhaps the number of a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from yeaft.kernel.pattern import Pattern

if TYPE_CHECKING:
    from yeaft.interfaces.tui.transcript.line import Line

_ADDRESS = Pattern(r"https?://[^\s<>\"'`]+[^\s<>\"'`.,;:!?)\]}]")
_PATH = Pattern(r"(?<![\w/.:-])((?:~|\.{1,2})?/?(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.\w{1,8})(?::(\d+))?(?::\d+)?")


def target_at(line: Line, column: int) -> tuple[str, int] | None:
    """Return the address or path at a column of a line, and the number of a line in it, 0 for none."""
    if not 0 <= column < line.width:
        return None
    if link := _link(line, column):
        return link, 0
    text = line.text
    at = _character(text, column)
    for found in _ADDRESS.finditer(text):
        if found.start() <= at < found.end():
            return found[0], 0
    for found in _PATH.finditer(text):
        if found.start() <= at < found.end() and (found[2] or "/" in found[1]):
            return found[1], int(found[2] or 0)
    return None


def _link(line: Line, column: int) -> str:
    left = column
    for part in line.parts:
        left -= cell_len(part.text)
        if left < 0:
            return part.style.link or ""
    return ""


def _character(text: str, column: int) -> int:
    """Return the index of the character at a column."""
    width = 0
    for number, character in enumerate(text):
        width += cell_len(character)
        if width > column:
            return number
    return len(text)
