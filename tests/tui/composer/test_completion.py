"""What is completed where: the grammar is that of the Session, and what is put in reads back as what was chosen."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.interfaces.orders import orders
from yeaft.interfaces.tui.composer.candidates import hint_candidates, slash_candidates, vp_candidates
from yeaft.interfaces.tui.composer.completion_place import Place, place_at
from yeaft.interfaces.tui.composer.file_index import FileIndex, Unwanted, indexed
from yeaft.interfaces.tui.composer.mention_text import file_mention
from yeaft.prompts.ui import Ui
from yeaft.session.at_signs import path_at
from yeaft.session.mentions import find_mentions
from yeaft.session.slash.slash_word import SlashWord
from yeaft.vp.names import Names
from yeaft.vp.persona import Vp

VPS = (
    Vp(id="skeptic", name="Skeptic", name_zh="质疑者", role="doubts"),
    Vp(id="builder", name="Builder", role="builds"),
    Vp(id="docs", name="Writer", role="writes"),
)
NAMES = Names(VPS)
EN = Ui("en")


def place(text: str) -> Place | None:
    """The place at `|` in a text."""
    return place_at(text.replace("|", ""), text.index("|"), lambda: NAMES)


def always() -> bool:
    return True


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("@|", ""),
        ("ask @ske|", "ske"),
        ("@质疑者@bui|", "bui"),
        ("你好，@质|", "质"),
        ("(@src/ma|", "src/ma"),
        ('see @"a b/c|', "a b/c"),
        ("@f.py:10-4|", "f.py:10-4"),
        ("＠ske|", "ske"),
    ],
)
def test_a_name_or_path_behind_an_at_sign_is_completed(text, fragment):
    found = place(text)

    assert found is not None
    assert (found.kind, found.fragment) == ("at", fragment)


@pytest.mark.parametrize(
    "text",
    ["mail me@exa|", "`@ske|", "```\n@ske|", "@skeptic hi|", "a @b c|", '@"a b" c|', "plain|", "x/y|", "@skeptic@bui|"],
)
def test_addresses_code_and_plain_words_are_not(text):
    assert place(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/|", Place("slash", 0, 1, "")),
        ("/mo|", Place("slash", 0, 3, "mo")),
        ("@skeptic /rev|", Place("slash", 9, 13, "rev")),
        ("/model op|", Place("hint", 0, 9, "model")),
        ("/usr/b|", None),
        ("/usr/|", None),
        ("see /mo|", None),
    ],
)
def test_a_command_is_completed_where_the_session_would_read_one(text, expected):
    assert place(text) == expected


def test_vps_are_found_by_any_name_and_those_who_take_part_come_first():
    def ids(fragment: str) -> list[str]:
        return [one.vp_id for one in vp_candidates(VPS, ("omni", "docs"), fragment, EN)]

    assert ids("")[:3] == ["docs", "", "builder"]  # the roster, everybody, the others
    assert ids("质") == ["skeptic"]
    assert ids("WRI") == ["docs"]
    assert ids("bdr") == ["builder"]
    assert "" in ids("al")


def test_orders_and_skills_are_found_and_say_what_they_take():
    words = (SlashWord(name="review", kind="skill", description="looks at a change", hint="[FILE]"),)

    found = slash_candidates(orders(), words, "re", EN)
    hints = hint_candidates(orders(), words, "review", EN)

    assert {"/resume", "/review", "/rename"} <= {one.text for one in found}
    assert next(one for one in found if one.text == "/review").section == "skills"
    assert [(one.label, one.section) for one in hints] == [("/review [FILE]", "hint")]
    assert slash_candidates(orders(), words, "modle", EN) == []


@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=20))
def test_a_file_that_was_chosen_is_read_as_that_file(name):
    is_odd = name in (".", "..") or ('"' in name and "'" in name) or name != name.strip()
    if is_odd or any(sign in name for sign in "/`@＠"):
        return

    written = file_mention(name, NAMES)
    found = path_at(f"{written} ", 1)

    assert found is not None
    assert os.path.normpath(found.path) == os.path.normpath(name)
    assert find_mentions(f"{written} ", NAMES) == ()


def test_files_are_written_so_that_they_are_no_vps():
    assert file_mention("docs", NAMES) == "@./docs"
    assert file_mention("src/a.py", NAMES, part=":10-40") == "@src/a.py:10-40"
    assert file_mention("a b.txt", NAMES, part=":3") == '@"a b.txt":3'
    assert file_mention("Makefile", NAMES) == "@./Makefile"


def test_files_are_those_that_git_knows_and_what_it_ignores_is_found_when_written_out(tmp_path: Path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for name in ("src/main.py", "src/other.py", "build/out.o", "new file.txt", ".gitignore"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / ".gitignore").write_text("build/\n")
    index = indexed(tmp_path)

    assert index.paths == (".gitignore", "new file.txt", "src/", "src/main.py", "src/other.py")
    assert index.search("out", always) == []
    assert index.search("build/out.o", always) == ["build/out.o"]
    assert index.search("build/", always) == ["build/out.o"]
    assert index.search("main", always) == ["src/main.py"]
    assert index.search("smp", always) == ["src/main.py"]


def test_a_folder_without_git_is_walked(tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.txt").write_text("")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "x.js").write_text("")

    assert indexed(tmp_path).paths == ("a/", "a/b.txt")


def test_the_name_that_begins_so_comes_before_the_folder_that_does(tmp_path: Path):
    index = FileIndex(tmp_path, ["test/data.bin", "src/test_app.py", "src/contest.py", "src/app_test.py"])

    assert index.search("test", always)[:4] == ["test/", "src/test_app.py", "src/app_test.py", "src/contest.py"]


def test_a_search_in_many_files_narrows_down_and_can_be_given_up(tmp_path: Path):
    index = FileIndex(tmp_path, [f"pkg{number % 300}/mod{number}.py" for number in range(150_000)])
    asked: list[str] = []

    def gives_up() -> bool:
        asked.append("?")
        return len(asked) < 3

    assert index.search("mod1499", always)[0] == "pkg299/mod1499.py"
    assert index.search("mod14999", always)[0] == "pkg299/mod14999.py"
    with pytest.raises(Unwanted):
        index.search("zzz", gives_up)
    assert len(asked) == 3
