"""Lines with a style over some of their characters: what is selected, and what was searched for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style


class Span(NamedTuple):
    """A style over the characters from `start` to `end`."""

    start: int
    end: int
    style: Style


def painted(segments: Sequence[Segment], spans: Sequence[Span]) -> list[Segment]:
    """Return segments with the spans over them; together they have the same text."""
    for span in spans:
        segments = list(_over(segments, span))
    return list(segments)


def occurrences(text: str, word: str, style: Style) -> list[Span]:
    """Return a span for each place at which a text has `word`, in any case of letters."""
    folded = text.lower()
    if len(folded) != len(text):  # a letter that becomes two: no place could be told
        return []
    spans, at, needle = list[Span](), folded.find(word.lower()), len(word)
    while word and at >= 0:
        spans.append(Span(at, at + needle, style))
        at = folded.find(word.lower(), at + needle)
    return spans


def _over(segments: Iterable[Segment], span: Span) -> Iterator[Segment]:
    at = 0
    for text, style, _ in segments:
        first, last = max(span.start - at, 0), min(span.end - at, len(text))
        at += len(text)
        if first >= last:
            yield Segment(text, style)
            continue
        if first:
            yield Segment(text[:first], style)
        yield Segment(text[first:last], style + span.style if style else span.style)
        if last < len(text):
            yield Segment(text[last:], style)
