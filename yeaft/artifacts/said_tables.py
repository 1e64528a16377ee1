"""Whether what somebody has said as a table is one: almost any line of words reads as the heading of a CSV file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from yeaft.artifacts.checking import checked
from yeaft.kernel.errors import BadData

if TYPE_CHECKING:
    from yeaft.artifacts.artifact import Draft

_OTHER_FORM = re.compile(r"[\t;|]|^\s*(?:```|~~~)")
_END_OF_SENTENCE = re.compile(r"[.!?:…]['\"”)*_]*\s*$")
_END_IN_CJK = re.compile(r"[。！？：][”」』）]*\s*$")
LEAST_WORDS_ALONE, LEAST_WORDS = 2, 4
"""So many words with a full stop behind them are a sentence: in a heading without rows, and in one that has some."""
MOST_WORDS = 6
"""More words are no name of a column where nothing else tells of a table."""


def check_said_table(draft: Draft) -> None:
    """Check that a text is meant as a table, not as an answer in words. Raises `BadData`, also for what is no CSV.

    A heading alone is a table without rows if it names two columns at least, none of which reads as a sentence. Of a
    file, which somebody has written as such, none of this is asked.
    """
    found = checked(draft)
    try:
        _check([column.name for column in found.columns], has_rows=bool(found.rows))
    except BadData as error:
        raise BadData(f"{found.name} cannot be kept as {found.type}: {error}") from error


def _check(names: Sequence[str], *, has_rows: bool) -> None:
    if len(names) == 1 and _OTHER_FORM.search(names[0]):
        raise BadData("The cells of a table are parted by commas, and there is no Markdown around them.")
    if len(names) == 1 and not has_rows:
        raise BadData(
            "One line of one cell is no table. Give a line with the names of the columns and a line for each row; "
            "where there are no rows, name two columns at least."
        )
    if (len(names) == 1 or not has_rows) and any(_is_sentence(name, has_rows=has_rows) for name in names):
        raise BadData("The first line of a table has the names of its columns; this one reads as a sentence.")


def _is_sentence(name: str, *, has_rows: bool) -> bool:
    words = len(name.split())
    if _END_IN_CJK.search(name):
        return True
    least = LEAST_WORDS if has_rows else LEAST_WORDS_ALONE
    return (words >= least and _END_OF_SENTENCE.search(name) is not None) or (words > MOST_WORDS and not has_rows)
