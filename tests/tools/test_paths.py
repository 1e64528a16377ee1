"""One resolver decides what a path stands for and whether it is inside."""

import os
from pathlib import Path

import pytest

from tests.tools.folder_given import Folder
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.files.file_bytes import read_file
from yeaft.tools.paths import Paths


def test_relative_absolute_and_home_paths_resolve_to_one_absolute_path(tmp_path: Path) -> None:
    folder = Folder(tmp_path)

    resolved = [folder.paths.resolve(text) for text in ("a/../b", f"{folder.root}/b", "~/b", "~", "//etc", ".")]

    assert resolved == [folder.root / "b", folder.root / "b", folder.home / "b", folder.home, Path("/etc"), folder.root]


@pytest.mark.parametrize("text", ["", "  ", "a\0b", "a\nb", "a\x1b[2Jb", "a\x85b"])
def test_empty_paths_and_control_characters_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ToolFailed, match="path"):
        Folder(tmp_path).paths.resolve(text)


def test_dots_and_links_that_lead_out_are_not_inside(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder.root / "link").symlink_to(outside)
    (folder.root / "dangling").symlink_to(tmp_path / "not-there")
    (folder.root / "loop").symlink_to("loop")

    inside = {
        text: folder.paths.inside(folder.paths.resolve(text))
        for text in ("new/file", "link/x", "link/../x", "dangling", "../work/x", "../workshop/x", "..", ".")
    }

    assert inside == {
        "new/file": True,
        "link/x": False,
        "link/../x": False,
        "dangling": False,
        "../work/x": True,
        "../workshop/x": False,
        "..": False,
        ".": True,
    }


def test_a_work_folder_reached_through_a_link_is_still_itself(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    (tmp_path / "short").symlink_to(folder.root)

    paths = Paths(tmp_path / "short")

    assert paths.inside(paths.resolve("a"))
    assert paths.shown(paths.resolve("a")) == "a"


def test_added_folders_are_inside_and_shown_absolute(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    paths = Paths(folder.root, (folder.home,))

    file = paths.resolve(str(folder.home / "x"))

    assert paths.inside(file)
    assert paths.shown(file) == str(folder.home / "x")


def test_a_link_put_in_place_after_resolving_is_not_followed(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    secret = tmp_path / "secret"
    secret.write_text("secret")
    resolved = folder.paths.resolve("plain.txt")
    resolved.symlink_to(secret)

    with pytest.raises(ToolFailed, match=r"Cannot read plain\.txt"):
        read_file(resolved, "plain.txt")


async def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    os.mkfifo(folder.root / "pipe")

    assert "pipe, socket or device" in await folder.vp().refusal("FileRead", file_path="pipe")
