"""What a terminal answers is no input: it is found in whatever pieces it comes, and all else is left as it was."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from yeaft.interfaces.tui.replies import Replies, is_dark_colour

REPLY = "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\"
PIECES = st.lists(st.sampled_from(["a", "é", "\x1b[A", "\x1b[<0;3;4M", "\x1bb", "11;", "rgb:", "\r", "你"]), max_size=8)


@given(
    before=PIECES, after=PIECES, cuts=st.lists(st.integers(0, 60), max_size=6), ends=st.sampled_from(["\x1b\\", "\a"])
)
def test_an_answer_is_taken_out_of_what_is_typed_however_it_is_cut(
    before: list[str], after: list[str], cuts: list[int], ends: str
) -> None:
    heard = list[bool]()
    replies = Replies(heard.append)
    typed = "".join(before), "".join(after)
    whole = typed[0] + REPLY.removesuffix("\x1b\\") + ends + typed[1]
    places = sorted({0, len(whole), *(min(cut, len(whole)) for cut in cuts)})

    got = [replies.without(whole[start:end]) for start, end in pairwise(places)]

    assert "".join(got) + replies.released() == typed[0] + typed[1]
    assert heard == [True]


def test_alt_with_a_bracket_is_typed_and_comes_when_nothing_follows() -> None:
    replies = Replies(lambda _: None)

    assert replies.without("\x1b]") == ""
    assert replies.released() == "\x1b]"


def test_colours_are_told_apart_by_how_bright_they_look() -> None:
    assert is_dark_colour("rgb:0000/0000/0000") is True
    assert is_dark_colour("rgb:ff/ff/ff") is False
    assert is_dark_colour("rgba:0/0/f/f") is True
    assert is_dark_colour("rgb:fd/f6/e3") is False
    assert is_dark_colour("?") is None
