"""Filling templates: every value goes in once and as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.prompts.fill import fill, places


@given(st.text())
def test_a_value_survives_whatever_it_contains(value):
    assert fill("<{{a}}|{{a}}>", {"a": value}) == f"<{value}|{value}>"


def test_places_inside_a_value_are_not_filled():
    assert fill("{{user}} and {{tool}}", {"user": "{{tool}} $HOME \\1 {tool}", "tool": "Bash"}) == (
        "{{tool}} $HOME \\1 {tool} and Bash"
    )


def test_a_missing_value_is_a_bug_and_says_which():
    with pytest.raises(KeyError, match="tool"):
        fill("{{tool}}", {"other": "x"})


def test_places_are_known_before_filling():
    assert places("{{a}} {b} {{ c }} {{a_b}}") == {"a", "a_b"}
