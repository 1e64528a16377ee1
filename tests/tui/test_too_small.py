"""Where there is no room, a sentence is broken where one would draw breath, in both languages."""

import pytest

from yeaft.interfaces.tui.too_small import clauses
from yeaft.prompts.ui import Ui


def rows(lang: str, columns: int) -> list[str]:
    text = Ui(lang).text("screen.too_small", columns=20, rows=6)
    return ["".join(part.text for part in line.parts) for line in clauses(text, columns)]


@pytest.mark.parametrize(
    ("lang", "columns", "wanted"),
    [
        ("zh", 18, ["yeaft 需要 20 列、", "6 行。请放大终端。"]),
        ("zh", 14, ["yeaft 需要", "20 列、6 行。", "请放大终端。"]),
        ("zh", 12, ["yeaft 需要", "20 列、", "6 行。", "请放大终端。"]),
        ("en", 18, ["yeaft needs", "20 columns and", "6 rows. Make the", "terminal larger."]),
    ],
)
def test_a_sentence_without_room_is_broken_after_words_and_clauses(lang: str, columns: int, wanted: list[str]) -> None:
    assert rows(lang, columns) == wanted
