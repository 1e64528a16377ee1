"""What a person takes for one character: where each begins and ends in a line, how wide it is, how it is drawn."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache

from rich.cells import cell_len, split_graphemes

TAB_COLUMNS = 4
FIRST_TOKEN, LAST_TOKEN = "\ud800", "\udbff"
"""Lone surrogates, which no text may hold, each stand for one whole paste in a draft."""
_FLAG_LETTERS = range(0x1F1E6, 0x1F200)
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_REMEMBERED_LINES = 512


def is_token(character: str) -> bool:
    """Whether a character of a draft stands for a paste."""
    return FIRST_TOKEN <= character <= LAST_TOKEN


@lru_cache(_REMEMBERED_LINES)
def ends(line: str) -> tuple[int, ...]:
    """Return where each grapheme of a line ends, in order. Tokens, and what is not drawn as it is, join nothing."""
    if line.isascii():
        return tuple(range(1, len(line) + 1))
    return tuple(_ends(line))


def _ends(line: str) -> Iterator[int]:
    begin = 0
    for place, character in enumerate((*line, FIRST_TOKEN)):
        if not (is_token(character) or _is_spelled(character)):
            continue
        yield from _joined(line, begin, place)
        if place < len(line):
            yield place + 1
        begin = place + 1


def _joined(line: str, begin: int, end: int) -> Iterator[int]:
    """Yield the ends within a stretch without tokens; two letters of a flag are one."""
    if begin == end:
        return
    spans = split_graphemes(line[begin:end])[0]
    half = False
    for number, (_, stop, _) in enumerate(spans):
        start = spans[number][0]
        is_letter = ord(line[begin + start]) in _FLAG_LETTERS
        follows = number + 1 < len(spans) and ord(line[begin + spans[number + 1][0]]) in _FLAG_LETTERS
        half = is_letter and not half and follows
        if not half:
            yield begin + stop


def next_end(text: str, at: int) -> int:
    """Return where the grapheme that begins at or holds `at` ends; `at` itself at the end of the text."""
    if at >= len(text):
        return len(text)
    start, stop = line_at(text, at)
    if at == stop:
        return at + 1
    stops = ends(text[start:stop])
    return start + stops[bisect_right(stops, at - start)]


def previous_start(text: str, at: int) -> int:
    """Return where the grapheme before `at` begins; 0 at the beginning of the text."""
    if at <= 0:
        return 0
    start, stop = line_at(text, at)
    if at == start:
        return at - 1
    stops = ends(text[start:stop])
    place = bisect_left(stops, at - start)
    return start + (stops[place - 1] if place else 0)


def boundary(text: str, at: int) -> int:
    """Return `at`, or the beginning of the grapheme that it stands inside of."""
    at = max(0, min(at, len(text)))
    start, stop = line_at(text, at)
    stops = ends(text[start:stop])
    place = bisect_right(stops, at - start)
    return start + (stops[place - 1] if place else 0)


def line_at(text: str, at: int) -> tuple[int, int]:
    """Return where the line that `at` stands in begins and ends, without its line break."""
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def drawn(grapheme: str, column: int = 0) -> str:
    """Return what is put on the screen for a grapheme: tabs as blanks, and nothing that steers a terminal."""
    if grapheme == "\t":
        return " " * (TAB_COLUMNS - column % TAB_COLUMNS)
    if grapheme.isascii() and grapheme.isprintable():
        return grapheme
    return "".join(map(_safe, grapheme))


def columns(grapheme: str, column: int = 0) -> int:
    """Return how many columns a grapheme takes at a column."""
    if len(grapheme) == 1 and " " <= grapheme <= "~":
        return 1
    return cell_len(drawn(grapheme, column))


def _safe(character: str) -> str:
    return f"⟨{ord(character):04X}⟩" if _is_spelled(character) else character


def _is_spelled(character: str) -> bool:
    """Whether a character would do something to the terminal, so that its number is shown instead."""
    return character in _BIDI or unicodedata.category(character) in ("Cc", "Zl", "Zp")
