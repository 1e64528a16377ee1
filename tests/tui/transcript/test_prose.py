"""A paragraph that is laid out bit by bit looks, at each moment, as one that is laid out at once."""

from itertools import zip_longest

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from yeaft.interfaces.tui.look import Look
from yeaft.interfaces.tui.transcript.line import Line
from yeaft.interfaces.tui.transcript.markdown.blocks import markdown_lines
from yeaft.interfaces.tui.transcript.markdown.prose import STEP_CHARS, Prose
from yeaft.interfaces.tui.transcript.palette import palette_of

COLOURED = palette_of(Look())
PLAIN = palette_of(Look(colours="none"))
BITS = (
    "word ", "word ", "word ", "another one ", " ", "  ", "word", "\n", "**", "*", "_", "__", "`", "``", "~~", "~", "[", "](http://e.x/y) ", "]",
    "[x](http://e.x/y 'a b') ", "![i](j) ", "![", "<", "<http://a.b/c> ", "<b>", "http://a.b/c ", "see https://a.b/c, ", "&amp; ", "&", "\\", "\\*",
    "snake_case_name ", "2 * 3 ", "你好，世界", "（你好）", "مرحبا ", "👨‍👩‍👧", "e\u0301 ", " \u0301", "\u202e", "\x1b[31m", "\t", "- ", "1. ", "# ", "| a ", "---\n", "  \n",
    "x" * 90, "字" * 50, "（字", "字，", "かな", "字http://a.b/", "**bold** ", "*so* ", "`code` ", "~~no~~ ", "a" * STEP_CHARS + " ",
)  # fmt: skip
texts = st.lists(st.sampled_from(BITS), min_size=20, max_size=200)


@given(texts, st.integers(8, 100), st.booleans(), st.integers(1, 12))
@settings(deadline=None, max_examples=40)
@example(["word "] * 100 + ["**"] + ["word "] * 100 + ["** x"], 40, False, 1)
@example(["word "] * 100 + ["["] + ["word "] * 100 + ["](http://e.x/y) "], 40, False, 1)
@example(["word "] * 100 + ["\n---\n"], 40, False, 1)
@example(["**bold** ", "字" * 30] * 40, 40, False, 1)
@example(["word "] * 200, 9, False, 1)
@example(["字", "，", "字字"] * 200, 9, False, 1)
@example(["字字http://a.b/", "字字"] * 90, 40, False, 1)
@example(["word "] * 60 + ["**word ", "x" * 90, "word " * 4, "word", "**bold** "], 8, False, 1)
@example(["word "] * 15 + ["![`](http://e.x/y) ", "a" * STEP_CHARS + " ", "`"], 8, False, 1)
@example(["http://a.b/c "] * 60, 30, True, 1)
def test_a_paragraph_that_grows_looks_as_if_it_was_all_there(
    bits: list[str], columns: int, is_plain: bool, step: int
) -> None:
    palette, text = PLAIN if is_plain else COLOURED, ""
    prose = Prose(columns, palette)

    for start in range(0, len(bits), step):
        text += "".join(bits[start : start + step])
        lines = prose.lines(text)

        assert lines is None or lines == markdown_lines(text, columns, palette)


@pytest.mark.parametrize("start", ["h", "ht", "htt", "http", "https"])
def test_an_address_that_has_only_begun_is_a_link_once_it_is_there_and_nothing_else_is(start: str) -> None:
    prose, begun = Prose(40, COLOURED), "word " * 60 + start
    prose.lines(begun)
    text = "word " * 60 + "https://a.b/c is"

    lines = prose.lines(text)

    assert lines == markdown_lines(text, 40, COLOURED)


def test_of_a_long_paragraph_only_the_end_is_made_anew() -> None:
    prose, made = Prose(60, PLAIN), list[Line]()
    text = "It **was** a `quiet` evening, and the parser of snake_case_names kept on reading.\n" * 30

    for end in range(40, len(text), 40):
        before, made = made, prose.lines(text[:end]) or []

        assert sum(old is not new for old, new in zip_longest(before, made)) < 2 * STEP_CHARS // 20
