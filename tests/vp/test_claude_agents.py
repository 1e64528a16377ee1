"""Agent files of another tool become VPs, however untidy their front matter is."""

from pathlib import Path

import pytest

from yeaft.kernel.errors import BadData
from yeaft.vp.claude_agents import import_agent
from yeaft.vp.persona import ToolPolicy
from yeaft.vp.vp_file import parse_vp

UNTIDY = """---
name: code-reviewer
description: Use this agent when: code was written. Examples:

<example>
Context: The user wrote a function
user: "Please check this: it is new"
assistant: "I'll use the code-reviewer agent"
</example>

tools: Read, Grep, Bash(git diff:*, git log), Oracle, mcp__gh__list
model: haiku
color: red
---

You are a careful reviewer.
"""


def read_back(imported):
    return parse_vp(imported.text, f"{imported.vp.id}.md", imported.vp.id).vp


def test_an_untidy_file_keeps_its_name_first_sentence_tools_model_and_prompt():
    imported = import_agent(UNTIDY, Path("agents/code-reviewer.md"))

    vp = read_back(imported)
    assert (vp.id, vp.name, vp.role, vp.model) == (
        "code-reviewer",
        "Code reviewer",
        "Use this agent when: code was written.",
        "fast",
    )
    assert vp.tools == ToolPolicy(allow=("FileRead", "ListDir", "Grep", "Bash", "Oracle", "mcp__gh__list"))
    assert vp.text("en") == "You are a careful reviewer."


def test_what_cannot_be_carried_over_is_said():
    assert import_agent(UNTIDY, Path("a.md")).warnings == (
        "'color' has no counterpart here and was left out",
        "'Bash(git diff:*, git log)' became 'Bash'; write the restriction as a rule under [permissions]",
        "there is no tool like 'Oracle' here; the name is kept and does nothing",
    )


@pytest.mark.parametrize(
    ("front", "policy"),
    [
        ("name: a", ToolPolicy()),
        ("name: a\ntools: '*'", ToolPolicy()),
        ("name: a\ntools:\n  - Read\n  - Edit", ToolPolicy(allow=("FileRead", "ListDir", "FileEdit", "ApplyPatch"))),
        ("name: a\ntools: [Write]\ndisallowedTools: Bash", ToolPolicy(allow=("FileWrite",), deny=("Bash",))),
        ("name: a\nbroken: [\ntools:\n- Glob\n- LS", ToolPolicy(allow=("Glob", "ListDir"))),
    ],
)
def test_tools_are_named_as_here_and_absent_means_all(front, policy):
    assert read_back(import_agent(f"---\n{front}\n---\nGo.", Path("a.md"))).tools == policy


@pytest.mark.parametrize(
    ("written", "model"), [("sonnet", ""), ("inherit", ""), ("haiku", "fast"), ("claude-opus-4-5", "claude-opus-4-5")]
)
def test_model_nicknames_become_the_users_own_models(written, model):
    assert import_agent(f"---\nname: a\nmodel: {written}\n---\nGo.", Path("a.md")).vp.model == model


def test_a_name_that_cannot_be_an_id_takes_the_file_name():
    imported = import_agent("---\nname: 审阅\ndescription: |\n  Reads.\n  And more.\n---\nGo.", Path("x/My Reader.md"))

    assert (imported.vp.id, imported.vp.name, imported.vp.role) == ("my-reader", "审阅", "Reads.")


def test_a_long_description_is_cut_to_one_line():
    vp = import_agent(f"---\nname: a\ndescription: {'very ' * 80}long\n---\nGo.", Path("a.md")).vp

    assert len(vp.role) <= 160
    assert vp.role.endswith("very…")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Just text.", "a.md is not an agent file"),
        ("---\nname: a\n", "a.md is not an agent file"),
        ("---\nname: a\n---\n\n", "a.md has no prompt below its front matter"),
        ("---\nname: 全体\n---\nGo.", "no id can be made"),
    ],
)
def test_what_is_no_agent_file_is_refused_with_the_reason(text, said):
    path = Path("审.md") if "no id" in said else Path("a.md")

    with pytest.raises(BadData, match=said):
        import_agent(text, path)
