"""Estimates come close to a real tokenizer's count in the languages people write."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yeaft.llm.tokens import (
    calibrated,
    estimate,
    estimate_image,
    exact,
    exact_factor,
    factor_from,
    factor_of,
    with_report,
)

SAMPLES = {
    "english": "The quick brown fox jumps over the lazy dog, and then it goes home to sleep for a while. ",
    "chinese": "你先找出结论成立所依赖的前提。然后设计一个便宜的验证办法。再决定要不要继续。",
    "japanese": "これは日本語のテキストです。カタカナとひらがなを含みます。",
    "korean": "안녕하세요 반갑습니다. 이것은 한국어 문장입니다. ",
    "russian": "Съешь же ещё этих мягких французских булок, да выпей чаю. ",
    "french": "Voilà une phrase française où l'été est déjà là, à côté de nous. ",
    "thai": "สวัสดีครับ ยินดีที่ได้รู้จัก ",
    "emoji": "👍🎉😀 ",
    "python": "def line_of(text: str) -> int:\n    return next(number for number in range(10) if number)\n",
    "mixed": "请把 src/app.py 里的 handler 改成 async、并且加上 timeout=30。",
}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_estimate_is_within_a_third_of_a_real_count(name: str) -> None:
    text = SAMPLES[name] * 10

    assert exact(text) * 0.67 <= estimate(text) <= exact(text) * 1.34


@given(st.text(), st.text())
@settings(max_examples=300)
def test_estimates_add_up_and_never_fail(first: str, second: str) -> None:
    together = estimate(first + second)

    assert max(estimate(first), estimate(second)) <= together <= estimate(first) + estimate(second)
    assert (estimate(first) == 0) == (first == "")


def test_a_lone_surrogate_is_counted_like_any_character() -> None:
    assert estimate("a\ud800b") == 2


def test_a_picture_costs_a_bounded_amount() -> None:
    assert estimate_image(16_000) == 2024
    assert estimate_image(10_000_000) == estimate_image(100_000_000) == 5120


def test_reported_usage_corrects_the_next_estimate_within_bounds() -> None:
    assert calibrated(1000, factor_from(1000, 1300)) == 1300
    assert factor_from(0, 50) == factor_from(50, 0) == 1.0
    assert factor_from(10, 10_000) == 4.0
    assert factor_from(10_000, 1) == 0.5


def test_words_of_the_tokenizer_itself_are_plain_text() -> None:
    assert exact("<|endoftext|>") > 1


def test_one_odd_report_changes_nothing_and_no_report_teaches_nothing() -> None:
    ratios: tuple[float, ...] = ()
    for reported in (1300, 0, 1300, 1_000_000, 3900, 1300, 1310):
        ratios = with_report(ratios, 1000, reported)

    assert factor_of(ratios) == 1.3
    assert with_report(ratios, 100, 400) == ratios
    assert factor_of(()) == 1.0
    assert factor_of((0.6,)) == 1.0
    assert factor_of((1.33,)) == 1.35


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**7)), max_size=30))
def test_a_factor_stays_within_bounds_whatever_is_reported(reports: list[tuple[int, int]]) -> None:
    ratios: tuple[float, ...] = ()
    for estimated, reported in reports:
        ratios = with_report(ratios, estimated, reported)

    assert 0.5 <= factor_of(ratios) <= 4.0
    assert len(ratios) <= 5


def test_only_models_of_the_vocabulary_we_have_are_counted_exactly() -> None:
    text = SAMPLES["mixed"] * 20

    assert exact_factor("gpt-4-turbo", text) == pytest.approx(exact(text) / estimate(text))
    assert exact_factor("gpt-4o", text) is None
    assert exact_factor("claude-sonnet", text) is None
    assert exact_factor("gpt-4", "") is None
