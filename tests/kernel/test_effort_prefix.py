"""What counts as the effort at the beginning of a message, and what is left of the message without it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.kernel.effort_prefix import LEVELS, effort_in, end_of_effort, without_effort


@pytest.mark.parametrize(
    ("text", "effort", "rest"),
    [
        ("/high explain this", "high", "explain this"),
        ("  /XHIGH\n\nexplain", "xhigh", "  explain"),
        ("@omni /max count", "max", "@omni count"),
        ("/max @omni count", "max", "@omni count"),
        ("@omni, @skeptic: /low hi", "low", "@omni, @skeptic: hi"),
        ("＠质疑者，/medium 你好", "medium", "＠质疑者，你好"),
        ("/ultra", "ultra", ""),
        ("/low /review it", "low", "/review it"),
        ("/high /low hi", "high", "/low hi"),
        ("/highest hi", "", "/highest hi"),
        ("/high/way to go", "", "/high/way to go"),
        ("/high,hi", "", "/high,hi"),
        ("say /high hi", "", "say /high hi"),
        ("a@b /high hi", "", "a@b /high hi"),
        ("//high hi", "", "//high hi"),
        ("/none hi", "", "/none hi"),
        ("", "", ""),
    ],
)
def test_an_effort_stands_at_the_beginning_or_behind_those_it_is_for(text: str, effort: str, rest: str) -> None:
    assert (effort_in(text), without_effort(text)) == (effort, rest)


@given(st.sampled_from(LEVELS), st.text().filter(lambda text: not effort_in(text)))
def test_any_message_is_left_as_it_was_by_the_effort_before_it(level: str, text: str) -> None:
    whole = f"/{level} {text}"

    assert effort_in(whole) == level
    assert without_effort(whole) == text.lstrip()
    assert without_effort(text) == text
    assert whole[end_of_effort(whole) :] == text.lstrip()
