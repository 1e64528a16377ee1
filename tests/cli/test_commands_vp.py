"""`yeaft vp`: a VP of one's own is a file that the program helps to write, and never one that it loses."""

from pathlib import Path

from tests.cli.commands_given import Given

AGENT = """---
name: code-reviewer
description: Reviews code. Use it after every change.
tools: Read, Grep, Teleport
---
You review code with care.
"""


def test_every_bundled_vp_is_listed_in_the_users_language(given: Given) -> None:
    rows = given.yeaft("vp", "ls", "--json").json

    assert len(rows) == 12
    assert all(row["bundled"] and row["role"] and row["role_zh"] for row in rows)
    assert "质疑者" in given.says("vp", "ls", "--lang", "zh")


def test_a_vp_is_shown_by_any_of_its_names(given: Given) -> None:
    assert given.yeaft("vp", "show", "质疑者", "--json").json["id"] == "skeptic"
    assert "What holds up" not in given.says("vp", "show", "@Skeptic", "--lang", "zh")
    missing = given.yeaft("vp", "show", "sceptic")
    assert missing.code == 66
    assert "skeptic" in missing.err


def test_a_new_vp_can_be_mentioned_at_once(given: Given) -> None:
    made = given.process("vp", "new", "poet", "--name", "Poet", "--from", "-", "--json", stdin="You speak in haiku.\n")

    assert made.json == {"id": "poet", "path": str(given.home / "vps" / "poet.md")}
    assert given.yeaft("route", "@Poet hello", "--json").json["to"] == ["poet"]
    assert given.yeaft("vp", "show", "poet", "--json").json["persona"] == {"": "You speak in haiku."}
    assert given.yeaft("vp", "new", "poet").code == 2
    assert given.yeaft("vp", "new", "all").code == 2


def test_a_new_vp_without_a_persona_takes_no_part_until_its_file_says_who_it_is(given: Given) -> None:
    made = given.yeaft("vp", "new", "bard", "--role", "Sings: badly")
    path = Path(made.out.strip())
    before = given.yeaft("route", "@bard hello", "--json").json["to"]
    checked = given.yeaft("vp", "check", "--json")

    path.write_text(f"{path.read_text('utf-8')}You sing out of tune.\n", encoding="utf-8")

    assert (made.code, made.err.startswith(f"Edit it first: {path}\n")) == (0, True)
    assert (before, checked.code, [row["path"] for row in checked.json]) == (["omni"], 78, [str(path)])
    shown = given.yeaft("vp", "show", "bard", "--json").json
    assert (shown["role"], shown["persona"]) == ("Sings: badly", {"": "You sing out of tune."})
    assert given.yeaft("vp", "check").err == "All 13 VP files are fine.\n"


def test_a_persona_can_be_given_in_the_command_line_itself(given: Given) -> None:
    given.says("vp", "new", "poet", "--persona", "You say everything in eight lines.")

    assert given.yeaft("vp", "show", "poet", "--json").json["persona"] == {"": "You say everything in eight lines."}
    both = given.yeaft("vp", "new", "bard", "--persona", "You sing.", "--from", "poet.txt")
    assert (both.code, "--from" in both.err) == (2, True)


def test_editing_a_bundled_vp_makes_a_copy_which_is_used_from_then_on(given: Given) -> None:
    path = Path(given.says("vp", "edit", "Skeptic"))
    path.write_text(path.read_text("utf-8").replace("name: Skeptic", "name: Cassandra"), encoding="utf-8")

    assert path == given.home / "vps" / "skeptic.md"
    shown = given.yeaft("vp", "show", "cassandra", "--json").json
    assert (shown["id"], shown["bundled"]) == ("skeptic", False)
    assert shown["persona"].keys() == {"en", "zh"}
    assert given.says("vp", "edit", "skeptic") == str(path), "the copy is not copied again"
    assert given.yeaft("vp", "show", "cassandra", "--json").json["id"] == "skeptic"


def test_only_ones_own_vps_can_be_deleted(given: Given) -> None:
    given.says("vp", "edit", "skeptic")

    unasked = given.yeaft("vp", "rm", "skeptic")
    given.says("vp", "rm", "skeptic", "--yes")
    bundled = given.yeaft("vp", "rm", "skeptic", "--yes")

    assert unasked.code == 3
    assert bundled.code == 2
    assert given.yeaft("vp", "show", "skeptic", "--json").json["bundled"]


def test_importing_says_what_was_taken_and_leaves_what_is_there(given: Given) -> None:
    agents = given.folder / ".claude" / "agents"
    agents.mkdir(parents=True)
    (agents / "reviewer.md").write_text(AGENT)
    (agents / "notes.md").write_text("no agent at all")

    tried = given.yeaft("vp", "import", ".claude/agents", "--dry-run")
    before = (given.home / "vps").exists()
    done = given.yeaft("vp", "import", ".claude/agents", "--json")
    again = given.yeaft("vp", "import", ".claude/agents/reviewer.md")
    forced = given.yeaft("vp", "import", ".claude/agents/reviewer.md", "--force")

    assert (tried.code, before) == (65, False)
    assert done.code == 65
    assert '"status": "imported"' in done.out
    assert "notes.md is not an agent file" in done.err
    assert "'Teleport'" in done.err
    assert given.yeaft("vp", "show", "code-reviewer", "--json").json["tools"] == {
        "allow": ["FileRead", "ListDir", "Grep", "Teleport"]
    }
    assert (again.code, forced.code) == (0, 0)
    assert "kept" in again.out
    assert "--force" in again.err


def test_agent_files_of_other_programs_are_checked_wherever_their_folder_is(given: Given) -> None:
    place = given.folder / "plugin" / "agents" / "deep"
    place.mkdir(parents=True)
    (place / "fine.md").write_text("---\nname: fine\ndescription: Does.\ntools: Read\ncolor: red\n---\nYou do.\n")
    (place / "none.md").write_text("# Notes\n")

    folder = given.yeaft("vp", "check", "plugin/agents")
    one = given.yeaft("vp", "check", "plugin/agents/deep/fine.md")

    assert (folder.code, folder.out) == (
        78,
        "plugin/agents/deep/none.md:1: is not an agent file: it has no front matter between two --- lines\n",
    )
    assert (one.code, one.out) == (0, "")


def test_a_broken_vp_file_is_named_with_its_line_and_leaves_the_others_alone(given: Given) -> None:
    vps = given.home / "vps"
    vps.mkdir(parents=True)
    (vps / "poet.md").write_text("---\nid: poet\nname: Poet\naliases: {a: b}\n---\nYou rhyme.\n")

    checked = given.yeaft("vp", "check", "--json")
    listed = given.yeaft("vp", "ls")

    assert checked.code == 78
    assert [(row["path"], row["line"], row["fatal"]) for row in checked.json] == [(str(vps / "poet.md"), 4, True)]
    assert given.yeaft("vp", "check", str(vps)).out.startswith(f"{vps}/poet.md:4: ")
    assert (listed.code, f"{vps}/poet.md:4" in listed.err) == (0, True)
    assert given.yeaft("vp", "check", "nowhere").code == 66
