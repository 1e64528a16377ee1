"""Text is broken into lines that fit, and nothing of it is lost."""

from hypothesis import given
from hypothesis import strategies as st

from tests.tui.transcript.transcript_given import call, view
from yeaft.interfaces.tui.transcript.line import Part
from yeaft.interfaces.tui.transcript.tool_lines import MOST_LINES, tool_lines
from yeaft.interfaces.tui.transcript.wrapping import wrapped

COLUMNS = st.integers(min_value=2, max_value=40)
WORDS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=300)


@given(WORDS, COLUMNS)
def test_a_word_that_is_longer_than_a_line_fills_one_line_after_the_other(word: str, columns: int) -> None:
    lines = [line.text for line in wrapped([Part(word)], columns)]

    assert lines == [word[start : start + columns] for start in range(0, len(word), columns)]


@given(st.lists(WORDS, min_size=1, max_size=8), COLUMNS)
def test_words_come_back_as_they_were_written(words: list[str], columns: int) -> None:
    text = " ".join(words)

    lines = wrapped([Part(text)], columns)

    assert all(line.width <= columns for line in lines)
    assert "".join(line.source() + line.joint for line in lines).removesuffix("\n") == text


@given(WORDS, st.integers(1, 60), COLUMNS)
def test_blanks_at_the_end_never_stick_out(word: str, blanks: int, columns: int) -> None:
    lines = wrapped([Part(word + " " * blanks)], columns)

    assert all(line.width <= columns for line in lines)
    assert "".join(line.text for line in lines).rstrip() == word


def test_a_long_result_is_drawn_up_to_a_limit_and_says_how_much_is_left() -> None:
    text = "".join(f"{number}\n" for number in range(1, 1001))

    shown = [line.text.strip() for line in tool_lines(call(1, text=text), view(), is_open=True)]

    assert f"│ {MOST_LINES}" in shown
    assert f"│ {MOST_LINES + 1}" not in shown
    assert "800 more lines" in shown[MOST_LINES + 1]
