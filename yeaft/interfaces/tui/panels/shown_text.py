"""Text from anywhere as lines to be drawn: nothing in it drives the terminal, bold print stays bold, it is wrapped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len, get_character_cell_size
from rich.text import Text

from yeaft.interfaces.cli.terminal_text import unmasked

TAB = 8
MOST_LINES = 50_000
MOST_LINE_CHARS = 20_000


def safe(text: str) -> str:
    """Return `text` as one line in which everything can be seen and nothing drives the terminal."""
    return unmasked(" ".join(text.split()))


def lines_of(text: str, *, has_escapes: bool = False) -> list[Text]:
    """Return the lines of a text; with `has_escapes` sequences for colour and bold print are understood."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [_line(line[:MOST_LINE_CHARS], has_escapes=has_escapes) for line in lines[:MOST_LINES]]


def wrapped_lines(lines: Sequence[Text], columns: int) -> Iterator[tuple[int, Text]]:
    """Yield lines of at most `columns` columns, each with the number of the line that it is a part of."""
    for number, line in enumerate(lines):
        if cell_len(line.plain) <= columns:
            yield number, line
        else:
            for part in line.divide(_breaks(line.plain, max(columns, 2))):
                yield number, part


def hung(text: str, columns: int, indent: int) -> str:
    """Return a text in lines of at most `columns` columns, all but the first one behind `indent` columns of space."""
    return f"\n{' ' * indent}".join(line.plain.rstrip() for _, line in wrapped_lines((Text(text),), columns))


def _line(line: str, *, has_escapes: bool) -> Text:
    if "\x1b" not in line or not has_escapes:
        return Text(unmasked(line.rstrip("\r")).expandtabs(TAB))
    decoded = Text.from_ansi(line)
    plain = unmasked(decoded.plain)
    return decoded if plain == decoded.plain else Text(plain.expandtabs(TAB))


def _breaks(text: str, columns: int) -> list[int]:
    """Return where a line is broken: behind the last space that fits or, in a long word, within it."""
    breaks: list[int] = []
    start, used, space = 0, 0, 0
    for place, character in enumerate(text):
        wide = get_character_cell_size(character)
        if used + wide > columns:
            start = space if space > start else place
            breaks.append(start)
            used = cell_len(text[start:place])
        used += wide
        if character == " " or wide > 1:
            space = place + 1
    return breaks
