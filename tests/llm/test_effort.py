"""What a wish for more or less thinking becomes for a given model."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yeaft.config.settings import EFFORTS
from yeaft.llm.effort import clamp, version_of


@pytest.mark.parametrize(
    ("requested", "supported", "sent"),
    [
        ("high", ("low", "medium", "high"), "high"),
        ("ultra", ("low", "medium", "high", "xhigh", "max"), "max"),
        ("max", ("low", "medium", "high"), "high"),
        ("none", ("low", "medium"), "low"),
        ("minimal", ("none", "low"), "none"),
        ("high", (), ""),
        ("", ("low",), ""),
        ("hard", ("low",), ""),
    ],
)
def test_a_level_the_model_lacks_becomes_the_nearest_it_has(requested: str, supported: tuple, sent: str) -> None:
    assert clamp(requested, supported) == sent


@given(st.sampled_from(EFFORTS), st.sets(st.sampled_from(EFFORTS)))
@settings(max_examples=200)
def test_what_is_sent_is_always_a_word_the_model_knows(requested: str, supported: set[str]) -> None:
    sent = clamp(requested, tuple(supported))

    assert sent in supported or (sent == "" and not supported)
    assert requested not in supported or sent == requested


def test_versions_compare_as_numbers() -> None:
    assert version_of("gpt-5.10") > version_of("gpt-5.9") > version_of("gpt-5.5-mini") > version_of("gpt-5")
    assert version_of("claude-opus-4-20250514") == (4,)
    assert version_of("claude-3-7-sonnet-20250219") == (3, 7)
    assert version_of("gpt-5-2025-08-07") == (5,)
    assert version_of("qwen3-32b") == (3,)
    assert version_of("smollm") == ()
