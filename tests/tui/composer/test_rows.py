"""The rows of a draft: nothing is lost, nothing is too wide, and a place on the screen is a place in the text."""

from hypothesis import example, given
from hypothesis import strategies as st

from yeaft.interfaces.tui.composer.editing import plain
from yeaft.interfaces.tui.composer.graphemes import boundary
from yeaft.interfaces.tui.composer.rows import Rows

ALPHABET = st.sampled_from(["a", " ", "\n", "\t", "你", "👨‍👩‍👧", "e\u0301", "\x07", "\u202e", "-", "🇨🇳"])
TEXTS = st.lists(ALPHABET, max_size=60).map("".join)


def label(token: str) -> str:
    return f"[{ord(token):x}]"


def shown(rows: Rows, text: str) -> list[str]:
    return [text[row.start : row.end] for row in rows.rows]


def test_lines_are_broken_behind_blanks():
    text = "the quick brown fox"

    assert shown(Rows(text, 11, label), text) == ["the quick ", "brown fox"]


def test_a_word_that_is_too_long_is_broken_between_graphemes():
    text = "你好世界你好"

    assert shown(Rows(text, 6, label), text) == ["你好", "世界", "你好"]


def test_a_token_is_never_broken():
    text = "ab \ud800 cd"

    assert shown(Rows(text, 8, label), text) == ["ab ", "\ud800 ", "cd"]


def test_tabs_reach_to_the_next_stop():
    rows = Rows("a\tb", 20, label)

    assert rows.place(2) == (0, 4)
    assert rows.drawn("\t", 1) == "   "


def test_what_would_steer_the_terminal_is_shown():
    rows = Rows("a\x1b[31m\u202eb", 40, label)

    assert rows.drawn("\x1b", 1) == "⟨001B⟩"
    assert "\u202e" not in "".join(rows.drawn(one, 0) for one in ("a\u202e", "\u202e"))


@given(TEXTS, st.integers(3, 30))
def test_rows_hold_every_character_once(text, width):
    rows = Rows(text, width, label)

    assert "".join(shown(rows, text)) == text.replace("\n", "")


@given(TEXTS, st.integers(12, 40))
@example(" \x07\x07", 12)
def test_no_row_is_wider_than_there_is_room(text, width):
    rows = Rows(text, width, label)

    for number, row in enumerate(rows.rows):
        column = 0
        for start, end in rows.graphemes(row):
            column += rows.columns(text[start:end], column)
        assert column < width, (number, text)


@given(TEXTS, st.integers(12, 40), st.data())
def test_the_caret_is_found_again_where_it_is_shown(text, width, data):
    text = plain(text)
    at = boundary(text, data.draw(st.integers(0, len(text))))
    rows = Rows(text, width, label)

    row, column = rows.place(at)
    found = rows.offset(row, column)

    assert rows.place(found) == (row, column)
