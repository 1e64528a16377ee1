"""Whole files are written as given, and nothing is lost when that fails."""

import os
from pathlib import Path

import pytest

from tests.tools.folder_given import Folder
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.files.change import Change
from yeaft.tools.files.commit import commit
from yeaft.tools.files.file_bytes import sha256_of


async def test_a_new_file_gets_its_folders_and_the_umask(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    old = os.umask(0o027)
    try:
        told = await folder.vp().told("FileWrite", file_path="a/b/c.txt", content="x\ny\n")
    finally:
        os.umask(old)

    file = folder.root / "a/b/c.txt"
    assert told == "Created a/b/c.txt (2 lines, 4 bytes)."
    assert file.read_bytes() == b"x\ny\n"
    assert file.stat().st_mode & 0o777 == 0o640


async def test_content_is_written_byte_for_byte_and_changed_line_ends_are_said(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    file = folder.file("f.bat", b"a\r\nb\r\n")

    told = await folder.vp().told("FileWrite", file_path="f.bat", content="a\n")

    assert told == "Overwrote f.bat (1 line, 2 bytes). Its line ends were CRLF and are now LF."
    assert file.read_bytes() == b"a\n"


async def test_overwriting_keeps_the_encoding_if_it_can(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    chinese = folder.file("c.txt", "你好，世界".encode("gb18030"))
    western = folder.file("w.txt", "né".encode("latin-1"))
    marked = folder.file("m.txt", b"\xef\xbb\xbfa")
    vp = folder.vp()

    told = [await vp.told("FileWrite", file_path=name, content="再见") for name in ("c.txt", "w.txt", "m.txt")]

    assert told == [
        "Overwrote c.txt (1 line, 4 bytes, in gb18030 as before).",
        "Overwrote w.txt (1 line, 6 bytes, now UTF-8 because latin-1 cannot hold it).",
        "Overwrote m.txt (1 line, 9 bytes, with byte order mark).",
    ]
    assert chinese.read_bytes() == "再见".encode("gb18030")
    assert western.read_bytes() == "再见".encode()
    assert marked.read_bytes() == "\ufeff再见".encode()


async def test_an_empty_file_is_a_file(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    vp = folder.vp()

    (intent,) = vp.intents("FileWrite", file_path="empty", content="")
    told = await vp.told("FileWrite", file_path="empty", content="")

    assert (intent.pre, intent.post) == ("", sha256_of(b""))
    assert told == "Created empty (0 lines, 0 bytes)."
    assert folder.all_files() == {"empty": b""}


async def test_folders_devices_and_files_as_folders_are_refused(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.file("f", "")
    vp = folder.vp()

    refusals = [
        await vp.refusal("FileWrite", file_path=path, content="x") for path in (".", "/dev/full", "f/x", "new/")
    ]

    assert refusals == [
        ". is a folder; use ListDir or Glob.",
        "/dev/full is a pipe, socket or device, not a file with content.",
        "No file f/x: a part of that path is a file, not a folder.",
        "new/ names a folder; give the file's name too.",
    ]
    assert folder.all_files() == {"f": b""}


def test_a_file_that_another_program_changed_meanwhile_undoes_the_whole_commit(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    one, gone, two = folder.file("one", "1"), folder.file("gone", "0"), folder.file("two", "changed")
    changes = (
        Change(path=one, before=b"1", after=b"I"),
        Change(path=folder.root / "new/file", before=None, after=b"new"),
        Change(path=gone, before=b"0", after=None),
        Change(path=two, before=b"2", after=b"II"),
    )

    with pytest.raises(ToolFailed, match="changed by another program"):
        commit(changes)

    assert folder.all_files() == {"one": b"1", "gone": b"0", "two": b"changed"}
    assert sorted(path.name for path in folder.root.iterdir()) == ["gone", "one", "two"]
