"""Text as a terminal shows it: how wide it is, cut and wrapped to fit, and with nothing in it that deceives the eye."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator

from yeaft.kernel.pattern import Pattern

NARROWEST_COLUMNS = 40
"""Text is never wrapped to less than this, however small the terminal."""
USUAL_COLUMNS = 80
INDENT = 4
COMMENT = "# "
WIDE = 2
"""The columns of a wide character."""
LEAST_ROOM = 20
"""A second column is not broken within itself where it would have less room than this."""
DEEP_COLUMNS = 8
"""An indented line is code to copy, and left alone, unless it has a second column or stands this deep."""

_MASKS = Pattern(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff"
    r"\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""What steers a terminal, turns the order of letters round or takes no room; without the joiners that scripts need."""
_ITEM = Pattern(r"(?:[-*]|\d+\.) ")
_SECOND_COLUMN = Pattern(r" *\S+(?: \S+)* {2,}(?=\S)")
MOST_MARKS = 3
_CLOSING = frozenset("，。、；：！？）」』】》〉”’…,.;:!?)]}")
_OPENING = frozenset("（「『【《〈“‘([{")


def unmasked(text: str) -> str:
    """Return `text` with control, bidi and zero-width characters written as `⟨U+202E⟩`; line ends and tabs stay."""
    return _MASKS.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text.replace("\r\n", "\n"))


def width(text: str) -> int:
    """Return how many columns a terminal gives to `text`: two for wide characters, none for marks on others."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def padded(text: str, columns: int) -> str:
    """Return `text` with spaces up to `columns` columns."""
    return text + " " * (columns - width(text))


def cut(text: str, columns: int) -> str:
    """Return as much of `text` as fits into `columns` columns, with a mark where something is missing."""
    if width(text) <= columns:
        return text
    room = columns - 1
    for end, character in enumerate(text):
        room -= _columns(character)
        if room < 0:
            return text[:end] + "…"
    return text


def terminal_columns(descriptor: int) -> int | None:
    """Return the width of the terminal behind `descriptor`; None if there is none. COLUMNS overrules what it says."""
    if not os.isatty(descriptor):
        return None
    if (said := os.environ.get("COLUMNS", "")).isdecimal() and int(said):
        return int(said)
    try:
        return os.get_terminal_size(descriptor).columns or USUAL_COLUMNS
    except OSError:
        return USUAL_COLUMNS


def wrapped(text: str, columns: int) -> str:
    """Return a text of paragraphs, items, columns and examples with no prose wider than `columns` columns.

    Lines of a paragraph are joined before they are broken anew; a second column is broken within itself.
    """
    columns = max(columns, NARROWEST_COLUMNS)
    return "\n".join(line for block in _blocks(text.split("\n")) for line in _fitted(block, columns))


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Yield lines that belong together: those of one paragraph or item, anything else alone."""
    block: list[str] = []
    for line in lines:
        goes_on = bool(block) and _is_prose(line) and not _ITEM.match(line)
        if block and not goes_on:
            yield block
            block = []
        if _is_prose(line):
            block.append(line)
        else:
            yield [line]
    if block:
        yield block


def _is_prose(line: str) -> bool:
    return bool(line) and not line[0].isspace() and not line.startswith(("#", "|", "Usage:", "用法："))


def _fitted(block: list[str], columns: int) -> list[str]:
    if all(width(line) <= columns for line in block):
        return block
    first, *others = block
    indent = len(first) - len(first.lstrip())
    if (second := _SECOND_COLUMN.match(first)) is not None:
        return _two_columns(second[0], first[second.end() :], indent, columns)
    if 0 < indent < DEEP_COLUMNS:
        return block
    lines = _broken(_joined(first.lstrip(), others), columns - indent)
    return [" " * indent + line for line in lines]


def _two_columns(left: str, right: str, indent: int, columns: int) -> list[str]:
    """Break `right` within its own column or, where that is too narrow, below `left`; a comment stays one."""
    mark = COMMENT if right.startswith(COMMENT) else ""
    hanging = width(left)
    if columns - hanging < LEAST_ROOM:
        hanging = indent + INDENT
    lines = _broken(right.removeprefix(mark), columns - hanging - len(mark))
    below = [" " * hanging + mark + line for line in lines]
    if hanging == width(left):
        return [left + mark + lines[0], *below[1:]]
    return [left.rstrip(), *below]


def _joined(text: str, others: list[str]) -> str:
    for line in others:
        between = "" if _columns(text[-1]) == _columns(line[0]) == WIDE else " "
        text += between + line
    return text


def _broken(text: str, columns: int) -> list[str]:
    """Break a text at spaces and beside wide characters into lines of at most `columns`, if its words allow that."""
    lines, line = list[str](), ""
    for space, word in _words(text):
        if line and width(line) + width(space) + width(word) > columns:
            lines.append(line)
            line = word
        else:
            line += space + word
    return [*lines, line]


def _words(text: str) -> Iterator[tuple[str, str]]:
    """Yield what must not be broken, with the space before it. A wide character is a word, with its punctuation."""
    space, word = "", ""
    for character in text:
        if character == " ":
            if word:
                yield space, word
                space, word = "", ""
            space += character
            continue
        is_break = word and (WIDE in (_columns(character), _columns(word[-1])))
        if is_break and not _sticks(word, character):
            yield space, word
            space, word = "", ""
        word += character
    if word:
        yield space, word


def _sticks(word: str, character: str) -> bool:
    """Whether punctuation keeps a character with what stands before it; of many marks in a row only the first do."""
    last = word[-MOST_MARKS:]
    is_run = len(last) == MOST_MARKS and all(one in _CLOSING or one in _OPENING for one in last)
    return not is_run and (character in _CLOSING or word[-1] in _OPENING)


def _columns(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return WIDE if unicodedata.east_asian_width(character) in ("W", "F") else 1
