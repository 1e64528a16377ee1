"""The catalogue describes the models people use, whatever their gateway calls them."""

import re
from pathlib import Path

import pytest

from yeaft.kernel.errors import ConfigError
from yeaft.llm.catalogue import Catalogue, Family, plain_id, read_catalogue
from yeaft.prompts.find import templates_dir


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return read_catalogue(templates_dir())


def test_the_catalogue_holds_together(catalogue: Catalogue) -> None:
    ids = [model.id for models in catalogue.models.values() for model in models]

    assert len(ids) == len(set(ids))
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", catalogue.as_of)
    assert all(plain_id(model_id) == model_id for model_id in ids)
    assert all(real in ids for names in catalogue.aliases.values() for real in names.values())
    assert all(plain_id(default.id) in ids for default in catalogue.defaults.values())
    assert all(model.price is not None for models in catalogue.models.values() for model in models)


@pytest.mark.parametrize(
    "name",
    [
        "claude-opus-4-6",
        "anthropic/claude-opus-4.6",
        "us.anthropic.claude-opus-4-6-v1:0",
        "claude-opus-4-6@20260205",
        "claude-opus-4-6-20260205",
        "Claude-Opus-4-6",
        "anthropic/claude-opus-4.6:thinking",
    ],
)
def test_one_model_has_many_names(catalogue: Catalogue, name: str) -> None:
    traits = catalogue.traits(name, foreign=True)

    assert (traits.context_tokens, traits.efforts) == (1_000_000, ("low", "medium", "high", "max"))
    assert traits.price is not None


@pytest.mark.parametrize(
    ("model_id", "efforts", "thinking"),
    [
        ("claude-opus-6", ("low", "medium", "high", "xhigh", "max"), "adaptive"),
        ("claude-sonnet-4-0", ("low", "medium", "high"), "budget"),
        ("claude-3-5-haiku-latest", (), "none"),
        ("gpt-5.10", ("low", "medium", "high", "xhigh", "max"), "none"),
        ("gpt-5.3", ("low", "medium", "high", "xhigh"), "none"),
        ("gpt-4-turbo", (), "none"),
        ("o3-pro", ("low", "medium", "high"), "none"),
    ],
)
def test_an_unlisted_model_is_taken_for_its_family_without_a_price(
    catalogue: Catalogue, model_id: str, efforts: tuple, thinking: str
) -> None:
    traits = catalogue.traits(model_id, foreign=False)

    assert isinstance(traits, Family)
    assert (traits.efforts, traits.thinking, traits.price, traits.known) == (efforts, thinking, None, True)


def test_nothing_is_promised_of_models_nobody_knows(catalogue: Catalogue) -> None:
    at_home, abroad = (catalogue.traits("mystery-7b", foreign=foreign) for foreign in (False, True))

    assert (at_home.context_tokens, abroad.context_tokens) == (128_000, 32_768)
    assert (at_home.known, abroad.known, abroad.images, abroad.efforts) == (False, False, False, ())
    assert catalogue.traits("gpt-oss-120b", foreign=True).context_tokens == 32_768


def test_a_version_with_dots_finds_the_makers_spelling(catalogue: Catalogue) -> None:
    assert catalogue.real_id("anthropic", "claude-opus-4.8") == "claude-opus-4-8"
    assert catalogue.real_id("openai", "gpt-5.5") == "gpt-5.5"
    assert catalogue.real_id("box", "claude-sonnet") == "claude-sonnet"


def test_a_damaged_catalogue_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "catalogue").mkdir()
    (tmp_path / "catalogue" / "models.json").write_text("{")

    with pytest.raises(ConfigError, match="install yeaft again"):
        read_catalogue(tmp_path)
