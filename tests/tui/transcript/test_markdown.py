"""Markdown is drawn the same however it arrives, and nothing in it reaches the terminal as anything but text."""

import re
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from yeaft.interfaces.tui.look import Look
from yeaft.interfaces.tui.transcript.line import Line
from yeaft.interfaces.tui.transcript.markdown.growing import Growing, grown
from yeaft.interfaces.tui.transcript.markdown.pieces import MOST_CHARS, MOST_LINES, Pieces
from yeaft.interfaces.tui.transcript.palette import palette_of

COLOURED = palette_of(Look())
PLAIN = palette_of(Look(colours="none"))
BITS = (
    "# ", "- ", "* ", "1. ", "12) ", "> ", "```", "```py\n", "~~~\n", "\n", "\n\n", "    ", "  ", "|", "| a | b |\n", "|---|---|\n",
    "---\n", "===\n", "**", "_", "`", "[x](http://e.x/y)", "![i](j)", "<b>", "word ", "word", "你好，世界", "👨‍👩‍👧", "\t", "#", "-", "\\",
    "[a]: /b\n", "&amp;", "\x1b[31m", "\u202e", "[red]", "~~",
)  # fmt: skip
texts = st.lists(st.sampled_from(BITS), max_size=60).map("".join)
long_texts = st.lists(
    st.one_of(
        texts,
        st.sampled_from(
            ["x" * 1300 + "\n", "y " * 1500, "- item\n" * 50, "line\n" * 70, "```\n" + "code\n" * 90, "\n" * 45]
        ),
    ),
    max_size=6,
).map("".join)


def in_chunks(text: str, cuts: list[int]) -> list[str]:
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[start:end] for start, end in pairwise(places)]


@given(long_texts, st.lists(st.integers(0, 10_000), max_size=30))
@settings(deadline=None)
@example("a\n#b", [3])
@example("a\n- ", [3])
@example("a\n\n    b\n", [2])
def test_where_markdown_is_cut_hangs_on_the_text_alone(text: str, cuts: list[int]) -> None:
    at_once, bit_by_bit = Pieces(), Pieces()
    whole = at_once.feed(text)

    pieces = [piece for chunk in in_chunks(text, cuts) for piece in bit_by_bit.feed(chunk)]

    assert (pieces, bit_by_bit.rest) == (whole, at_once.rest)


@given(long_texts, st.lists(st.integers(0, 10_000), max_size=12), st.integers(10, 100))
@settings(deadline=None, max_examples=50)
def test_words_that_grow_end_as_words_that_are_drawn_at_once(text: str, cuts: list[int], columns: int) -> None:
    growing, so_far = Growing(columns, PLAIN), ""

    for chunk in in_chunks(text, cuts):
        so_far += chunk
        settled = growing.lines[: growing.settled]
        assert growing.grow(so_far)
        assert growing.lines[: len(settled)] == settled

    assert growing.lines == grown(text, columns, PLAIN).lines


