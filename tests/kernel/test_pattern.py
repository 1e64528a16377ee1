"""A pattern that is compiled late finds what one finds that was compiled at once."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.kernel.pattern import Pattern

SOURCES = [r"a+", r"(a)|(b)", r"^b", r"\s", r"a?", r"(?i:B)c"]


def spans(found: object) -> object:
    return found.span() if isinstance(found, re.Match) else found


@given(st.sampled_from(SOURCES), st.text("abBc \n"), st.integers(0, 9), st.integers(0, 9))
def test_it_finds_the_same(source: str, text: str, start: int, end: int) -> None:
    late, early = Pattern(source, re.MULTILINE), re.compile(source, re.MULTILINE)

    assert late.pattern == early.pattern
    assert spans(late.match(text, start)) == spans(early.match(text, start))
    assert spans(late.search(text, start)) == spans(early.search(text, start))
    assert spans(late.fullmatch(text)) == spans(early.fullmatch(text))
    assert [*map(spans, late.finditer(text))] == [*map(spans, early.finditer(text))]
    assert [*map(spans, late.finditer(text, start, end))] == [*map(spans, early.finditer(text, start, end))]
    assert late.findall(text) == early.findall(text)
    assert late.split(text, end) == early.split(text, end)
    assert late.sub("-", text, end) == early.sub("-", text, end)
    assert late.sub(lambda found: found[0] * 2, text) == early.sub(lambda found: found[0] * 2, text)


def test_bytes_are_as_good_as_text() -> None:
    assert Pattern(rb"a.b", re.DOTALL).sub(b"-", b"xa\nbx") == b"x-x"


def test_what_is_no_pattern_is_told_at_its_first_use() -> None:
    with pytest.raises(re.error):
        Pattern("(").search("x")
