"""Choices of several lines: a beginning such as a number, and words whose further lines hang under the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.style import Style

LEAST_COLUMNS = 4


def hanging(begin: str, words: str, columns: int, style: Style | str, console: Console) -> list[Text]:
    """Return the lines of one choice, each filled up to `columns`, so that a background covers all of them."""
    indent = cell_len(begin)
    lines: list[Text] = []
    for number, found in enumerate(Text(words).wrap(console, max(LEAST_COLUMNS, columns - indent))):
        line = Text(begin if number == 0 else " " * indent, style=style, no_wrap=True)
        line.append(found.plain.rstrip())
        line.pad_right(max(0, columns - line.cell_len))
        lines.append(line)
    return lines
