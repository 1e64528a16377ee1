"""Where an old text stands in a file: exactly, or else by comparing with less and less, but then only if it is unique.

Each stage only compares; what it finds are spans of the untouched original.
"""

import re

from msgspec import Struct

from yeaft.tools.files.line_ends import BREAK, split_lines

NEAR_LINES = 5000
NEAR_RATIO = 0.6
BLANKS = " \t"
SINGLE = "\u2018\u2019\u201a\u201b\u2032"
DOUBLE = "\u201c\u201d\u201e\u201f\u2033"
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
PLAIN = str.maketrans({**dict.fromkeys(SINGLE, "'"), **dict.fromkeys(DOUBLE, '"')}) | str.maketrans(
    {**dict.fromkeys(DASHES, "-"), **dict.fromkeys(SPACES, " ")}
)

Span = tuple[int, int]


class Matches(Struct, frozen=True, kw_only=True):
    """Where a text was found; `loosely` says what had to be left out of the comparison, empty if nothing."""

    spans: tuple[Span, ...]
    loosely: str = ""


def folded(text: str) -> str:
    """`text`, of the same length, with typographic quotes, dashes and spaces as their ASCII forms."""
    return text.translate(PLAIN)


def find(text: str, old: str, *, everywhere: bool = False) -> Matches:
    """All places of `old` in `text`, line ends compared as equal.

    Several places that differ only in line ends count as one if exactly one has the very ends of `old`, unless all
    are wanted (`everywhere`). When there is none, trailing blanks and then typographic punctuation are left out of
    the comparison; those stages report spans only if there is exactly one.
    """
    spans = _spans(text, _pattern(old))
    if len(spans) > 1 and not everywhere:
        same_ends = [span for span in spans if text[slice(*span)] == old]
        spans = same_ends if len(same_ends) == 1 else spans
    if spans or not old.strip():
        return Matches(spans=tuple(spans))
    spans = _spans(text, _pattern(old, blanks=False))
    if not spans:
        spans = _spans(folded(text), _pattern(folded(old), blanks=False))
        return Matches(spans=_only(spans), loosely="typographic quotes, dashes or spaces")
    return Matches(spans=_only(spans), loosely="trailing blanks")


def line_of(text: str, position: int) -> int:
    """The 1-based number of the line that holds `position`."""
    return len(split_lines(text[:position]))


def nearest_line(text: str, old: str) -> tuple[int, str] | None:
    """The 1-based number and text of the line most like the first line of `old` that is not blank, if one is."""
    import difflib

    wanted = next((line.text.strip() for line in split_lines(old) if line.text.strip()), "")
    lines = [line.text.strip() for line in split_lines(text)[:NEAR_LINES]]
    near = difflib.get_close_matches(wanted, lines, n=1, cutoff=NEAR_RATIO) if wanted else []
    return (lines.index(near[0]) + 1, near[0]) if near else None


def _only(spans: list[Span]) -> tuple[Span, ...]:
    return tuple(spans) if len(spans) == 1 else ()


def _spans(text: str, pattern: str) -> list[Span]:
    return [found.span() for found in re.finditer(pattern, text)]


def _pattern(old: str, *, blanks: bool = True) -> str:
    """`old` as a regular expression in which a line end matches any; without `blanks` at the ends of lines."""
    *whole, last = [line.text for line in split_lines(old)]
    if blanks:
        return BREAK.join(re.escape(text) for text in (*whole, last))
    trimmed = [re.escape(text.rstrip(BLANKS)) + "[ \t]*+" for text in whole]
    tail = re.escape(last.rstrip(BLANKS))
    if last != last.rstrip(BLANKS):
        tail += r"[ \t]*+(?=[\r\n]|\Z)"
    return BREAK.join([*trimmed, tail])
