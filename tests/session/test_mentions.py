"""Who is addressed by what a user types."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.prompts.find import templates_dir
from yeaft.session.mentions import MENTION_LIMIT, Mention, find_mentions, may_mention
from yeaft.vp.library import Library
from yeaft.vp.names import Names
from yeaft.vp.persona import Vp

LIBRARY = Library((templates_dir() / "vps",))
NAMES = Names(LIBRARY.all())


def addressed(text, names=NAMES):
    return [mention.vp_id for mention in find_mentions(text, names) if mention.vp_id]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("@omni hi", ["omni"]),
        ("hi @omni", ["omni"]),
        ("@OMNI, look", ["omni"]),
        ("ask @Skeptic.", ["skeptic"]),
        ("@doubter?", ["skeptic"]),
        ("@审阅者你好", ["reviewer"]),
        ("＠审阅者你好", ["reviewer"]),
        ("＠ｏｍｎｉ hi", ["omni"]),
        ("你好，@审阅者看一下", ["reviewer"]),
        ("（@审阅者）", ["reviewer"]),
        ("「@omni」", ["omni"]),
        ("“@omni”", ["omni"]),
        ("(@omni)", ["omni"]),
        ("[@omni]", ["omni"]),
        ('"@omni"', ["omni"]),
        ("看看：@omni、@skeptic", ["omni", "skeptic"]),
        ("@omni你怎么看", ["omni"]),
        ("a\n@omni\nb", ["omni"]),
        ("@omni @skeptic @omni", ["omni", "skeptic", "omni"]),
        ("@omni,@skeptic/@tester", ["omni", "skeptic", "tester"]),
        ("@审阅者@架构师 谁对？", ["reviewer", "architect"]),
        ("@omni's idea", ["omni"]),
        ("@omni- and so on", ["omni"]),
        ("@omni: go", ["omni"]),
        ("@omni:go", ["omni"]),
        ("@omni... well", ["omni"]),
        ("\ufeff@omni hi", ["omni"]),
        ("@ALL vote", ["all"]),
        ("@所有人投票", ["all"]),
        ("@全体成员", ["all"]),
    ],
)
def test_a_name_is_heard_in_any_case_width_and_language(text, ids):
    assert addressed(text) == ids


@pytest.mark.parametrize(
    "text",
    [
        "no sign at all",
        "omni@example.com",
        "mail me@omni or git@omni:repo.git",
        "src/@omni",
        "@omni/core",
        "npm i @omni/pkg@1.2",
        "see docs/@skeptic.md",
        "@omni_x and @omnibus and @omnié",
        "@omni-based",
        "@omni.command()",
        "@omni(timeout=3)",
        '<button @tester="run">',
        "@omni@example.social",
        "@tester\ndef f():\n    pass",
        "@tester\n@cached(60)\nasync def f():",
        "@Builder\npublic class Car {",
        "@builder\nexport class Car extends Thing {",
        "run `@omni hi` now",
        "``@omni ` x`` and ```@omni```",
        "```\n@omni\n```",
        "~~~py\n@omni\n```\n@skeptic\n~~~",
        "> ```\n> @omni\n> ```",
        "- ```\n  @omni\n  ```",
        "```\n@omni never closed",
        "a ＠ b",
        "@",
        "@ omni",
    ],
)
def test_addresses_paths_code_and_parts_of_words_never_count(text):
    assert addressed(text) == []


def test_after_code_the_text_goes_on():
    text = "`a` @omni `b\n\n` @skeptic\n```\n@tester\n```\n@writer `"

    assert addressed(text) == ["omni", "skeptic", "writer"]


def test_words_like_code_do_not_hide_a_mention():
    assert addressed("@builder\nclass names look odd") == ["builder"]
    assert addressed("@builder def is a keyword") == ["builder"]


def test_the_longest_name_wins():
    names = Names([Vp(id="code", name="Code"), Vp(id="code-review", name="Code Review", name_zh="代码")])

    assert addressed("@code-review now", names) == ["code-review"]
    assert addressed("@Code  Review", names) == ["code"]
    assert addressed("@Code Review it", names) == ["code-review"]
    assert addressed("@code-reviews", names) == []


def test_nobody_is_found_and_named():
    assert find_mentions("@sceptic and @nobody, @omni", NAMES) == (
        Mention("sceptic", "", True),
        Mention("nobody", "", False),
        Mention("omni", "omni", False),
    )


def test_leading_goes_on_over_names_and_signs():
    assert [mention.leads for mention in find_mentions("@omni, (@nobody): @other", NAMES)] == [True, True, True]
    assert [mention.leads for mention in find_mentions("/high @nobody, @other /max @third so", NAMES)] == [True] * 3
    assert [mention.leads for mention in find_mentions("/higher @nobody", NAMES)] == [False]


PIECES = st.sampled_from(
    ["@omni", "@审阅者", "＠all", "@nobody", " ", "\n", "`", "```", "~~~", "x", "。", "(", "/", "."]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join))


@given(TEXTS)
def test_no_text_breaks_it_and_tokens_stand_in_the_text(text):
    for mention in find_mentions(text, NAMES):
        assert "@" + mention.token in text or "＠" + mention.token in text


@given(TEXTS)
def test_inside_a_fence_nothing_counts(text):
    fence = "`" * (max((len(run) for run in text.replace("~", " ").split() if "`" in run), default=0) + 3)

    assert addressed(f"{fence}\n{text}\n{fence}") == []


@given(st.text(st.characters(blacklist_characters="`", blacklist_categories=["Cs"])).filter(lambda t: "\n" not in t))
def test_inside_a_code_span_nothing_counts(text):
    assert addressed(f"see `{text} @omni` there") == []


@given(st.text(st.characters(blacklist_characters="@＠")))
def test_without_a_sign_nobody_is_looked_up(text):
    assert not may_mention(text)
    assert find_mentions(text, NAMES) == ()


@given(st.text())
def test_an_address_in_front_is_never_a_mention(text):
    assert addressed(f"{text} joe@omni".replace("`", "")) == addressed(f"{text} joe".replace("`", ""))


def test_a_flood_of_signs_is_cut_and_the_beginning_still_counts():
    found = find_mentions("@skeptic " + "@omni " * 500_000, NAMES)

    assert [mention.vp_id for mention in found] == ["skeptic"] + ["omni"] * (MENTION_LIMIT - 1)
    assert not find_mentions("me@omni.example " * 100_000 + "@" * 100_000, NAMES)
