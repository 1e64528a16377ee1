"""Instruction files: the user's own and the project's, read from where they may be read and no further than the limit."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.session.session_given import Given, calls, says, system_of
from yeaft.prompts.system import Note
from yeaft.session.instructions import IMPORT_DEPTH, LARGE_BYTES, Instructions, Sources, instructions, user_folders


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in a repository, beside which a secret lies."""
    (tmp_path / "secret").write_text("hidden")
    folder = tmp_path / "repository/part"
    folder.mkdir(parents=True)
    (tmp_path / "repository/.git").mkdir()
    return folder


def told(folder: Path, **where: object) -> Instructions:
    """What holds in `folder`, 100 bytes of it at most unless `where` says otherwise."""
    return instructions(replace(Sources(folder=folder, home=folder.parents[1], limit_bytes=100), **where))


def texts(found: Instructions) -> list[str]:
    return [note.text for note in found.notes]


def test_the_notes_of_the_repository_come_before_those_of_the_folder(folder: Path) -> None:
    (folder.parent / "AGENTS.md").write_text("whole")
    (folder / "CLAUDE.md").write_text("\ufeffpart")

    found = told(folder)

    assert found.notes == (
        Note(path=str(folder.parent / "AGENTS.md"), text="whole", why="repository"),
        Note(path=str(folder / "CLAUDE.md"), text="part", why="folder"),
    )
    assert (found.left_out, found.cut, found.size_bytes) == ((), (), 9)


@pytest.mark.parametrize(
    ("there", "used"),
    [
        (("CLAUDE.md", "AGENTS.md", "GEMINI.md"), "AGENTS.md"),
        (("GEMINI.md", ".cursorrules"), "GEMINI.md"),
        ((".goosehints", ".cursorrules"), ".goosehints"),
        ((".cursorrules",), ".cursorrules"),
    ],
)
def test_one_file_of_a_folder_counts_the_first_by_name(folder: Path, there: tuple[str, ...], used: str) -> None:
    for name in there:
        (folder / name).write_text(name)

    assert texts(told(folder)) == [used]
    assert texts(told(folder, names=("MINE.md", there[0]))) == [there[0]]


def test_local_files_are_added_to_the_shared_one(folder: Path) -> None:
    for name in ("CLAUDE.local.md", "AGENTS.local.md", "CLAUDE.md"):
        (folder / name).write_text(name)

    assert [(note.text, note.why) for note in told(folder).notes] == [
        ("CLAUDE.md", "folder"),
        ("AGENTS.local.md", "local"),
        ("CLAUDE.local.md", "local"),
    ]


def test_the_users_own_instructions_come_first_and_have_a_limit_of_their_own(folder: Path, tmp_path: Path) -> None:
    yeaft_home = tmp_path / ".yeaft"
    folders = user_folders(yeaft_home, {"HOME": str(tmp_path)})
    for place, text in zip(folders, ("general", "yeaft"), strict=True):
        place.mkdir()
        (place / "AGENTS.md").write_text(text)
    (folder / "AGENTS.md").write_text("x" * 200)

    found = told(folder, user_folders=folders, is_trusted=True)

    assert folders == (tmp_path / ".config", yeaft_home)
    assert [(note.text[:10], note.standing, note.why) for note in found.notes] == [
        ("general", "user", "user"),
        ("yeaft", "user", "user"),
        ("x" * 10, "trusted", "folder"),
    ]
    assert found.cut == (folder / "AGENTS.md",)


def test_a_link_that_leaves_the_repository_is_left_out_and_named(folder: Path) -> None:
    (folder / "AGENTS.md").symlink_to("../../secret")
    (folder / "CLAUDE.md").write_text("mine")

    found = told(folder)

    assert found.left_out == (folder / "AGENTS.md",)
    assert texts(found) == ["mine"]


def test_a_file_is_read_once_whatever_it_is_called(folder: Path) -> None:
    (folder.parent / "CLAUDE.md").write_text("whole")
    (folder / "AGENTS.md").symlink_to("../CLAUDE.md")
    (folder / "CLAUDE.local.md").hardlink_to(folder.parent / "CLAUDE.md")

    assert [note.path for note in told(folder).notes] == [str(folder / "AGENTS.md")]


def test_a_pipe_or_device_is_left_out_without_waiting(folder: Path) -> None:
    os.mkfifo(folder / "AGENTS.md")
    (folder / "CLAUDE.md").symlink_to("/dev/zero")

    found = told(folder)

    assert (found.notes, found.left_out) == ((), (folder / "CLAUDE.md", folder / "AGENTS.md"))


def test_a_file_larger_than_memory_is_read_up_to_the_limit(folder: Path) -> None:
    with (folder / "AGENTS.md").open("wb") as file:
        file.write("é".encode() * 100)
        file.truncate(1 << 42)

    found = told(folder, limit_bytes=5)

    assert (texts(found), found.cut) == (["éé"], (folder / "AGENTS.md",))
    assert told(folder, limit_bytes=0) == Instructions()


def test_what_a_file_imports_follows_it(folder: Path) -> None:
    (folder / "docs").mkdir()
    (folder / "docs/style.md").write_text("Tabs. See @more.md")
    (folder / "docs/more.md").write_text("More.")
    (folder / "AGENTS.md").write_text("Read @docs/style.md, mail a@b.c, not `@docs/more.md` nor @types/node.")

    found = told(folder)

    assert [(note.text[:5], note.why) for note in found.notes] == [
        ("Read ", "folder"),
        ("Tabs.", f"import of {folder / 'AGENTS.md'}"),
        ("More.", f"import of {folder / 'docs/style.md'}"),
    ]


