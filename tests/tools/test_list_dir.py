"""What is in a folder, at a glance."""

import os
from pathlib import Path

from tests.tools.folder_given import Folder


async def test_folders_come_first_files_have_sizes_and_links_their_target(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for name, size in {
        "b.txt": 1,
        "a.bin": 1536,
        "c.big": 2 * 1024 * 1024 + 1,
        ".env": 0,
        "zdir/x": 0,
        "你/x": 0,
    }.items():
        folder.file(name, b"x" * size)
    folder.file("node_modules/x", "")
    (folder.root / "link").symlink_to("../home")
    os.mkfifo(folder.root / "pipe")

    told = await folder.vp().told("ListDir")

    assert told.split("\n") == [
        f"{folder.root}/",
        "",
        "📁 zdir/",
        "📁 你/",
        "📄 .env (0 B)",
        "📄 a.bin (1.5 KB)",
        "📄 b.txt (1 B)",
        "📄 c.big (2.0 MB)",
        "🔗 link -> ../home",
        "📄 pipe (special file)",
    ]


async def test_hidden_entries_can_be_left_out_and_empty_is_said(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.file("sub/.env", "")

    told = await folder.vp().told("ListDir", path="sub", show_hidden=False)

    assert told == f"{folder.root}/sub/\n\n(empty)"


async def test_long_listings_are_cut_and_say_so(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for number in range(1010):
        folder.file(f"{number:04}", "")

    rows = (await folder.vp().told("ListDir")).split("\n")

    assert rows[-2:] == ["📄 0999 (0 B)", "(1000 of 1010 entries; use Glob with a pattern for the others)"]


async def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.file("f", "")
    vp = folder.vp()

    refusals = [await vp.refusal("ListDir", path=path) for path in ("f", "nowhere")]

    assert refusals == ["f is a file; use FileRead.", "No folder nowhere."]