@pytest.mark.parametrize(
    "text",
    ["line\n" * 6_000, "word " * 20_000, "x" * 100_000, "- item\n" * 3_000, "> said\n" * 3_000, "a" + "\n" * 60_000],
    ids=["paragraph", "long line", "long word", "list", "quote", "nothing"],
)
def test_however_long_a_text_has_grown_only_its_end_is_read_and_drawn_again(text: str) -> None:
    growing, pieces = Growing(80, PLAIN), Pieces()

    for end in range(0, len(text), len(text) // 100):
        before = growing.settled
        assert growing.grow(text[:end])
        pieces.feed(text[max(end - len(text) // 100, 0) : end])

        assert len(growing.lines) - growing.settled <= 2 * MOST_LINES + 2
        assert growing.settled >= before
        assert len(pieces.rest.text if pieces.rest else "") <= 2 * MOST_CHARS


@given(long_texts)
@settings(deadline=None, max_examples=50)
def test_no_piece_is_so_long_that_drawing_it_would_be_felt(text: str) -> None:
    pieces = Pieces()

    for piece in pieces.feed(text):
        assert len(piece.text) <= 2 * MOST_CHARS + 50
        assert piece.text.count("\n") <= 5 * MOST_LINES + 2


@given(st.text(max_size=200) | texts, st.integers(8, 60))
@settings(deadline=None)
def test_every_line_fits_and_holds_nothing_that_steers_a_terminal(text: str, columns: int) -> None:
    for line in grown(text, columns, COLOURED).lines:
        assert cell_len(line.text) <= max(columns, 8) + 8  # what is nested deeper than there is room sticks out
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", line.text)


@given(st.text(alphabet="abc [red](x) *_`你 \n", max_size=80))
def test_in_a_block_of_code_every_character_is_itself(text: str) -> None:
    code = text.replace("`", "'").strip("\n") or "x"

    lines = grown(f"```\n{code}\n```", 500, COLOURED).lines

    assert source_of(lines) == code


def source_of(lines: list[Line]) -> str:
    return "".join(line.source() + line.joint for line in lines)[:-1]


def test_what_is_wrapped_is_copied_as_it_was_written() -> None:
    text = "A rather long line of words that has to be wrapped at 20 columns.\n\n你好世界你好世界你好世界，你好世界"

    assert source_of(grown(text, 20, PLAIN).lines) == text


def test_a_list_is_copied_as_a_list() -> None:
    text = "- milk\n- eggs\n  - brown\n\n3. three\n4. four"

    assert source_of(grown(text, 40, PLAIN).lines) == text


def test_a_table_keeps_its_columns_under_each_other_in_any_script() -> None:
    lines = grown("| a | 名字 |\n|---|---:|\n| 你好 | x |\n| b | 中文字 |", 40, PLAIN).lines

    assert [line.text for line in lines] == ["a    │   名字", "─────┼───────", "你好 │      x", "b    │ 中文字"]


def test_a_table_that_cannot_fit_becomes_a_list_of_its_cells() -> None:
    lines = grown("| one | two | three | four |\n|---|---|---|---|\n| aaaa | bbbb | cccc | dddd |", 16, PLAIN).lines

    assert [line.text for line in lines] == ["one: aaaa", "two: bbbb", "three: cccc", "four: dddd"]


def test_a_table_becomes_a_list_of_its_cells_before_it_breaks_a_word() -> None:
    table = "| name | what | where |\n|---|---|---|\n| retry | calls something | src/network/retry.py |"

    assert [line.text for line in grown(table, 36, PLAIN).lines] == [
        "name: retry",
        "what: calls something",
        "where: src/network/retry.py",
    ]
    assert [line.text.rstrip() for line in grown(table, 40, PLAIN).lines] == [
        "name  │ what      │ where",
        "──────┼───────────┼─────────────────────",
        "retry │ calls     │ src/network/retry.py",
        "      │ something │",
    ]


@given(
    st.lists(st.lists(st.text("ab 中", max_size=25), min_size=3, max_size=3), min_size=1, max_size=3),
    st.integers(10, 80),
)
@settings(deadline=None)
def test_a_table_is_never_wider_than_the_screen_nor_breaks_a_short_word(rows: list[list[str]], columns: int) -> None:
    lines = grown(
        "\n".join(f"| {' | '.join(row)} |" for row in (["a", "b", "c"], ["---"] * 3, *rows)), columns, PLAIN
    ).lines

    assert all(cell_len(line.text) <= columns for line in lines)
    if any("┼" in line.text for line in lines):
        shown = {word for line in lines for word in line.text.replace("│", " ").split()}
        assert {word for row in rows for cell in row for word in cell.split() if "中" not in word} <= shown


def test_a_fence_of_many_lines_is_drawn_whole_though_it_is_cut() -> None:
    code = "\n".join(f"line {number}" for number in range(500))

    lines = grown(f"before\n\n```py\n{code}\n```\nafter", 60, COLOURED).lines

    assert source_of(lines) == f"before\n\n{code}\n\nafter"


def test_an_address_of_a_link_is_told_unless_the_text_says_it() -> None:
    lines = grown("[here](http://a.b/c) [http://a.b](http://a.b)", 80, PLAIN).lines

    assert lines[0].text == "here (http://a.b/c) http://a.b"