def test_imports_stay_in_the_repository_and_those_of_the_user_at_home(folder: Path, tmp_path: Path) -> None:
    (folder / "AGENTS.md").write_text("@../../secret @~/secret")
    config = tmp_path / ".config"
    config.mkdir()
    (config / "AGENTS.md").write_text("@~/secret @/etc/hostname")

    found = told(folder, user_folders=(config,))

    assert texts(found) == ["@~/secret @/etc/hostname", "hidden", "@../../secret @~/secret"]
    assert {os.path.realpath(path) for path in found.left_out} == {"/etc/hostname", str(tmp_path / "secret")}


def test_a_circle_of_imports_ends_and_so_does_a_long_chain(folder: Path) -> None:
    for number in range(IMPORT_DEPTH + 3):
        (folder / f"{number}.md").write_text(f"@./{number + 1}.md @./AGENTS.md")
    (folder / "AGENTS.md").write_text("@./0.md")

    found = told(folder, limit_bytes=10_000)

    assert len(found.notes) == 1 + IMPORT_DEPTH
    assert found.left_out == (folder / f"{IMPORT_DEPTH}.md",)


def test_what_a_rule_denies_is_not_read_nor_imported(folder: Path) -> None:
    (folder / ".env").write_text("TOKEN=1")
    (folder / "AGENTS.md").write_text("@./.env")

    found = told(folder, denies=lambda path: path.name == ".env")

    assert texts(found) == ["@./.env"]
    assert found.left_out == (folder / ".env",)


async def test_a_folder_is_believed_only_once_it_is_trusted(given: Given) -> None:
    given.file("AGENTS.md", "Use tabs.")
    (given.home / "AGENTS.md").write_text("Answer in haiku.")
    talk = await given.session(says("One."))
    talk.say("Hi")
    await talk.outcome()

    trusting = await given.session(trust=True)
    trusting.say("Hi")
    await trusting.outcome()

    before, after = (system_of(one) for one in talk.server.requests)
    assert "Answer in haiku.\n</project-notes>\nThese are the user's own standing instructions." in before
    assert "Use tabs.\n</project-notes>\nThese notes come from a file in the work folder." in before
    assert (
        "Use tabs.\n</project-notes>\nThese are instructions for this project, from a folder that the user trusts."
        in after
    )


async def test_deeper_instructions_come_once_with_the_first_file_touched_beside_them(given: Given) -> None:
    given.file("AGENTS.md", "Root.")
    given.file("src/AGENTS.md", "Use tabs in src. @style.md")
    given.file("src/style.md", "Imported.")
    for name in ("src/a.py", "src/deep/b.py", "other/c.py"):
        given.file(name, "x")
    reads = [
        calls("FileRead", f"c{n}", file_path=path) for n, path in enumerate(("other/c.py", "src/a.py", "src/deep/b.py"))
    ]
    talk = await given.session(*reads, says("Done."), calls("FileRead", "c3", file_path="src/a.py"), says("Again."))

    talk.say("Read them.")
    await talk.outcome()
    again = await given.again(talk)
    again.say("Once more.")
    await again.outcome()

    assert talk.told_model("c0") == "1\tx"
    notes = talk.told_model("c1")
    assert notes.startswith(f'1\tx\n\n<project-notes path="{given.folder}/src/AGENTS.md">\nUse tabs in src.')
    assert "Imported.\n</project-notes>" in notes
    assert "Root." not in notes
    assert talk.told_model("c2") == "1\tx"
    assert again.told_model("c3") == "1\tx"


async def test_a_written_file_brings_its_instructions_too_and_each_vp_gets_them(given: Given) -> None:
    given.file("src/CLAUDE.md", "Use tabs in src.")
    given.file("src/a.py", "x")
    write = calls("FileWrite", "c1", file_path="src/new.py", content="y")
    talk = await given.session(
        write, says("Done."), calls("FileRead", "c2", file_path="src/a.py"), says("Read."), mode="auto"
    )

    talk.say("Write it.")
    await talk.outcome()
    talk.say("@skeptic read it.")
    await talk.outcome()

    assert "Use tabs in src." in talk.told_model("c1")
    assert "Use tabs in src." in talk.told_model("c2")


async def test_reading_the_instructions_themselves_does_not_repeat_them(given: Given) -> None:
    given.file("src/AGENTS.md", "Use tabs in src.")
    given.file("src/a.py", "x")
    reads = [calls("FileRead", f"c{n}", file_path=path) for n, path in enumerate(("src/AGENTS.md", "src/a.py"))]
    talk = await given.session(*reads, says("Done."))

    talk.say("Read them.")
    await talk.outcome()

    assert talk.told_model("c0") == "1\tUse tabs in src."
    assert talk.told_model("c1") == "1\tx"


def test_what_every_request_must_carry_is_said_to_be_large(folder: Path) -> None:
    from yeaft.interfaces.instructed import instruction_remarks

    (folder / "AGENTS.md").write_text("x" * (LARGE_BYTES + 1024))

    assert list(instruction_remarks(told(folder, limit_bytes=10**6))) == [("instructions.large", {"size": "33 KiB"})]
    assert list(instruction_remarks(told(folder))) == [("instructions.cut", {"path": str(folder / "AGENTS.md")})]
