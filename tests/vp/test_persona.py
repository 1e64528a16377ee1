"""A VP speaks the reader's language where it can."""

from yeaft.vp.persona import ToolPolicy, Vp, split_persona

TWO = Vp(id="x", name="X", name_zh="某", role="role", persona={"": "Both.", "en": "English.", "zh": "中文。"})


def test_a_persona_is_told_in_the_language_asked_for():
    assert (TWO.text("en"), TWO.text("zh")) == ("Both.\n\nEnglish.", "Both.\n\n中文。")


def test_a_language_that_is_missing_falls_back_to_english_then_to_what_is_there():
    assert TWO.text("fr") == "Both.\n\nEnglish."
    assert Vp(id="x", name="X", persona={"zh": "中文。"}).text("en") == "中文。"
    assert Vp(id="x", name="X", persona={"": "Any."}).text("zh") == "Any."


def test_names_and_roles_fall_back_too():
    assert (TWO.name_in("zh"), TWO.name_in("en"), TWO.role_in("zh")) == ("某", "X", "role")


def test_marks_divide_the_text_wherever_they_stand_alone_on_a_line():
    body = "Both.\n<!-- lang:en -->\nEnglish `<!-- lang:zh -->` inline.\n  <!--lang: zh-CN-->\n中文。\n<!-- lang:en -->\nMore.\n"

    assert split_persona(body) == {
        "": "Both.",
        "en": "English `<!-- lang:zh -->` inline.\n\nMore.",
        "zh": "中文。",
    }


def test_deny_wins_over_allow_and_conversation_tools_need_no_permission():
    policy = ToolPolicy(allow=("Bash", "Grep"), deny=("Bash", "TodoWrite"))

    assert [tool for tool in ("Bash", "Grep", "FileRead", "AskUser", "TodoWrite") if policy.offers(tool)] == [
        "Grep",
        "AskUser",
    ]


def test_comments_are_for_whoever_edits_the_file():
    body = "<!-- Write who\nit is. -->\nYou rhyme, `<!-- inline -->` too.\n<!-- lang:zh -->\n<!-- 注释 -->\n你押韵。\n"

    assert split_persona(body) == {"": "You rhyme, `<!-- inline -->` too.", "zh": "你押韵。"}
    assert split_persona("<!-- Nothing yet. -->") == {}
