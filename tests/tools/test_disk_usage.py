"""What takes up the space is told largest first, and counting ends when it must."""

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from tests.tools.folder_given import Folder, Vp
from yeaft.tools.disk_usage import disk_usage
from yeaft.tools.search.disk_sizes import measure, table


def desk(tmp: Path, limit_s: float = 20.0) -> tuple[Folder, Vp]:
    folder = Folder(tmp)
    vp = folder.vp()
    vp.tools["DiskUsage"] = disk_usage(folder.paths, limit_s)
    return folder, vp


async def test_the_total_comes_first_then_the_largest_with_aligned_sizes(tmp_path: Path) -> None:
    folder, vp = desk(tmp_path)
    for name, size in {"a/b/c/deep.bin": 3_000_000, "a/你.txt": 2048, "b.txt": 100_000, "empty/x": 0}.items():
        folder.file(name, b"x" * size)

    told = await vp.told("DiskUsage")

    assert told.split("\n") == [
        " 3.0 MB  .",
        " 2.9 MB  a/",
        " 2.9 MB  a/b/",
        "97.7 KB  b.txt",
        " 2.0 KB  a/你.txt",
        "    0 B  empty/",
        "    0 B  empty/x",
        "[4 files]",
    ]


async def test_depth_and_limit_bound_what_is_listed_but_not_what_is_counted(tmp_path: Path) -> None:
    folder, vp = desk(tmp_path)
    for number in range(30):
        folder.file(f"d{number:02}/sub/f.bin", b"x" * (1000 + number))

    assert await vp.told("DiskUsage", depth=0) == "29.7 KB  .\n[30 files]"
    told = (await vp.told("DiskUsage", depth=1, limit=2)).split("\n")

    assert told == ["29.7 KB  .", " 1.0 KB  d29/", " 1.0 KB  d28/", "[30 files; 2 of 30 entries shown]"]


async def test_links_are_counted_as_links_and_a_file_with_two_names_once(tmp_path: Path) -> None:
    folder, vp = desk(tmp_path)
    big = folder.file("big.bin", b"x" * 50_000)
    (folder.root / "twin.bin").hardlink_to(big)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "huge").write_bytes(b"x" * 900_000)
    (folder.root / "away").symlink_to(outside)
    (folder.root / "round").symlink_to(folder.root)

    told = await vp.told("DiskUsage")
    through_a_link = await vp.told("DiskUsage", path="away", depth=0)

    links = sum(len(str((folder.root / name).readlink())) for name in ("away", "round"))
    assert told.startswith(f"{(50_000 + links) / 1024:.1f} KB  .\n")
    assert "huge" not in told
    assert through_a_link == f"878.9 KB  {outside}\n[1 file]"


def test_the_total_is_what_find_says_of_files() -> None:
    root = Path(__file__).parents[2] / "yeaft"
    expected = subprocess.run(
        ["find", str(root), "-type", "f", "-printf", "%s\n"], capture_output=True, text=True, check=True
    ).stdout

    sizes = measure(root, 3, 5, lambda: False)

    assert (sizes.root_bytes, sizes.files) == (sum(map(int, expected.split())), len(expected.split()))


async def test_a_file_has_a_size_too_and_what_is_missing_is_said(tmp_path: Path) -> None:
    folder, vp = desk(tmp_path)
    folder.file("one.bin", b"x" * 1536)

    assert await vp.told("DiskUsage", path="one.bin") == "1.5 KB  one.bin\n[1 file]"
    assert await vp.refusal("DiskUsage", path="nowhere") == "No file or folder nowhere."


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read every folder")
async def test_folders_that_cannot_be_read_are_counted_as_such(tmp_path: Path) -> None:
    folder, vp = desk(tmp_path)
    locked = folder.file("locked/f", "x").parent
    locked.chmod(0)

    told = await vp.told("DiskUsage")
    locked.chmod(0o700)

    assert told.endswith("[0 files; not readable: 1]")


async def test_when_time_is_up_what_was_counted_is_told_as_too_small(tmp_path: Path) -> None:
    folder, _ = desk(tmp_path / "a")
    folder.file("a/b", "x")
    stops = iter([False, True])

    sizes = measure(folder.root, 2, 20, lambda: next(stops))

    told = table(sizes, ".").split("\n")
    note = "[0 files; stopped at the time limit, so the sizes are too small; ask for a folder further down]"
    assert told == ["0 B  .", "0 B  a/", note]


async def test_counting_a_whole_machine_stops_at_the_time_limit(tmp_path: Path) -> None:
    _, vp = desk(tmp_path, limit_s=0)

    assert "stopped at the time limit" in await vp.told("DiskUsage", path="/")


async def test_cancelling_stops_the_counting(tmp_path: Path) -> None:
    folder, vp = desk(tmp_path)
    folder.file("a/b", "x")
    call = asyncio.create_task(vp.call("DiskUsage", path="/"))
    await asyncio.sleep(0)

    call.cancel()

    with pytest.raises(asyncio.CancelledError):
        await call
