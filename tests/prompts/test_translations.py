"""Both languages say the same things, and nothing that is needed is missing."""

import re

import pytest

from yeaft.kernel.errors import ConfigError
from yeaft.prompts.fill import places
from yeaft.prompts.find import read_template, templates_dir
from yeaft.prompts.phrases import load_phrases, sections
from yeaft.prompts.ui import Ui

HAN = re.compile("[\u4e00-\u9fff]")


def test_phrases_have_the_same_keys_and_places_in_both_languages():
    english, chinese = load_phrases("en"), load_phrases("zh")

    assert english.keys() == chinese.keys()
    assert {key: places(text) for key, text in english.items()} == {key: places(text) for key, text in chinese.items()}
    assert all(english.values())
    assert all(HAN.search(text) for text in chinese.values())


def test_screen_texts_have_the_same_codes_and_places_in_both_languages():
    english, chinese = Ui("en").texts, Ui("zh").texts

    assert english.keys() == chinese.keys()
    assert {code: places(text) for code, text in english.items()} == {
        code: places(text) for code, text in chinese.items()
    }


def test_every_prompt_is_there_in_both_languages_with_the_same_places():
    folder = templates_dir() / "prompts"
    english = {path.name.removesuffix(".en.md") for path in folder.glob("*.en.md")}
    chinese = {path.name.removesuffix(".zh.md") for path in folder.glob("*.zh.md")}

    assert english == chinese
    for name in english:
        assert places((folder / f"{name}.en.md").read_text()) == places((folder / f"{name}.zh.md").read_text()), name


def test_a_language_that_nobody_wrote_falls_back_to_english():
    assert read_template("prompts/system", "fr") == read_template("prompts/system", "en")
    assert load_phrases("fr") == load_phrases("en")
    assert Ui("fr").texts == Ui("en").texts


def test_a_missing_template_names_itself_and_the_remedy():
    with pytest.raises(ConfigError, match=r"prompts/nothing\.en\.md is missing from .*install yeaft again"):
        read_template("prompts/nothing", "zh")


def test_sections_keep_their_text_and_the_note_before_them_is_no_section():
    text = "a note\n\n## one\n\nfirst\n\n### deeper\nmore\n\n## two_b\n{{x}}\n"

    assert sections(text) == {"one": "first\n\n### deeper\nmore", "two_b": "{{x}}"}
