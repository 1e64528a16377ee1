"""Long plain text gets the marks of a paste, whatever pieces it comes in; keys stay keys."""

from hypothesis import given
from hypothesis import strategies as st

from yeaft.interfaces.tui.open_paste import BEGIN, END
from yeaft.interfaces.tui.unmarked_paste import LEAST_CHARS, UnmarkedPaste

LONG = "a line of it\r" * 40
plain = st.text(st.characters(min_codepoint=32, exclude_characters="\x7f"), min_size=1)


@given(st.lists(plain))
def test_a_long_text_is_one_paste_however_many_pieces_follow(more: list[str]) -> None:
    paste = UnmarkedPaste()

    assert [paste.without(piece, is_marked=False) for piece in (LONG, *more)] == [""] * (1 + len(more))
    assert (paste.released(), paste.released()) == (BEGIN + LONG + "".join(more) + END, "")


@given(st.text(max_size=LEAST_CHARS - 1))
def test_what_is_short_is_left_as_it_is(text: str) -> None:
    paste = UnmarkedPaste()

    assert paste.without(text, is_marked=False) == text
    assert paste.released() == ""


def test_a_key_comes_after_what_was_pasted_before_it() -> None:
    paste = UnmarkedPaste()
    paste.without(LONG, is_marked=False)

    assert paste.without("\x1b[A", is_marked=False) == f"{BEGIN}{LONG}{END}\x1b[A"


def test_enter_after_one_long_line_is_a_key() -> None:
    paste = UnmarkedPaste()
    paste.without("x" * LEAST_CHARS, is_marked=False)
    paste.without("\r", is_marked=False)

    assert paste.released() == BEGIN + "x" * LEAST_CHARS + END + "\r"


def test_what_has_marks_is_let_through() -> None:
    paste = UnmarkedPaste()

    assert paste.without(BEGIN + LONG, is_marked=True) + paste.without(LONG, is_marked=True) == BEGIN + LONG + LONG
    assert paste.released() == ""
