"""Skill files as they are found in the wild: what can be understood is used, and what is wrong is said with its line."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from yeaft.prompts.front_matter import FrontMatter, read_front_matter
from yeaft.prompts.text_file import decoded
from yeaft.skills.library import SkillLibrary
from yeaft.skills.skill_check import check_skill
from yeaft.skills.skill_file import parse_skill

PLAIN = "---\nname: cake\ndescription: Bakes.\n---\nStir.\n"
GOOD = ("cake", "Bakes.", "Stir.")
NOT_USED = None


class Case(Struct, frozen=True, kw_only=True):
    """A file `cake/SKILL.md`, the name, description and body that it has, and how each problem with it begins."""

    what: str
    content: str | bytes
    skill: tuple[str, str, str] | None = GOOD
    problems: tuple[str, ...] = ()


def head(more: str, body: str = "Stir.") -> str:
    return f"---\nname: cake\n{more}\n---\n{body}\n"


CASES = [
    Case(what="as it should be", content=PLAIN),
    Case(what="byte order mark", content=f"\ufeff{PLAIN}"),
    Case(what="Windows line ends", content=PLAIN.replace("\n", "\r\n")),
    Case(what="old Mac line ends", content=PLAIN.replace("\n", "\r")),
    Case(what="mixed line ends", content=PLAIN.replace("\n", "\r\n", 2)),
    Case(what="no line end at the end", content=PLAIN.rstrip()),
    Case(what="comment above", content=f"<!-- SPDX: MIT -->\n{PLAIN}"),
    Case(what="comment of several lines above", content=f"<!--\n(c) us\n-->\n\n<!-- more -->\n{PLAIN}"),
    Case(what="mark, comment and Windows", content=f"\ufeff<!-- x -->\r\n{PLAIN}"),
    Case(what="blank lines above", content=f"\n\n  \n{PLAIN}"),
    Case(what="spaces behind the dashes", content=PLAIN.replace("---\n", "---  \t\n")),
    Case(what="closed with dots", content=PLAIN.replace("\n---\nS", "\n...\nS")),
    Case(what="metadata as JSON", content=head('description: Bakes.\nmetadata: {"a":{"b":["c"],"d e":1}}')),
    Case(what="all of it as JSON", content='---\n{"name": "cake", "description": "Bakes."}\n---\nStir.\n'),
    Case(
        what="when to use it, apart",
        content=head("description: Bakes\nwhen_to_use: often."),
        skill=("cake", "Bakes often.", "Stir."),
    ),
    Case(
        what="keys in capitals",
        content="---\nName: cake\nDescription: Bakes.\n---\nStir.\n",
        problems=("2: the key 'Name' is written in small letters", "3: the key 'Description' is written in small"),
    ),
    Case(
        what="description as a list",
        content=head("description:\n  - Bakes\n  - cakes."),
        skill=("cake", "Bakes cakes.", "Stir."),
        problems=("3: `description` must be text",),
    ),
    Case(
        what="description as a map",
        content=head("description:\n  Bakes: cakes."),
        skill=("cake", "Bakes: cakes.", "Stir."),
        problems=("3: `description` must be text",),
    ),
    Case(
        what="quoted lines that are not indented",
        content=head('description: "Bakes.\n\nUser: \\"go\\""\nlicense: MIT'),
        skill=("cake", 'Bakes. User: "go"', "Stir."),
        problems=("3: its quoted text goes on in lines that are not indented",),
    ),
    Case(
        what="all of it in a code fence",
        content=f"```markdown\n{PLAIN}```\n",
        problems=("1: the whole file stands in a code fence",),
    ),
    Case(what="comment lines inside", content=head("# a note\ndescription: Bakes.")),
    Case(what="trailing comment", content=head("description: Bakes.   # a note")),
    Case(what="indented head", content="---\n  name: cake\n  description: Bakes.\n---\nStir."),
    Case(what="quoted", content=head('description: "Bakes."')),
    Case(
        what="single quotes with one inside",
        content=head("description: 'It''s baked.'"),
        skill=("cake", "It's baked.", "Stir."),
    ),
    Case(what="escapes", content=head('description: "A \\"B\\"\\nC \\u00e9"'), skill=("cake", 'A "B" C é', "Stir.")),
    Case(
        what="folded block",
        content=head("description: >\n  Bakes\n  cakes.\n"),
        skill=("cake", "Bakes cakes.", "Stir."),
    ),
    Case(
        what="folded and stripped",
        content=head("description: >-\n  Bakes\n\n  cakes."),
        skill=("cake", "Bakes cakes.", "Stir."),
    ),
    Case(
        what="literal block",
        content=head("description: |\n  Bakes: [a]\n   #b\n"),
        skill=("cake", "Bakes: [a] #b", "Stir."),
    ),
    Case(
        what="plain over lines", content=head("description: Bakes\n  cakes."), skill=("cake", "Bakes cakes.", "Stir.")
    ),
    Case(
        what="quotes over lines",
        content=head('description: "Bakes\n  cakes."'),
        skill=("cake", "Bakes cakes.", "Stir."),
    ),
    Case(
        what="below its key", content=head("description:\n  Bakes\n  cakes."), skill=("cake", "Bakes cakes.", "Stir.")
    ),
    Case(
        what="vendor keys",
        content=head("description: Bakes.\nmodel: x\ncontext: fork\nversion: 1.10\nagent: [a]\nnull: ~"),
    ),
    Case(
        what="deep vendor values",
        content=head("description: Bakes.\nmetadata:\n  a:\n    - b: c\n      d: [e, {f: g}]\n    - h"),
    ),
    Case(what="list of tools", content=head("description: Bakes.\nallowed-tools:\n- Read\n- Bash(git:*)")),
    Case(what="text of tools", content=head("description: Bakes.\nallowed-tools: Read, Bash(git add:*, git log) Grep")),
    Case(what="hint in brackets", content=head("description: Bakes.\nargument-hint: [file] [line]")),
    Case(what="anchors", content=head("a: &x [b]\nc: *x\ndescription: Bakes.")),
    Case(what="tag", content=head("a: !!str 1\ndescription: Bakes.")),
    Case(what="rule in the text", content=f"{PLAIN}\n---\nMore.", skill=("cake", "Bakes.", "Stir.\n\n---\nMore.")),
    Case(
        what="unquoted colon",
        content=head("description: Bakes: cakes. Use when: hungry"),
        skill=("cake", "Bakes: cakes. Use when: hungry", "Stir."),
        problems=("3: holds `: ` without quotes",),
    ),
    Case(
        what="colon at the end",
        content=head("description: Use when:"),
        skill=("cake", "Use when:", "Stir."),
        problems=("3: holds `: ` without quotes",),
    ),
    Case(
        what="address is no colon",
        content=head("description: See https://example.org:80/x"),
        skill=("cake", "See https://example.org:80/x", "Stir."),
    ),
    Case(
        what="number sign cuts",
        content=head("description: Fixes issue #12 and more"),
        skill=("cake", "Fixes issue", "Stir."),
        problems=("3: is cut off at ` #`",),
    ),
    Case(
        what="number sign inside a word", content=head("description: C#-minded"), skill=("cake", "C#-minded", "Stir.")
    ),
    Case(
        what="begins with a number sign",
        content=head("description: #1 tool"),
        skill=("cake", "Stir.", "Stir."),
        problems=("3: is cut off at ` #`", "3: `description` is missing"),
    ),
    Case(
        what="begins with a bracket",
        content=head("description: [WIP] Bakes."),
        skill=("cake", "[WIP] Bakes.", "Stir."),
        problems=("3: begins with [ and is no list",),
    ),
    Case(
        what="begins with a brace",
        content=head("description: {x} Bakes."),
        skill=("cake", "{x} Bakes.", "Stir."),
        problems=("3: begins with { and is no map",),
    ),
    Case(
        what="begins with a star",
        content=head("description: **Bakes.**"),
        skill=("cake", "**Bakes.**", "Stir."),
        problems=("3: begins with *",),
    ),
    Case(
        what="begins with an at sign",
        content=head("description: @baker bakes."),
        skill=("cake", "@baker bakes.", "Stir."),
        problems=("3: begins with @",),
    ),
    Case(
        what="begins with a percent sign",
        content=head("description: %done."),
        skill=("cake", "%done.", "Stir."),
        problems=("3: begins with %",),
    ),
    Case(
        what="begins with a backtick",
        content=head("description: `bake` it."),
        skill=("cake", "`bake` it.", "Stir."),
        problems=("3: begins with `",),
    ),
    Case(
        what="begins with an ampersand",
        content=head("description: &bake it."),
        skill=("cake", "&bake it.", "Stir."),
        problems=("3: begins with &",),
    ),
    Case(
        what="text behind a quote",
        content=head('description: "Bakes" and stirs.'),
        skill=("cake", '"Bakes" and stirs.', "Stir."),
        problems=("3: has text behind its closing quote",),
    ),
    Case(
        what="quote never closed",
        content=head('description: "Bakes.\nlicense: MIT'),
        skill=("cake", "Bakes.", "Stir."),
        problems=("3: opens a quote that is not closed",),
    ),
    Case(
        what="lines that are not indented",
        content=head("description: Bakes\ncakes and\nbread.\nlicense: MIT"),
        skill=("cake", "Bakes cakes and bread.", "Stir."),
        problems=("4: is taken as more of 'description'",),
    ),
    Case(
        what="tabs",
        content=head("metadata:\n\tauthor: ada\ndescription: Bakes."),
        problems=("4: is indented with a tab",),
    ),
    Case(
        what="key twice",
        content=head("description: Bakes.\ndescription: Cooks."),
        problems=("4: the key 'description' stands here again",),
    ),
    Case(
        what="no space behind a colon",
        content=head("description:Bakes."),
        problems=("3: the key 'description' has no space behind its colon",),
    ),
    Case(
        what="full-width colon",
        content=head("description\uff1aBakes."),
        problems=("3: the key 'description' has a full-width colon",),
    ),
    Case(
        what="no-break space behind a colon",
        content=head("description:\u00a0Bakes."),
        problems=("3: the key 'description' has no space behind its colon",),
    ),
    Case(
        what="never closed",
        content="---\nname: cake\ndescription: Bakes.\n\n# Cake\nStir.",
        skill=("cake", "Bakes.", "# Cake\nStir."),
        problems=("1: the front matter has no closing --- line; it is taken",),
    ),
    Case(
        what="two blocks",
        content="---\nlicense: MIT\n---\n---\nname: cake\ndescription: Bakes.\n---\nStir.",
        problems=("4: a second block of front matter",),
    ),
    Case(
        what="name of another place",
        content=PLAIN.replace("cake", "pie"),
        skill=("pie", "Bakes.", "Stir."),
        problems=("2: the name 'pie' should be that of its place, 'cake'",),
    ),
    Case(
        what="capitals and spaces in the name",
        content=PLAIN.replace("cake", "Layer Cake"),
        skill=("Layer Cake", "Bakes.", "Stir."),
        problems=("2: the name 'Layer Cake' should be of a-z",),
    ),
    Case(
        what="Chinese name",
        content=PLAIN.replace("cake", "\u86cb\u7cd5"),
        skill=("\u86cb\u7cd5", "Bakes.", "Stir."),
        problems=("2: the name '\u86cb\u7cd5' should be of a-z",),
    ),
    Case(
        what="name with a slash",
        content=PLAIN.replace("cake", "a/b"),
        skill=("cake", "Bakes.", "Stir."),
        problems=("2: the name cannot be used",),
    ),
    Case(
        what="name too long",
        content=PLAIN.replace("cake", "c" * 65),
        skill=("cake", "Bakes.", "Stir."),
        problems=("2: the name cannot be used",),
    ),
    Case(
        what="no name",
        content="---\ndescription: Bakes.\n---\nStir.",
        problems=("1: `name` is missing; the skill is called 'cake'",),
    ),
    Case(
        what="name that is a list",
        content="---\nname: [cake]\ndescription: Bakes.\n---\nStir.",
        problems=("2: `name` is missing; the skill is called 'cake'",),
    ),
    Case(
        what="no description",
        content="---\nname: cake\n---\n\n# Bake a cake\nStir.",
        skill=("cake", "Bake a cake", "# Bake a cake\nStir."),
        problems=("1: `description` is missing",),
    ),
    Case(
        what="no front matter",
        content="# Bake a cake\nStir.",
        skill=("cake", "Bake a cake", "# Bake a cake\nStir."),
        problems=("1: `name` is missing", "1: `description` is missing"),
    ),
    Case(
        what="description too long",
        content=head(f"description: {'x' * 1100}"),
        skill=("cake", "x" * 1023 + "\u2026", "Stir."),
        problems=("3: the description has 1100 characters",),
    ),
    Case(what="UTF-16 with a mark", content=PLAIN.encode("utf-16"), problems=("1: is read as UTF-16-LE",)),
    Case(what="UTF-16 without one", content=PLAIN.encode("utf-16-be"), problems=("1: is read as UTF-16-BE",)),
    Case(
        what="Latin-1",
        content=head("description: Bäckt Gebäck.").encode("latin-1"),
        skill=("cake", "Bäckt Gebäck.", "Stir."),
        problems=("1: is read as LATIN-1",),
    ),
    Case(
        what="GB18030",
        content=head("description: 烤蛋糕。饿了就用。").encode("gb18030"),
        skill=("cake", "烤蛋糕。饿了就用。", "Stir."),
        problems=("1: is read as GB18030",),
    ),
    Case(
        what="neither",
        content=head("description: ä").encode("latin-1").replace(b"\xe4", b"\xe4\xff\x81"),
        skill=NOT_USED,
        problems=("3: is not UTF-8 text",),
    ),
    Case(what="empty", content=b"", skill=NOT_USED, problems=("1: no instructions stand below",)),
    Case(what="only blanks", content=b" \n\n", skill=NOT_USED, problems=("1: no instructions stand below",)),
    Case(
        what="no text", content="---\nname: cake\n---\n\n", skill=NOT_USED, problems=("1: no instructions stand below",)
    ),
    Case(what="only an opening", content="---\n", skill=NOT_USED, problems=("1: the front matter has no closing",)),
    Case(
        what="words, not fields",
        content="---\njust words\n---\nStir.",
        skill=NOT_USED,
        problems=("2: must be `key: value`",),
    ),
    Case(
        what="a heading above the head",
        content=f"# Cake\n<!-- ours -->\n\n{PLAIN}",
        problems=("4: the front matter must be the first thing in the file",),
    ),
    Case(
        what="more dashes than three",
        content=PLAIN.replace("---", "-----"),
        problems=("1: the front matter must be the first thing in the file",),
    ),
    Case(
        what="the head in a code block",
        content="```yaml\nname: cake\ndescription: Bakes.\n```\n\nStir.\n",
        problems=("1: the front matter must be the first thing in the file",),
    ),
    Case(
        what="an example of a head below prose",
        content="Write skills so.\n\n---\nname: bread\ndescription: Bakes.\n---\n",
        skill=("cake", "Write skills so.", "Write skills so.\n\n---\nname: bread\ndescription: Bakes.\n---"),
        problems=("1: `name` is missing", "1: `description` is missing"),
    ),
    Case(
        what="rules that are no head",
        content="# Cake\n\n---\nFlour: 200 g\n---\nStir.",
        skill=("cake", "Cake", "# Cake\n\n---\nFlour: 200 g\n---\nStir."),
        problems=("1: `name` is missing", "1: `description` is missing"),
    ),
    Case(
        what="a merge that is not done",
        content="---\n<<<<<<< HEAD\nname: cake\n=======\nname: pie\n>>>>>>> theirs\ndescription: Bakes.\n---\nStir.",
        skill=NOT_USED,
        problems=("2: holds both sides of a merge conflict",),
    ),
    Case(what="TOML", content="+++\nname = 'cake'\n+++\nStir.", skill=NOT_USED, problems=("1: TOML between +++",)),
    Case(what="a NUL", content=PLAIN.replace("Stir", "St\0ir"), skill=NOT_USED, problems=("5: holds a NUL",)),
    Case(what="binary", content=bytes(range(256)) * 8, skill=NOT_USED, problems=("1: holds a NUL",)),
    Case(what="too large", content=PLAIN + "x" * 2**20, skill=NOT_USED, problems=("1: is larger than 1 MiB",)),
    Case(
        what="large, but not too large",
        content=PLAIN + "x" * 2**19,
        skill=("cake", "Bakes.", "Stir.\n" + "x" * 2**19),
    ),
    Case(
        what="endless head",
        content=head(f"description: {'x' * 2**18}"),
        skill=NOT_USED,
        problems=("2: the front matter is longer",),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.what for case in CASES])
def test_an_untidy_file_is_used_as_far_as_it_goes(tmp_path: Path, case: Case) -> None:
    path = tmp_path / "cake" / "SKILL.md"
    path.parent.mkdir()
    path.write_bytes(case.content.encode() if isinstance(case.content, str) else case.content)

    shelf = SkillLibrary([tmp_path]).read()

    found = [(skill.name, skill.description, skill.body) for skill in shelf.skills]
    assert found == ([] if case.skill is None else [case.skill])
    said = [str(problem).removeprefix(f"{path}:") for problem in shelf.problems]
    assert len(said) == len(case.problems), said
    assert [text[: len(wanted)] for text, wanted in zip(said, case.problems, strict=True)] == list(case.problems)
    assert any(problem.fatal for problem in shelf.problems) == (case.skill is None)


def test_a_file_is_found_by_its_name_in_any_form_and_by_its_folder(tmp_path: Path) -> None:
    (tmp_path / "cake").mkdir()
    (tmp_path / "cake" / "SKILL.md").write_text(PLAIN.replace("cake", "Layer Cake"))

    shelf = SkillLibrary([tmp_path]).read()

    assert [shelf.get(name) is not None for name in ("layer cake", "LAYER-CAKE", "cake", "pie")] == [
        True,
        True,
        True,
        False,
    ]


@given(st.text())
def test_no_text_makes_reading_a_skill_raise(text: str) -> None:
    parsed = parse_skill(text, Path("cake/SKILL.md"), Path("cake"))

    assert parsed.skill is not None or any(problem.fatal for problem in parsed.problems)


@given(st.text(alphabet="ab:#-[]{},'\"\\ \n\t|>&*!%@`~?=+.\uff1a", max_size=80))
def test_no_front_matter_makes_reading_a_skill_raise(text: str) -> None:
    parsed = parse_skill(f"---\n{text}\n---\nStir.", Path("cake/SKILL.md"), Path("cake"))

    assert parsed.skill is not None or any(problem.fatal for problem in parsed.problems)


@given(st.binary())
def test_no_bytes_make_decoding_raise(raw: bytes) -> None:
    found = decoded(raw, "SKILL.md")

    assert str(found)


def test_the_check_of_a_head_without_lines_of_its_own_names_the_first(tmp_path: Path) -> None:
    path = tmp_path / "cake" / "SKILL.md"
    path.parent.mkdir()
    path.write_text('---\n{"name": "cake", "description": "Bakes.", "metadata": "x"}\n---\nStir.\n', encoding="utf-8")

    assert [(one.line, one.reason) for one in check_skill(path, path.parent)] == [
        (1, "`metadata` must be `key: value` lines")
    ]


def test_an_anchor_that_is_there_twice_is_no_warning_on_the_screen(recwarn: pytest.WarningsRecorder) -> None:
    found = read_front_matter("---\na: &x one\nb: &x two\nc: *x\n---\n", "a.md")

    assert isinstance(found, FrontMatter)
    assert found.fields == {"a": "one", "b": "two", "c": "two"}
    assert recwarn.list == []
