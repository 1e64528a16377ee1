"""Pastes whose end is lost end all the same, and no other paste is touched."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from yeaft.interfaces.tui.open_paste import BEGIN, END, PATIENCE, OpenPaste


def in_pieces(text: str, cuts: list[int]) -> list[str]:
    places = [0, *sorted({cut % (len(text) + 1) for cut in cuts}), len(text)]
    return [text[begin:end] for begin, end in pairwise(places) if begin < end]


@given(st.text(), st.lists(st.integers(min_value=0)))
def test_what_is_pasted_whole_is_never_ended_however_it_arrives(text: str, cuts: list[int]) -> None:
    paste = OpenPaste()
    pieces = in_pieces(BEGIN + text.replace("\x1b", "").replace("\x03", "") + END, [*cuts, 3])

    assert not any(paste.before(piece) for piece in pieces)
    assert [paste.overdue() for _ in range(2 * PATIENCE)] == [""] * (2 * PATIENCE)


@given(st.text(), st.lists(st.integers(min_value=0)))
def test_a_paste_without_an_end_is_ended_once_after_a_silence(text: str, cuts: list[int]) -> None:
    paste = OpenPaste()
    for piece in in_pieces(f"before{BEGIN}{text.replace(chr(27), '').replace(chr(3), '')}", cuts):
        paste.before(piece)

    ends = [paste.overdue() for _ in range(2 * PATIENCE)]

    assert ends == [*[""] * (PATIENCE - 1), END, *[""] * PATIENCE]


def test_each_piece_that_comes_begins_the_silence_anew() -> None:
    paste = OpenPaste()
    paste.before(BEGIN)

    for _ in range(3):
        assert [paste.overdue() for _ in range(PATIENCE - 1)] == [""] * (PATIENCE - 1)
        paste.before("more")

    assert paste.before(END) == ""
    assert [paste.overdue() for _ in range(PATIENCE)] == [""] * PATIENCE


def test_ctrl_c_alone_ends_a_paste_that_is_open_and_is_a_key_then() -> None:
    paste = OpenPaste()
    assert paste.before("\x03") == ""
    paste.before(BEGIN + "text")

    assert (paste.before("\x03"), paste.before("\x03")) == (END, "")
