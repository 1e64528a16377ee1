"""Breaks styled text into lines that fit: between words, beside wide characters, and never within a grapheme."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len, split_graphemes

from yeaft.interfaces.tui.transcript.line import Joint, Line, Part
from yeaft.kernel.pattern import Pattern

CLOSING = frozenset("，。、；：！？）」』】》〉”’…,.;:!?)]}%")
OPENING = frozenset("（「『【《〈“‘([{")
_WORDS = Pattern(r"[^ ]+| +")
WIDE = 2


def wrapped(parts: Sequence[Part], columns: int) -> list[Line]:
    """Return the lines that `parts` take in `columns` columns; line ends in them are kept, an empty text is one line.

    A space at which a line is broken is not shown, and comes back when the lines are copied.
    """
    lines = list[Line]()
    for row in _rows(parts):
        lines += _row_wrapped(row, max(columns, WIDE))
    return lines


def unbroken_columns(text: str) -> int:
    """Return how wide the widest piece of a line is that is broken only where there is no room for it."""
    return max((width for _, _, width in _words(text, max(cell_len(text), WIDE))), default=0)


def cut_to(line: Line, columns: int) -> Line:
    """Return as much of a line as fits, with a mark where something is missing."""
    if line.width <= columns:
        return line
    parts, room = list[Part](), columns - 1
    for part in line.parts:
        if cell_len(part.text) <= room:
            parts.append(part)
            room -= cell_len(part.text)
            continue
        parts.append(Part(_fitting(part.text, room) + "…", part.style, part.source))
        break
    return Line(tuple(parts), line.joint)


def _fitting(text: str, columns: int) -> str:
    if text.isascii():
        return text[: max(columns, 0)]
    end, room = 0, columns
    for _, stop, width in split_graphemes(text[: 4 * columns + 8])[0]:
        room -= width
        if room < 0:
            break
        end = stop
    return text[:end]


def _rows(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Yield the parts between line ends."""
    row = list[Part]()
    for part in parts:
        if "\n" not in part.text:
            row.append(part)
            continue
        first, *others = part.text.split("\n")
        row.append(Part(first, part.style, part.source))
        for text in others:
            yield row
            row = [Part(text, part.style, part.source)]
    yield row


def _row_wrapped(row: list[Part], columns: int) -> list[Line]:
    plain = "".join(part.text for part in row)
    if cell_len(plain) <= columns:
        return [Line(tuple(part for part in row if part.text))]
    return [Line(tuple(_sliced(row, start, end)), joint) for start, end, joint in _spans(plain, columns)]


def _sliced(row: list[Part], start: int, end: int) -> Iterator[Part]:
    at = 0
    for part in row:
        first, last = max(start - at, 0), min(end - at, len(part.text))
        at += len(part.text)
        if first < last:
            whole = last - first == len(part.text)
            yield part if whole else Part(part.text[first:last], part.style, part.source)


def _spans(text: str, columns: int) -> Iterator[tuple[int, int, Joint]]:
    """Yield where each line begins and ends, and what a break has replaced."""
    start, end, used, at = 0, 0, 0, 0
    for space, word, width in _words(text, columns):
        if not width and word == len(text) - at:  # blanks at the end: those that stick out are left out
            end += min(word, max(columns - used, 0))
            break
        begins = at + space
        at = begins + word
        if used and used + space + width > columns:
            yield start, end, " " if space else ""
            start, used = begins, width
        else:
            used += space + width
        end = at
    yield start, max(end, start), "\n"


def _words(text: str, columns: int) -> Iterator[tuple[int, int, int]]:
    """Yield what must not be broken: spaces before it, its length in characters, its width."""
    space = 0
    for found in _WORDS.finditer(text):
        word = found[0]
        if word[0] == " ":
            space += len(word)
            continue
        width = cell_len(word)
        if width == len(word) and word.isascii():
            for start in range(0, width, columns):
                length = min(columns, width - start)
                yield space, length, length
                space = 0
            continue
        for length, part_width in _pieces(word, columns):
            yield space, length, part_width
            space = 0
    if space:
        yield 0, space, 0


def _pieces(word: str, columns: int) -> Iterator[tuple[int, int]]:
    """Yield the pieces of a word with wide characters, or of one that is wider than a line: length and width."""
    length, width, was_wide, before = 0, 0, False, ""
    for start, end, columns_of in split_graphemes(word)[0]:
        character = word[start]
        is_wide = columns_of == WIDE
        may_break = length and (is_wide or was_wide) and character not in CLOSING and before not in OPENING
        if may_break or (length and width + columns_of > columns):
            yield length, width
            length, width = 0, 0
        length += end - start
        width += columns_of
        was_wide, before = is_wide, word[end - 1]
    if length:
        yield length, width
