"""What a hit of a search shows of an answer: its words, without the signs of Markdown."""

from hypothesis import given
from hypothesis import strategies as st

from yeaft.interfaces.tui.panels.plain_snippet import LEFT_OUT, plain

WRITTEN = st.text(alphabet=st.sampled_from("ab *|-#\n_:"), max_size=60)


def shown(snippet: str) -> list[str]:
    return [" ".join(line.replace(LEFT_OUT, "").split()) for line in plain(snippet).splitlines()]


def test_tables_headings_fences_and_bold_print_are_told_in_their_words() -> None:
    snippet = (
        "## What\nIt is **never** *ever* `None`:\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n```python\nx = y ** 2 | 1\n```\n"
    )

    assert shown(snippet) == ["What", "It is never ever None:", "", "a · b", "", "1 · 2", "", "x = y ** 2 | 1", ""]


def test_names_with_stars_bars_and_lines_that_are_no_markdown_stay() -> None:
    assert shown("f(*args, **kwargs) # no heading\nls | wc -l") == ["f(*args, **kwargs) # no heading", "ls | wc -l"]


@given(WRITTEN)
def test_every_letter_stays_where_it_was(snippet: str) -> None:
    told = plain(snippet)

    assert len(told) == len(snippet)
    assert all(now in (was, LEFT_OUT) or (was, now) == ("|", "·") for was, now in zip(snippet, told, strict=True))
    assert [one for one in told if one.isalpha()] == [one for one in snippet if one.isalpha()]
