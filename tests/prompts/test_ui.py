"""What the user is told, in the user's language."""

import tomllib

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from yeaft.kernel.errors import ConfigError
from yeaft.prompts.fill import places
from yeaft.prompts.find import templates_dir
from yeaft.prompts.ui import Ui
from yeaft.prompts.ui_texts import UiTexts


def test_a_notice_is_told_in_the_users_language():
    params = {"token": "sceptic", "nearest": "skeptic", "default": "omni"}

    assert Ui("en").text("mention.unknown_near", **params) == (
        "@sceptic is nobody here. Did you mean @skeptic? @omni answers."
    )
    assert Ui("zh").text("mention.unknown_near", **params) == "这里没有 @sceptic。是不是指 @skeptic？由 @omni 回答。"


def test_numbers_are_written_as_they_are():
    assert Ui("en").text("doctor.vp_count", count=30) == "30 can be talked to"


def test_a_code_from_a_newer_version_is_shown_with_its_parameters():
    assert Ui("en").text("moon.landed", crew=3, place="Mare") == "moon.landed (crew=3, place=Mare)"
    assert Ui("en").text("moon.landed") == "moon.landed"


def test_a_parameter_that_is_missing_does_not_lose_the_notice():
    assert Ui("en").text("roster.joined", vp="tester") == "roster.joined (vp=tester)"


ENGLISH, CHINESE = Ui("en"), Ui("zh")


@given(st.sampled_from(sorted(code for code in ENGLISH.texts if code.startswith("said."))), st.data())
def test_what_is_said_in_english_is_retold_in_the_users_language(code, data):
    names = sorted(places(ENGLISH.texts[code]))
    values = {name: data.draw(st.from_regex(r"[a-z0-9/_-]{1,12}", fullmatch=True)) for name in names}
    said = ENGLISH.text(code, **values)

    assert ENGLISH.retold(said) == said
    assert CHINESE.retold(said) == CHINESE.text(code, **values)


def test_no_sentence_is_taken_for_another():
    codes = [code for code in ENGLISH.texts if code.startswith("said.")]
    values = {code: {name: f"zq{number}" for number, name in enumerate(places(ENGLISH.texts[code]))} for code in codes}

    mistaken = [
        code
        for code in codes
        if CHINESE.retold(ENGLISH.text(code, **values[code])) != CHINESE.text(code, **values[code])
    ]

    assert mistaken == []


def test_what_stands_inside_is_retold_too():
    assert (
        Ui("zh").retold("No VP named 'sceptic'. Did you mean skeptic?") == "没有名为“sceptic”的 VP。是不是指 skeptic？"
    )
    assert Ui("zh").retold("Bash: git push  (git push may do more than read.)") == (
        "Bash: git push（git push 可能不只是读取。）"
    )


def test_a_text_in_quotes_may_have_a_quotation_mark_in_it_or_be_empty():
    assert CHINESE.retold('There is no help on "it\'s". Topics: keys.') == "没有关于“it's”的帮助。主题有：keys。"
    assert CHINESE.retold("'' is not a duration; write 90, 90s, 10m or 1.5h.").startswith("“”不是时长")


def test_each_of_several_lines_about_files_is_retold_with_its_place():
    said = "a.toml, line 3: limits must be a table of settings, not a list.\n... and 2 more."

    assert CHINESE.retold(said) == "a.toml 第 3 行：limits 应是一组设置，而不是列表。\n……另有 2 处。"
    assert CHINESE.retold("b.md:2: no persona text stands below the front matter") == "b.md:2: 头部下面没有写人设"


def test_what_stands_around_a_sentence_is_told_apart_from_it():
    attached = "There is no file a.png to attach. Nothing was sent."
    failed = "Step 'review' failed: FinishStep was not called, and the answer is no JSON"

    assert CHINESE.retold(attached) == "没有可附上的文件 a.png。什么也没有发送。"
    assert CHINESE.retold(failed) == "步骤“review”失败：没有调用 FinishStep，回答也不是 JSON"


def test_a_place_that_comes_twice_holds_the_same_both_times():
    twice = "There is a VP 'me' already; change it with `yeaft vp edit {}`, or choose another id."

    assert CHINESE.retold(twice.format("me")) == "已经有名为“me”的 VP；用 `yeaft vp edit me` 改它，或换个 id。"
    assert CHINESE.retold(twice.format("you")) == twice.format("you")


def test_a_sentence_may_stand_in_others_without_end():
    text = "Could not connect to a: " * 2000 + "x"

    assert CHINESE.retold(text).startswith("连不上 a：连不上 a：")


def test_a_long_text_of_many_beginnings_is_soon_left_as_it_is():
    text = "x: 'y' = 'z'; did you mean a? " * 2000

    assert CHINESE.retold(text) == text


@given(st.text())
def test_a_text_that_nobody_has_translated_stays_as_it_is(text):
    assert CHINESE.retold(f"~{text}") == f"~{text}"


@given(st.text(), st.dictionaries(st.from_regex(r"[a-z]{1,9}", fullmatch=True), st.text()))
def test_no_notice_is_ever_a_traceback(code, params):
    assert isinstance(ENGLISH.text(code, **params), str)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_texts_are_those_that_a_parser_of_toml_finds(lang):
    path = templates_dir() / "ui" / f"{lang}.toml"

    groups = tomllib.loads(path.read_text(encoding="utf-8"))

    assert dict(UiTexts(path)) == {
        f"{group}.{name}": text for group, texts in groups.items() for name, text in texts.items()
    }


@given(st.dictionaries(st.from_regex(r"[a-z]{1,9}", fullmatch=True), st.text(st.characters(codec="utf-8"))))
def test_any_text_can_be_written_into_the_file_of_a_language(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("ui") / "en.toml"
    path.write_text(tomlkit.dumps({"group": texts}), encoding="utf-8", newline="")

    assert dict(UiTexts(path)) == {f"group.{name}": text for name, text in texts.items()}


@pytest.mark.parametrize(
    "damaged", ["[group]\nname\n", '[group]\nname = """\nno end\n', "[group\n", '[group]\nname = "\n']
)
def test_a_damaged_file_is_named_with_the_remedy(tmp_path, damaged):
    path = tmp_path / "en.toml"
    path.write_text(damaged)

    with pytest.raises(ConfigError, match=r"en\.toml cannot be used .*; install yeaft again\."):
        dict(UiTexts(path))
