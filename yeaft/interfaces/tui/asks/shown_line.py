"""A line of somebody's text as cells: tabs to their stops, nothing hidden, broken where the room ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len, split_graphemes
from rich.style import Style

from yeaft.kernel.text import is_hidden

TAB_COLUMNS = 4
FEWEST_COLUMNS = 4
"""No line is broken into less than this, however narrow the screen is."""

Piece = tuple[str, Style]
Span = tuple[int, int, Style]
"""From and up to which character of a line a style holds."""


def pieces(line: str, base: Style, spans: Sequence[Span] = (), *, is_plain: bool = False) -> list[Piece]:
    """Return a line without its end as pieces of text that can be shown; `is_plain` means in ASCII marks alone."""
    found: list[Piece] = []
    column = 0
    for text, style in _styled(line.rstrip("\r\n"), base, spans):
        shown = text if text.isascii() and text.isprintable() else _shown(text, column, is_plain=is_plain)
        column += cell_len(shown)
        found.append((shown, style))
    return found


def broken(found: Sequence[Piece], columns: int) -> list[list[Piece]]:
    """Return pieces in rows of at most `columns` cells; at least one row."""
    columns = max(columns, FEWEST_COLUMNS)
    rows: list[list[Piece]] = [[]]
    room = columns
    for text, style in found:
        start = 0
        for end, cells in _clusters(text):
            if cells > room:
                if start < end[0]:
                    rows[-1].append((text[start : end[0]], style))
                rows.append([])
                start, room = end[0], columns
            room -= cells
        if start < len(text):
            rows[-1].append((text[start:], style))
    return rows


def rows_needed(line: str, columns: int) -> int:
    """Return how many rows `broken` makes of a line, without making them where that is easy."""
    text = line.rstrip("\r\n")
    if text.isascii() and text.isprintable():
        return max(1, -(-len(text) // max(columns, FEWEST_COLUMNS)))
    return len(broken(pieces(line, Style.null()), columns))


def _clusters(text: str) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield where each thing that cannot be broken stands, and its width in cells."""
    if text.isascii():
        for place in range(len(text)):
            yield (place, place + 1), 1
        return
    for start, end, cells in split_graphemes(text)[0]:
        yield (start, end), cells


def _styled(text: str, base: Style, spans: Sequence[Span]) -> Iterator[Piece]:
    done = 0
    for first, last, style in spans:
        start, end = max(first, done), min(last, len(text))
        if start >= end:
            continue
        if done < start:
            yield text[done:start], base
        yield text[start:end], base + style
        done = end
    if done < len(text):
        yield text[done:], base


def _shown(text: str, column: int, *, is_plain: bool) -> str:
    shown: list[str] = []
    for character in text:
        if character == "\t":
            width = TAB_COLUMNS - column % TAB_COLUMNS
            drawn = " " * width if is_plain else "→" + " " * (width - 1)
        elif is_hidden(character) and character != "\u200d":
            drawn = f"<U+{ord(character):04X}>" if is_plain else f"⟨U+{ord(character):04X}⟩"
        else:
            drawn = character
        shown.append(drawn)
        column += cell_len(drawn)
    return "".join(shown)
