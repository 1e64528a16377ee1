"""What is said as a table is one, or is refused with a reason: words that answer nothing are no heading."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.artifacts.test_tables_and_names import tables
from yeaft.artifacts.artifact import Draft
from yeaft.artifacts.said_tables import check_said_table
from yeaft.artifacts.tables import Table, write_table
from yeaft.events.artifact import Provenance
from yeaft.kernel.errors import BadData

WORD = st.from_regex(r"[A-Za-z\u4e00-\u9fff0-9']{1,9}", fullmatch=True)
LINE = st.lists(WORD, min_size=1, max_size=20).map(" ".join)
MARK = st.sampled_from([".", "!", "?", ":", "…", "。", "！"])
NAMES = st.lists(st.lists(WORD, min_size=1, max_size=4).map(" ".join), min_size=2, max_size=6, unique=True)


def said(text: str) -> None:
    provenance = Provenance(created_by="vp:omni")
    check_said_table(Draft(name="prices", content=text.encode(), type="table", provenance=provenance))


@given(LINE, MARK, st.sampled_from(["", "\n", "\n\n"]))
def test_a_line_of_words_is_no_table(line: str, mark: str, end: str) -> None:
    for text in (line, line + mark):
        with pytest.raises(BadData, match="cannot be kept as table"):
            said(text + end)


@given(st.lists(LINE, min_size=1, max_size=3), LINE, WORD, MARK)
def test_a_sentence_with_commas_is_no_table(parts: list[str], last: str, word: str, mark: str) -> None:
    with pytest.raises(BadData, match="cannot be kept as table"):
        said(f"{', '.join(parts)}, {last} {word}{mark}")


@given(NAMES)
def test_names_alone_are_a_table_without_rows(names: list[str]) -> None:
    said(",".join(names))
    said(", ".join(names) + "\n")


@given(tables().filter(lambda table: len(table.columns) > 1 and table.rows))
def test_names_with_rows_below_are_a_table_whatever_they_are(table: Table) -> None:
    said(write_table(table))


@given(st.text())
def test_any_text_is_a_table_or_is_refused_with_a_reason(text: str) -> None:
    with suppress(BadData):
        said(text.encode("utf-8", "replace").decode())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("| item | price |\n|---|---|\n| milk | 2 |\n", "parted by commas"),
        ("item\tprice\nmilk\t2\n", "parted by commas"),
        ("```csv\n", "parted by commas"),
        ("Here is what I have found:\nNothing at all.\n", "reads as a sentence"),
        ("抱歉，没有找到任何价格。\n请再试。\n", "reads as a sentence"),
        ("I looked at all of the files of the project, and there is nothing", "reads as a sentence"),
        ("", "A table needs a first line"),
        ('"item', "is no CSV"),
    ],
)
def test_what_is_no_table_is_told_as_what_it_is(text: str, why: str) -> None:
    with pytest.raises(BadData, match=why):
        said(text)


@pytest.mark.parametrize("text", ["item\nmilk\n", "No.,Name\n", "Is it paid?\nyes\nno\n", "价格,名称"])
def test_short_tables_are_tables(text: str) -> None:
    said(text)
