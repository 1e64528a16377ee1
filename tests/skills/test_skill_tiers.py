"""Whose skills are used, and how much of them a model is told before it asks."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.skills.disclosure import LIMIT_BYTES, told_of
from yeaft.skills.library import Shelf, SkillFolder, SkillLibrary, files_of, skill_files, skill_folders
from yeaft.skills.skill_file import Skill, Tier


def put(folder: Path, name: str, about: str = "Does it.", more: str = "") -> Path:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nname: {name}\ndescription: {about}\n{more}---\nDo it.\n", encoding="utf-8")
    return path


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """The user's own folder; yeaft's is in it."""
    (tmp_path / "user" / ".yeaft").mkdir(parents=True)
    return tmp_path / "user"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A work folder."""
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def shelf(user: Path, work: Path | None = None, *, trusted: bool = True) -> Shelf:
    return SkillLibrary(skill_folders(user / ".yeaft", {"HOME": str(user)}, work, trusted=trusted)).read()


PLACES = [
    "user/.claude/skills",
    "user/.config/agents/skills",
    "user/.agents/skills",
    "user/.yeaft/skills",
    "work/.cursor/skills",
    "work/.claude/skills",
    "work/.agents/skills",
    "work/.yeaft/skills",
]


@pytest.mark.parametrize("place", range(len(PLACES)))
def test_a_later_place_wins_and_the_hidden_ones_are_known(tmp_path: Path, user: Path, work: Path, place: int) -> None:
    for name in PLACES[: place + 1]:
        put(tmp_path / name, "cake", about=name)

    found = shelf(user, work)

    cake = found.get("cake")
    assert cake is not None
    assert (cake.description, cake.tier) == (PLACES[place], "project" if "work" in PLACES[place] else "user")
    assert [skill.description for skill in found.hidden] == PLACES[:place]
    assert len([problem for problem in found.problems if "it is replaced by" in problem.reason]) == place


def test_a_folder_that_is_not_trusted_has_no_skills(user: Path, work: Path) -> None:
    put(work / ".yeaft" / "skills", "cake")

    assert shelf(user, work, trusted=False).get("cake") is None
    assert shelf(user).get("cake") is None
    assert SkillLibrary(skill_folders(user / ".yeaft", {"HOME": "relative"})).read().get("cake") is None


def test_one_file_that_several_places_link_to_is_one_skill_without_a_word(user: Path, work: Path) -> None:
    put(user / ".agents" / "skills", "cake")
    (user / ".claude").mkdir()
    (user / ".claude" / "skills").symlink_to(user / ".agents" / "skills")
    put(work / "kept", "bread")
    (work / ".claude" / "skills").mkdir(parents=True)
    (work / ".claude" / "skills" / "bread").symlink_to("../../kept/bread")

    found = shelf(user, work)

    assert [skill.name for skill in found.skills if skill.tier != "bundled"] == ["bread", "cake"]
    assert (found.problems, found.hidden) == ((), ())


@pytest.mark.parametrize("link", ["skills/cake", "skills/cake/SKILL.md", "skills/cake.md", "skills"])
def test_a_link_of_a_project_that_leads_out_is_refused_and_named(
    tmp_path: Path, user: Path, work: Path, link: str
) -> None:
    outside = put(tmp_path / "outside", "cake")
    target = outside if link.endswith(".md") else outside.parent if link.endswith("cake") else outside.parents[1]
    path = work / ".claude" / link
    path.parent.mkdir(parents=True)
    path.symlink_to(target)
    mine = user / ".claude" / link
    mine.parent.mkdir(parents=True)

    found = shelf(user, work)
    mine.symlink_to(target)

    assert found.get("cake") is None
    (problem,) = found.problems
    assert problem.fatal
    assert "is a link that leads out of the work folder, to " in problem.reason
    assert shelf(user, work).get("cake") is not None, "the user's own links lead where they like"


def test_links_in_circles_and_links_to_nowhere_end_the_search(user: Path, work: Path) -> None:
    place = work / ".claude" / "skills"
    put(place, "cake")
    (place / "round").symlink_to(place)
    (place / "gone").mkdir()
    (place / "gone" / "SKILL.md").symlink_to("nowhere")

    found = shelf(user, work)

    assert found.get("cake") is not None
    assert [problem.reason for problem in found.problems] == ["cannot be read: No such file or directory"]
    assert len(list(skill_files(SkillFolder(path=place)))) == 2


def test_a_skill_is_found_in_any_capitals_and_however_deep_it_lies(user: Path, work: Path) -> None:
    place = work / ".claude" / "skills"
    for name, file in (("cake", "Skill.md"), ("pie", "SKILL.MD")):
        (place / name).mkdir(parents=True)
        (place / name / file).write_text(f"---\nname: {name}\ndescription: d\n---\nBake.")
    put(place / "a" / "b" / "c" / "d" / "e", "tart")

    found = shelf(user, work)

    assert [(one.name, one.folder) for name in ("cake", "pie") if (one := found.get(name))] == [
        ("cake", place / "cake"),
        ("pie", place / "pie"),
    ]
    tart = found.get("tart")
    assert tart is not None
    assert tart.category == "a/b/c/d/e"
    assert found.problems == ()


def test_files_of_a_skill_do_not_include_what_links_lead_to(tmp_path: Path, work: Path) -> None:
    source = put(work / ".yeaft" / "skills", "cake")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("hidden")
    (source.parent / "out").symlink_to(tmp_path / "outside")
    (source.parent / "oven.md").write_text("180")

    found = SkillLibrary([work / ".yeaft" / "skills"]).read().get("cake")

    assert found is not None
    assert files_of(found, 10) == ("oven.md",)


def skill(name: str, about: str, tier: Tier = "user", *, for_model: bool = True) -> Skill:
    return Skill(name=name, description=about, body="x", source=Path(name), folder=None, tier=tier, for_model=for_model)


def test_a_model_is_told_names_and_descriptions_of_what_it_may_load() -> None:
    told = told_of(Shelf(skills=(skill("cake", "Bakes."), skill("mine", "Mine.", for_model=False))))

    assert told == "- cake: Bakes."
    assert told_of(Shelf(skills=())) == ""


def test_the_bundled_skills_take_less_than_a_kilobyte(user: Path) -> None:
    assert 300 < len(told_of(shelf(user)).encode()) < 1024


def test_many_skills_are_told_shorter_and_then_only_counted_the_nearest_first() -> None:
    some = [skill(f"s{number:03}", "word " * 60) for number in range(8)]
    many = [skill(f"b{number:03}", "word " * 60, "bundled") for number in range(100)]

    shorter = told_of(Shelf(skills=tuple(some)))
    counted = told_of(Shelf(skills=(*many, *some)))

    assert [line[:7] for line in shorter.split("\n")] == [f"- s00{number}:" for number in range(8)]
    assert all(line.endswith("…") for line in shorter.split("\n"))
    assert counted.startswith("- s000: word")
    assert counted.endswith(" more: action list)")
    assert int(counted.rpartition("(")[2].split()[0]) + counted.count("\n") == 108


@given(
    st.lists(st.tuples(st.text(min_size=1, max_size=64), st.text(max_size=1024)), max_size=60), st.integers(40, 4000)
)
def test_what_a_model_is_told_never_grows_over_its_limit(parts: list[tuple[str, str]], limit_bytes: int) -> None:
    skills = tuple(skill(name, about.encode("utf-8", "ignore").decode()) for name, about in parts)

    assert len(told_of(Shelf(skills=skills), limit_bytes).encode("utf-8", "replace")) <= max(limit_bytes, LIMIT_BYTES)
