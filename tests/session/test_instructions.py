"""Instruction files of a folder are read from the folder alone, and no further than their limit."""

import os
from pathlib import Path

import pytest

from yeaft.prompts.system import Note
from yeaft.session.instructions import Instructions, instructions


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in a repository, beside which a secret lies."""
    (tmp_path / "secret").write_text("hidden")
    folder = tmp_path / "repository/part"
    folder.mkdir(parents=True)
    (tmp_path / "repository/.git").mkdir()
    return folder


def test_the_notes_of_the_repository_come_before_those_of_the_folder(folder: Path) -> None:
    (folder.parent / "AGENTS.md").write_text("whole")
    (folder / "CLAUDE.md").write_text("\ufeffpart")

    found = instructions(folder, 100)

    whole = Note(path=str(folder.parent / "AGENTS.md"), text="whole")
    assert found == Instructions(notes=(whole, Note(path=str(folder / "CLAUDE.md"), text="part")))


def test_a_link_that_leaves_the_repository_is_left_out_and_named(folder: Path) -> None:
    (folder / "AGENTS.md").symlink_to("../../secret")
    (folder / "CLAUDE.md").write_text("mine")

    found = instructions(folder, 100)

    assert found.left_out == (folder / "AGENTS.md",)
    assert found.notes == (Note(path=str(folder / "CLAUDE.md"), text="mine"),)


def test_a_link_within_the_repository_is_followed_and_its_file_read_once(folder: Path) -> None:
    (folder.parent / "CLAUDE.md").write_text("whole")
    (folder / "AGENTS.md").symlink_to("../CLAUDE.md")

    assert instructions(folder, 100) == Instructions(notes=(Note(path=str(folder / "AGENTS.md"), text="whole"),))


def test_a_pipe_or_device_is_left_out_without_waiting(folder: Path) -> None:
    os.mkfifo(folder / "AGENTS.md")
    (folder / "CLAUDE.md").symlink_to("/dev/zero")

    assert instructions(folder, 100) == Instructions(left_out=(folder / "CLAUDE.md", folder / "AGENTS.md"))


def test_a_file_larger_than_memory_is_read_up_to_the_limit(folder: Path) -> None:
    with (folder / "AGENTS.md").open("wb") as file:
        file.write("é".encode() * 100)
        file.truncate(1 << 42)

    assert instructions(folder, 5).notes[0].text == "éé"
