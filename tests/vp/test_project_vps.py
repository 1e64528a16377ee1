"""VPs that a trusted work folder brings along: its own, and the agent files of another program."""

from pathlib import Path

import pytest

from yeaft.vp.library import Library, vp_folders

COLON = "holds `: ` without quotes, which other programs refuse; put the value in quotes"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / "vps").mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work" / ".claude" / "agents").mkdir(parents=True)
    (tmp_path / "work" / ".yeaft" / "vps").mkdir(parents=True)
    return tmp_path / "work"


def agent(work: Path, name: str, text: str | bytes) -> Path:
    path = work / ".claude" / "agents" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def problems(library: Library, work: Path) -> list[str]:
    return [str(problem).replace(f"{work}/", "") for problem in library.problems()]


def test_an_agent_file_is_a_vp_as_it_lies_there(home: Path, work: Path) -> None:
    path = agent(
        work,
        "deep/01-review.md",
        "---\nname: code-reviewer\ndescription: Reviews. Use it: always.\ntools: Read\nmodel: haiku\ncolor: red\n---\nLook.",
    )

    library = Library(vp_folders(home, work))

    vp = library.get("code-reviewer")
    assert vp is not None
    assert (vp.name, vp.role, vp.model, vp.tools.allow) == (
        "Code reviewer",
        "Reviews.",
        "fast",
        ("FileRead", "ListDir"),
    )
    assert (vp.source, len(vp.digest), library.tier_of(vp.id)) == (str(path), 64, "project")
    assert problems(library, work) == [
        f".claude/agents/deep/01-review.md:3: {COLON}",
    ]


def test_nothing_is_read_from_a_folder_that_is_not_trusted(home: Path, work: Path) -> None:
    agent(work, "baker.md", "---\nname: baker\n---\nBake.")

    assert Library(vp_folders(home)).get("baker") is None


def test_the_projects_vp_goes_before_the_users_and_that_is_remarked(home: Path, work: Path) -> None:
    (home / "vps" / "baker.md").write_text("---\nname: Mine\n---\nI bake.")
    agent(work, "baker.md", "---\nname: baker\n---\nThey bake.")
    (work / ".yeaft" / "vps" / "baker.md").write_text("---\nname: Ours\n---\nWe bake.")

    library = Library(vp_folders(home, work))

    vp = library.get("baker")
    assert vp is not None
    assert (vp.name, vp.text("en"), library.tier_of("baker")) == ("Ours", "We bake.", "project")
    assert [text.replace(str(home.parent), "") for text in problems(library, work)] == [
        f"/home/vps/baker.md:1: @baker is not this one: it is replaced by {work}/.claude/agents/baker.md".replace(
            str(home.parent), ""
        ).replace("/work/", ""),
        ".claude/agents/baker.md:1: @baker is not this one: it is replaced by .yeaft/vps/baker.md",
    ]


def test_agents_of_one_name_and_files_that_are_none_are_said(home: Path, work: Path) -> None:
    agent(work, "a.md", "---\nname: baker\n---\nFirst.")
    agent(work, "b.md", "---\nname: Baker\n---\nSecond.")
    agent(work, "c.md", "Just words.")
    agent(work, "README.md", "About these.")
    agent(work, "omni.md", "---\nname: omni\n---\n")
    agent(work, "latin.md", "---\nname: latin\n---\nGebäck.".encode("latin-1"))
    (work / ".claude" / "agents" / "out.md").symlink_to(home / "secret")

    library = Library(vp_folders(home, work))

    baker, omni, latin = library.get("baker"), library.get("omni"), library.get("latin")
    assert baker is not None
    assert baker.text("en") == "First."
    assert latin is not None
    assert latin.text("en") == "Gebäck."
    assert omni is not None
    assert library.tier_of("omni") == "bundled", "a file that says nothing replaces nobody"
    assert sorted(text[: text.index(":1: ") + 24] for text in problems(library, work)) == [
        ".claude/agents/b.md:1: @baker is not this o",
        ".claude/agents/c.md:1: is not an agent file",
        ".claude/agents/latin.md:1: is read as LATIN-1; ",
        ".claude/agents/omni.md:1: has no prompt below ",
        ".claude/agents/out.md:1: is a link that leads",
    ]


def test_a_note_among_agents_is_known_as_one_and_linked_folders_are_read(home: Path, work: Path) -> None:
    note = agent(work, "README.md", "# Our agents")
    (work / "shared").mkdir()
    (work / "shared" / "cook.MD").write_text("---\nname: cook\n---\nGo.")
    (work / ".claude" / "agents" / "more").symlink_to(work / "shared")

    library = Library(vp_folders(home, work))

    assert library.get("cook") is not None
    assert (library.notes(), problems(library, work)) == ((note,), [])


def test_an_own_vp_of_the_project_that_leads_out_is_not_read(home: Path, work: Path) -> None:
    (home / "secret.md").write_text("---\nname: Secret\n---\nx")
    (work / ".yeaft" / "vps" / "spy.md").symlink_to(home / "secret.md")

    library = Library(vp_folders(home, work))

    assert library.get("spy") is None
    assert "is a link that leads out of the work folder" in problems(library, work)[0]
