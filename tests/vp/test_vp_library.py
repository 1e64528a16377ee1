"""A user's own VPs beside the bundled ones."""

from pathlib import Path

import pytest

from yeaft.vp.library import Library, vp_folders


@pytest.fixture
def home(tmp_path):
    (tmp_path / "vps").mkdir()
    return tmp_path


def write(folder: Path, name: str, text: str | bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def problems(library):
    return [str(problem) for problem in library.problems()]


def test_a_new_home_has_the_bundled_vps(tmp_path):
    library = Library(vp_folders(tmp_path / "nowhere"))

    assert "omni" in library.ids()
    assert library.problems() == ()


def test_a_users_file_replaces_the_bundled_vp_of_the_same_id(home):
    path = write(home / "vps", "skeptic.md", "---\nname: Grumpy\naliases: naysayer, 反对者\n---\nYou grumble.")

    vp = Library(vp_folders(home)).get("skeptic")

    assert (vp.id, vp.name, vp.aliases, vp.text("en"), vp.source) == (
        "skeptic",
        "Grumpy",
        ("naysayer", "反对者"),
        "You grumble.",
        str(path),
    )


def test_a_projects_vps_count_only_when_the_project_is_given(home, tmp_path):
    write(tmp_path / "app" / ".yeaft" / "vps", "poet.md", "---\nname: Poet\n---\nYou rhyme.")

    assert Library(vp_folders(home)).get("poet") is None
    assert Library(vp_folders(home, tmp_path / "app")).get("poet").name == "Poet"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("poet.md", "You rhyme.", "poet.md:1: has no front matter"),
        ("poet.md", "---\nname: Poet\n---\n \n", "poet.md:2: no persona text"),
        ("poet.md", "---\nname: Poet\ntools: {allow: {a: b}}\n---\nx", "poet.md:3: tools.allow: Expected a list"),
        ("poet.md", "---\nname: [a, b]\n---\nx", "poet.md:2: name: Expected text"),
        (
            "poet.md",
            "---\nname: Poet\nid: bard\n---\nx",
            "poet.md:3: the id is 'bard', so the file must be named bard.md",
        ),
        ("poet.md", "---\nname: all\n---\nx", "poet.md:2: the name 'all' is reserved"),
        ("poet.md", "---\nname: Poet\naliases: [p, 所有人]\n---\nx", "poet.md:3: the name '所有人' is reserved"),
        ("poet.md", "---\nname: a@b\n---\nx", "poet.md:2: the name 'a@b' may not hold @"),
        ("poet.md", b"---\nname: Poet\n---\nYou\n\xff\xfe", "poet.md:5: is not UTF-8 text"),
        ("user.md", "---\nname: Me\n---\nx", "user.md:1: the id 'user' is reserved"),
        ("42.md", "---\nname: X\n---\nx", "42.md:1: the id '42' may not be all digits"),
        ("_x.md", "---\nname: X\n---\nx", "_x.md:1: the id '_x' may not begin with _"),
        ("po et.md", "---\nname: X\n---\nx", "po et.md:1: the id 'po et' may have only letters"),
    ],
)
def test_a_broken_file_is_reported_with_its_line_and_left_out(home, name, text, said):
    path = write(home / "vps", name, text)

    library = Library(vp_folders(home))

    assert library.get(path.stem) is None
    assert len(library.all()) == 12
    (problem,) = problems(library)
    assert problem.startswith(str(path.parent / said))


def test_a_broken_replacement_does_not_bring_the_bundled_vp_back(home):
    write(home / "vps", "omni.md", "+++\nname = 'Omni'\n+++\nx")

    library = Library(vp_folders(home))

    assert library.get("omni") is None
    assert len(problems(library)) == 1


def test_an_unreadable_file_and_a_folder_named_like_a_vp_are_reported(home):
    (home / "vps" / "dir.md").mkdir()
    (home / "vps" / "link.md").symlink_to(home / "gone")

    found = problems(Library(vp_folders(home)))

    assert [text.rpartition("/")[2] for text in found] == [
        "dir.md:1: cannot be read: Is a directory",
        "link.md:1: cannot be read: No such file or directory",
    ]


def test_a_key_that_nobody_knows_is_only_a_hint(home):
    write(home / "vps", "poet.md", "---\nname: Poet\nalias: [bard]\ncolour: red\n---\nx")

    library = Library(vp_folders(home))

    assert library.get("poet") is not None
    assert [text.partition("poet.md:")[2] for text in problems(library)] == [
        "3: the key 'alias' is ignored; did you mean 'aliases'?",
        "4: the key 'colour' is ignored",
    ]


def test_a_name_that_two_vps_claim_belongs_to_the_first_and_is_reported(home):
    write(home / "vps", "poet.md", "---\nname: Poet\naliases: [QA, ＯＭＮＩ]\n---\nx")

    found = [text.partition("poet.md:")[2] for text in problems(Library(vp_folders(home)))]

    assert found == [
        "1: the name 'QA' already belongs to @tester, so @QA means that one",
        "1: the name 'ＯＭＮＩ' already belongs to @omni, so @ＯＭＮＩ means that one",
    ]


def test_one_vp_is_read_without_touching_the_others(home):
    write(home / "vps", "poet.md", "---\nname: Poet\n---\nx")
    write(home / "vps", "other.md", "---\nname: Other\n---\nx")
    library = Library((home / "vps",))

    assert library.get("poet").name == "Poet"
    (home / "vps" / "other.md").unlink()

    assert problems(library) == [f"{home}/vps/other.md:1: cannot be read: No such file or directory"]


def test_the_digest_follows_the_text(home):
    path = write(home / "vps", "poet.md", "---\nname: Poet\n---\nx")
    before = Library(vp_folders(home)).get("poet").digest
    same = Library(vp_folders(home)).get("poet").digest
    path.write_text("---\nname: Poet\n---\ny")

    assert before == same
    assert before != Library(vp_folders(home)).get("poet").digest
