"""Skills are found where people keep them, and what is wrong with a file is said with its place."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yeaft.prompts.find import templates_dir
from yeaft.skills.library import MOST_SKILLS, Shelf, SkillLibrary, files_of, skill_folders
from yeaft.skills.skill_file import LIMIT_DESCRIPTION_CHARS, parse_skill


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def skill_text(name: str, *, about: str = "Does it. Use when asked.", more: str = "", body: str = "Do it.") -> str:
    return f"---\nname: {name}\ndescription: {about}\n{more}---\n{body}\n"


def problems(shelf: Shelf, folder: Path) -> list[str]:
    return [str(problem).replace(f"{folder}/", "") for problem in shelf.problems]


def test_the_bundled_skills_are_without_fault() -> None:
    shelf = SkillLibrary([templates_dir() / "skills"]).read()

    assert [skill.name for skill in shelf.skills] == ["code-review", "commit-message", "write-skill"]
    assert shelf.problems == ()
    assert files_of(shelf.skills[0], 10) == ("references/checklist.md",)
    assert all("use when" in skill.description.casefold() for skill in shelf.skills)


def test_the_users_skill_replaces_a_bundled_one_and_the_other_is_named(tmp_path: Path) -> None:
    mine = written(tmp_path, "skills/code-review/SKILL.md", skill_text("code-review", about="Mine."))
    bundled = templates_dir() / "skills" / "code-review" / "SKILL.md"

    shelf = SkillLibrary(skill_folders(tmp_path, {})).read()

    found = shelf.get("CODE-review ")
    assert found
    assert (found.description, found.source) == ("Mine.", mine)
    assert [str(problem) for problem in shelf.problems] == [
        f"{bundled}:1: the skill 'code-review' is not used: it is replaced by {mine}"
    ]


def test_folders_above_a_skill_are_its_category_and_single_files_are_skills_too(tmp_path: Path) -> None:
    written(tmp_path, "web/front/forms/SKILL.md", skill_text("forms"))
    written(tmp_path, "web/links.md", skill_text("links", more="category: net\n"))
    written(tmp_path, "plain.md", skill_text("plain"))
    written(tmp_path, "README.md", "# My skills\n")
    written(tmp_path, ".git/x/SKILL.md", skill_text("x"))
    written(tmp_path, "forms/references/deep/SKILL.md", skill_text("deep"))
    written(tmp_path, "forms/skill.md", skill_text("forms2"))

    shelf = SkillLibrary([tmp_path, tmp_path / "missing"]).read()

    assert [(skill.name, skill.category, skill.folder is None) for skill in shelf.skills] == [
        ("forms", "web/front", False),
        ("forms2", "", False),
        ("links", "net", True),
        ("plain", "", True),
    ]


def test_a_file_with_faults_is_used_as_far_as_it_goes_and_each_fault_has_a_line(tmp_path: Path) -> None:
    written(tmp_path, "a/SKILL.md", "---\n# nothing here\n---\n\n# Bake a cake\nStir.\n")
    written(tmp_path, "b/SKILL.md", skill_text("Bread_1", more="x-vendor: {a: 1}\n"))
    written(tmp_path, "c/SKILL.md", skill_text("no/slash"))
    written(tmp_path, "d/SKILL.md", skill_text("e"))
    written(tmp_path, "f/SKILL.md", skill_text("f", about="x" * (LIMIT_DESCRIPTION_CHARS + 1)))
    written(tmp_path, "z/SKILL.md", skill_text("f"))

    shelf = SkillLibrary([tmp_path]).read()

    assert [(skill.name, skill.description[:12]) for skill in shelf.skills] == [
        ("Bread_1", "Does it. Use"),
        ("a", "Bake a cake"),
        ("c", "Does it. Use"),
        ("e", "Does it. Use"),
        ("f", "x" * 12),
    ]
    assert problems(shelf, tmp_path) == [
        "a/SKILL.md:1: `name` is missing; the skill is called 'a' like its place",
        "a/SKILL.md:1: `description` is missing; say what the skill does and when to use it",
        "b/SKILL.md:2: the name 'Bread_1' should be of a-z, 0-9 and single hyphens between them",
        "c/SKILL.md:2: the name cannot be used (64 of a-z, 0-9 and hyphens at most); it is called 'c'",
        "d/SKILL.md:2: the name 'e' should be that of its place, 'd'; it is found as 'e'",
        "f/SKILL.md:3: the description has 1025 characters; only the first 1024 are used",
        "z/SKILL.md:2: the name 'f' should be that of its place, 'z'; it is found as 'f'",
        "z/SKILL.md:1: the skill 'f' is not used: f/SKILL.md has the same name and is used",
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"---\nname: a\n", "1: the front matter has no closing --- line"),
        (b"---\nname: a\n---\n \n", "1: no instructions stand below the front matter"),
        (b"---\nname: a\n---\n\xff\n", "4: is not UTF-8 text; save it as UTF-8"),
        (b"+++\nname = 'a'\n+++\nDo it.", "1: TOML between +++ lines is not read"),
        (b"---\nname: a\n---\nDo\0 it.", "4: holds a NUL, so it is no text"),
        (b"x" * (1024 * 1024 + 1), "1: is larger than 1 MiB"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_the_line(tmp_path: Path, text: bytes, reason: str) -> None:
    written(tmp_path, "a/SKILL.md", text)

    shelf = SkillLibrary([tmp_path]).read()

    assert shelf.skills == ()
    (problem,) = shelf.problems
    assert problem.fatal
    assert str(problem).startswith(f"{tmp_path}/a/SKILL.md:")
    assert reason in str(problem)


def test_what_people_and_other_tools_write_is_understood(tmp_path: Path) -> None:
    more = (
        "keywords: [bake, 蛋糕]\nallowed-tools: Bash(git:*) Read\nlicense: MIT\nuser-invocable: no\n"
        "disable-model-invocation: true\ncompatibility: needs an oven\nmetadata:\n  author: ada\n"
    )
    text = "\ufeff<!-- licence -->\n" + skill_text("cake", about=">\n  Bakes: cakes.\n  Use when hungry.", more=more)

    parsed = parse_skill(text.replace("\n", "\r\n"), tmp_path / "cake/SKILL.md", tmp_path / "cake")

    assert parsed.problems == ()
    assert parsed.skill
    assert parsed.skill.description == "Bakes: cakes. Use when hungry."
    assert parsed.skill.keywords == ("bake", "蛋糕")
    assert parsed.skill.compatibility == "needs an oven"
    assert (parsed.skill.for_model, parsed.skill.for_user) == (False, False)
    assert parsed.skill.body == "Do it."


def test_skills_for_other_systems_are_not_offered(tmp_path: Path) -> None:
    written(tmp_path, "a/SKILL.md", skill_text("a", more="platforms: windows\n"))
    written(tmp_path, "b/SKILL.md", skill_text("b", more="platforms: [Linux, macOS]\n"))

    assert [skill.name for skill in SkillLibrary([tmp_path]).read().skills] == ["b"]


def test_a_search_takes_any_word_and_puts_names_first(tmp_path: Path) -> None:
    written(tmp_path, "a/SKILL.md", skill_text("a", body="bake it"))
    written(tmp_path, "b/SKILL.md", skill_text("b", about="How to bake"))
    written(tmp_path, "bake/SKILL.md", skill_text("bake"))
    written(tmp_path, "c/SKILL.md", skill_text("c", more="keywords: 蛋糕，面包\n"))
    shelf = SkillLibrary([tmp_path]).read()

    assert [skill.name for skill in shelf.search("BAKE bread")] == ["bake", "b", "a"]
    assert [skill.name for skill in shelf.search("面包")] == ["c"]
    assert shelf.search("nothing") == ()
    assert shelf.nearest("Bakee") == "bake"


def test_a_folder_that_is_no_library_does_not_hold_up_a_session(tmp_path: Path) -> None:
    for number in range(MOST_SKILLS + 5):
        written(tmp_path, f"s{number:03}.md", skill_text(f"s{number:03}"))
    loop = tmp_path / "loop"
    loop.symlink_to(tmp_path)

    shelf = SkillLibrary([tmp_path]).read()

    assert len(shelf.skills) == MOST_SKILLS
    assert problems(shelf, tmp_path.parent) == [
        f"{tmp_path.name}:1: holds more than {MOST_SKILLS} skills; the rest is left out"
    ]


@settings(max_examples=100, deadline=None)
@given(text=st.text(), head=st.text(max_size=80))
def test_no_text_makes_reading_fail(text: str, head: str) -> None:
    parsed = parse_skill(f"---\n{head}\n---\n{text}", Path("/s/a/SKILL.md"), Path("/s/a"))

    assert parsed.skill or parsed.problems
