"""What the user is told, in the user's language."""

from hypothesis import given
from hypothesis import strategies as st

from yeaft.prompts.fill import places
from yeaft.prompts.ui import Ui


def test_a_notice_is_told_in_the_users_language():
    params = {"token": "sceptic", "nearest": "skeptic", "default": "omni"}

    assert Ui("en").text("mention.unknown_near", **params) == (
        "@sceptic is nobody here. Did you mean @skeptic? @omni answers."
    )
    assert Ui("zh").text("mention.unknown_near", **params) == "这里没有 @sceptic。是不是指 @skeptic？由 @omni 回答。"


def test_numbers_are_written_as_they_are():
    assert Ui("en").text("handoff.too_deep", depth=30, vp="omni").startswith("A chain of 30 hand-offs")


def test_a_code_from_a_newer_version_is_shown_with_its_parameters():
    assert Ui("en").text("moon.landed", crew=3, place="Mare") == "moon.landed (crew=3, place=Mare)"
    assert Ui("en").text("moon.landed") == "moon.landed"


def test_a_parameter_that_is_missing_does_not_lose_the_notice():
    assert Ui("en").text("roster.joined", vp="tester") == "roster.joined (vp=tester)"


@given(st.sampled_from(sorted(code for code in Ui("en").texts if code.startswith("said."))), st.data())
def test_what_is_said_in_english_is_retold_in_the_users_language(code, data):
    names = sorted(places(Ui("en").texts[code]))
    values = {name: data.draw(st.from_regex(r"[a-z0-9/_-]{1,12}", fullmatch=True)) for name in names}
    said = Ui("en").text(code, **values)

    assert Ui("en").retold(said) == said
    assert Ui("zh").retold(said) == Ui("zh").text(code, **values)


def test_what_stands_inside_is_retold_too():
    assert (
        Ui("zh").retold("No VP named 'sceptic'. Did you mean skeptic?") == "没有名为“sceptic”的 VP。是不是指 skeptic？"
    )
    assert Ui("zh").retold("Bash: git push  (git push may do more than read.)") == (
        "Bash: git push（git push 可能不只是读取。）"
    )


@given(st.text())
def test_a_text_that_nobody_has_translated_stays_as_it_is(text):
    assert Ui("zh").retold(f"~{text}") == f"~{text}"


@given(st.text(), st.dictionaries(st.from_regex(r"[a-z]{1,9}", fullmatch=True), st.text()))
def test_no_notice_is_ever_a_traceback(code, params):
    assert isinstance(Ui("en").text(code, **params), str)
