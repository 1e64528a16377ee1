"""Agent files of another tool become VPs, however untidy their front matter is."""

from pathlib import Path

import pytest

from yeaft.kernel.errors import BadData
from yeaft.vp.claude_agents import import_agent, parse_agent
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
COLON = "holds `: ` without quotes, which other programs refuse; put the value in quotes"


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
        f"line 3: {COLON}; read by the keys that such files have",
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
        ("name: a\ntools: []", ToolPolicy(allow=())),
        ("name: a\ntools:", ToolPolicy()),
        ("name: a\ntools: All tools", ToolPolicy()),
        ("name: a\ntools: [*]", ToolPolicy()),
        ("name: a\ntools: read, grep, bash", ToolPolicy(allow=("FileRead", "ListDir", "Grep", "Bash"))),
        ("name: a\ntools: Read Grep Bash(git log:*)", ToolPolicy(allow=("FileRead", "ListDir", "Grep", "Bash"))),
        ("name: a\ntools: Glob, AskUserQuestion, KillShell", ToolPolicy(allow=("Glob", "AskUser", "CancelTask"))),
        ("name: a\ntools:\n  write: false\n  bash: true", ToolPolicy(deny=("FileWrite",))),
        ('name: a\ntools:\n  "*": false\n  grep: true', ToolPolicy(allow=("Grep",))),
        ("name: a\ntools: Read; Write | Bash", ToolPolicy(allow=("FileRead", "ListDir", "FileWrite", "Bash"))),
        ("name: a\ntools: - Glob\n- LS", ToolPolicy(allow=("Glob", "ListDir"))),
        ("name: a\ntools: none", ToolPolicy(allow=())),
        ("name: a\ntools: inherit", ToolPolicy()),
        ("name: a\nallowed-tools: Read(src/**), Grep", ToolPolicy(allow=("FileRead", "ListDir", "Grep"))),
        ("name: a\nallowedTools: [Glob]\ndisallowed-tools: Bash", ToolPolicy(allow=("Glob",), deny=("Bash",))),
        (
            "name: a\ntools: ['codebase', 'gh/*', 'io.x/get']",
            ToolPolicy(allow=("Grep", "Glob", "mcp__gh__*", "mcp__io.x__get")),
        ),
    ],
)
def test_tools_are_named_as_here_and_absent_means_all(front, policy):
    assert read_back(import_agent(f"---\n{front}\n---\nGo.", Path("a.md"))).tools == policy


@pytest.mark.parametrize(
    ("front", "line"),
    [
        ("name: a\nmodel: clod\ndescription: A. B.\ntools: Read", 3),
        ("name: a\ndescription: A. B.\nUser: x\n\n<b>: y\n: z\nmodel: clod\ntools: Read", 8),
    ],
)
def test_what_is_remarked_of_a_key_has_its_line(front, line):
    parsed = parse_agent(f"---\n{front}\n---\nGo.", Path("a.md"))

    assert [one.line for one in parsed.problems if "the model 'clod'" in one.reason] == [line]


@pytest.mark.parametrize(
    "front",
    [
        "Name: cook\nDescription: Bakes. Also fries.\nTools: Grep",
        "**name**: cook\n**description**: Bakes. Also fries.\n**tools**: Grep",
        "name: cook\ndescription:\n  - Bakes.\n  - Also fries.\ntools: Grep",
        'name: cook\ndescription: "Bakes.\n\nAlso: \\"fries\\"."\ntools: Grep',
        '{"name": "cook", "description": "Bakes. Also fries.", "tools": ["Grep"]}',
    ],
)
def test_a_description_is_found_however_it_is_written(front):
    vp = parse_agent(f"---\n{front}\n---\nGo.", Path("a.md")).vp

    assert vp is not None
    assert (vp.id, vp.role, vp.tools) == ("cook", "Bakes.", ToolPolicy(allow=("Grep",)))


@pytest.mark.parametrize("around", ["```markdown\n{}\n```\n", "~~~\n{}\n~~~", "  {}"])
def test_a_file_in_a_fence_or_with_an_indented_head_is_read(around):
    text = (
        around.format("---\n  name: cook\n  ---\nGo.")
        if around == "  {}"
        else around.format("---\nname: cook\n---\nGo.")
    )

    vp = parse_agent(text, Path("a.md")).vp

    assert vp is not None
    assert (vp.id, vp.persona) == ("cook", {"": "Go."})


@pytest.mark.parametrize(
    ("written", "model"),
    [
        ("sonnet", ""),
        ("inherit", ""),
        ("haiku", "fast"),
        ("Opus[1m]", ""),
        ("default", ""),
        ("[haiku, sonnet]", "fast"),
        ("GPT-5 (copilot)", "GPT-5"),
        ("claude-opus-4-5", "claude-opus-4-5"),
    ],
)
def test_model_nicknames_become_the_users_own_models(written, model):
    assert import_agent(f"---\nname: a\nmodel: {written}\n---\nGo.", Path("a.md")).vp.model == model


def test_a_restriction_under_another_name_is_kept_and_that_is_said():
    parsed = parse_agent("---\nname: a\nallowed-tools: Read\n---\nGo.", Path("a.md"))

    assert [(one.line, one.reason) for one in parsed.problems] == [
        (3, "'allowed-tools' is how other files call it; here it is 'tools'")
    ]


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
