"""What was pasted is told from what was typed, however the terminal cuts it up, and never becomes keys."""

from hypothesis import example, given
from hypothesis import strategies as st

from yeaft.interfaces.tui.marked_paste import MarkedPastes, Pasted
from yeaft.interfaces.tui.open_paste import BEGIN, END

TEXTS = st.text(alphabet="a\x1b[20~1\x15\r你").filter(lambda text: BEGIN not in text and END not in text)


@given(st.lists(st.tuples(st.text(alphabet="ab\r你"), TEXTS)), st.lists(st.integers(1, 9)))
@example([("a", "\x1b[31mred\x15\x03"), ("b", "\x1b")], [1])
def test_what_is_typed_and_what_is_pasted_come_apart_wherever_reads_end(
    parts: list[tuple[str, str]], sizes: list[int]
) -> None:
    stream = "".join(f"{typed}{BEGIN}{pasted}{END}" for typed, pasted in parts)
    pastes = MarkedPastes()

    found = list[str | Pasted]()
    for number in range(len(stream)):
        size = sizes[number % len(sizes)] if sizes else len(stream)
        if not stream:
            break
        found += pastes.pieces(stream[:size])
        stream = stream[size:]

    whole = "".join(f"{BEGIN}{one.text}{END}" if isinstance(one, Pasted) else one for one in found)
    assert whole == "".join(f"{typed}{BEGIN}{pasted}{END}" for typed, pasted in parts)


def test_a_mark_that_is_cut_off_is_typed_if_no_more_of_it_comes() -> None:
    pastes = MarkedPastes()

    assert list(pastes.pieces("a\x1b[20")) == ["a"]
    assert list(pastes.pieces("")) == ["\x1b[20"]
    assert list(pastes.pieces("\x1b")) == ["\x1b"]


def test_a_whole_paste_is_one_whatever_stands_in_it() -> None:
    pastes = MarkedPastes()

    assert list(pastes.pieces(f"a{BEGIN}x\x1b[31my\x15\x00\x03{END}b")) == ["a", Pasted("x\x1b[31my\x15\x03"), "b"]
