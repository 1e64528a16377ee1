"""One VP, many names."""

import pytest

from yeaft.kernel.nearness import distance, nearest
from yeaft.vp.names import Names
from yeaft.vp.persona import Vp

NAMES = Names(
    [
        Vp(id="skeptic", name="Skeptic", name_zh="质疑者", aliases=("doubter",)),
        Vp(id="code-reviewer", name="Code Reviewer", name_zh="审阅者", aliases=("code", "Élan")),
        Vp(id="doubter", name="Doubter"),
    ]
)


@pytest.mark.parametrize(
    ("label", "vp_id"),
    [
        ("Skeptic", "skeptic"),
        ("＠ＳＫＥＰＴＩＣ", "skeptic"),
        ("质疑者", "skeptic"),
        ("code reviewer", "code-reviewer"),
        ("e\u0301lan", "code-reviewer"),
        ("doubter", "doubter"),  # an id goes before an alias
        ("nobody", None),
        ("all", None),
        ("", None),
    ],
)
def test_a_vp_is_found_by_any_of_its_names(label, vp_id):
    assert NAMES.id_of(label) == vp_id


@pytest.mark.parametrize(
    ("slip", "vp_id"),
    [
        ("sceptic", "skeptic"),
        ("skpetic", "skeptic"),
        ("skep", "skeptic"),
        ("质凝者你好", "skeptic"),
        ("审阅着", "code-reviewer"),
        ("al", None),
        ("alll", None),
        ("banana", None),
        ("x" * 10_000, None),
        ("", None),
    ],
)
def test_a_slip_finds_the_one_that_was_meant(slip, vp_id):
    assert NAMES.nearest(slip) == vp_id


def test_swapped_letters_are_one_slip():
    assert (distance("ab", "ba"), distance("kitten", "sitting"), distance("", "abc")) == (1, 3, 3)


def test_the_nearest_wins_and_the_first_of_equals():
    assert nearest("tesser", ["teaser", "tester"]) == "teaser"
    assert nearest("tster", ["taster", "tester", "other"]) == "taster"
    assert nearest("ab", ["ac"]) is None
