"""What a user is told of a model before it answers."""

from msgspec.structs import replace

from yeaft.events.session import NoticePosted
from yeaft.llm.model import ModelEntry
from yeaft.session.expectations import notices_about, unknown_price

BOX = ModelEntry(provider="box", id="qwen3", protocol="openai-responses", context_tokens=32768, output_tokens=4096)


def test_a_model_that_is_known_and_able_needs_no_words() -> None:
    assert notices_about(BOX) == []


def test_missing_tools_are_told_at_once_and_guessed_numbers_when_something_was_left_out() -> None:
    assert notices_about(replace(BOX, known=False)) == []
    assert notices_about(replace(BOX, known=False, tools=False), is_cut=True) == [
        NoticePosted(code="model.unknown", params={"model": "box/qwen3", "context_tokens": "32768"}),
        NoticePosted(code="model.no_tools", params={"model": "box/qwen3"}),
    ]


def test_the_embedded_model_is_told_with_all_its_limits_at_once() -> None:
    assert notices_about(replace(BOX, provider="local", id="smollm2", tools=False)) == [
        NoticePosted(code="provider.embedded", params={"model": "smollm2"})
    ]


def test_a_cost_limit_without_a_price_names_the_model_and_both_remedies() -> None:
    text = unknown_price(BOX)

    assert "box/qwen3" in text
    assert "price_usd_per_mtok under [[providers.box.models]]" in text
    assert "--max-cost" in text
