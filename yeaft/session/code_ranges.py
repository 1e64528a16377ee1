"""Finds where code stands in Markdown: fenced blocks and code spans."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from yeaft.kernel.pattern import Pattern

_FENCE = Pattern(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})(.*)$", re.MULTILINE)
_TICKS = Pattern(r"`+")
_PARAGRAPH = Pattern(r"\n[ \t]*\n")

Range = tuple[int, int]


class CodeRanges:
    """The parts of `text` that are code. A fence that never closes reaches to the end; a lone backtick is none."""

    def __init__(self, text: str) -> None:
        fences = list(_fences(text))
        self._ranges = sorted([*fences, *_spans(text, fences)])
        self._starts = [start for start, _ in self._ranges]

    def hold(self, at: int) -> bool:
        """Whether the character at index `at` is within code."""
        number = bisect_right(self._starts, at) - 1
        return number >= 0 and at < self._ranges[number][1]


def _fences(text: str) -> Iterator[Range]:
    opened: tuple[int, str] | None = None
    for line in _FENCE.finditer(text):
        marks, rest = line[1], line[2]
        if opened is None:
            if marks[0] == "~" or "`" not in rest:
                opened = line.start(), marks
        elif marks.startswith(opened[1]) and not rest.strip():
            yield opened[0], line.end()
            opened = None
    if opened is not None:
        yield opened[0], len(text)


def _spans(text: str, fences: Sequence[Range]) -> Iterator[Range]:
    """Find code spans between the fences: a run of backticks up to the next run of the same length in a paragraph."""
    start = 0
    for first, last in (*fences, (len(text), len(text))):
        for paragraph in _paragraphs(text, start, first):
            yield from _spans_within(text, paragraph)
        start = last


def _paragraphs(text: str, start: int, end: int) -> Iterator[Range]:
    for gap in _PARAGRAPH.finditer(text, start, end):
        yield start, gap.start()
        start = gap.end()
    yield start, end


def _spans_within(text: str, paragraph: Range) -> Iterator[Range]:
    runs = [found.span() for found in _TICKS.finditer(text, *paragraph)]
    places: dict[int, list[int]] = {}
    for number, (start, end) in enumerate(runs):
        places.setdefault(end - start, []).append(number)
    number = 0
    while number < len(runs):
        start, end = runs[number]
        same = places[end - start]
        after = bisect_right(same, number)
        if after == len(same):
            number += 1
            continue
        yield start, runs[same[after]][1]
        number = same[after] + 1
