"""Attached files are kept under safe names and read from their folder alone."""

import hashlib
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.kernel.errors import StoreFailed
from yeaft.store.attachments import Attachments, kept_name

SHA = "ab" * 32
MARK = SHA[:16]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "k7m2q9xa" / "attachments"


def test_what_is_kept_comes_back_for_its_name_and_hash(folder: Path) -> None:
    kept = Attachments(folder)

    file = kept.keep("会议记录.txt", b"milk")

    assert file == f"会议记录-{sha256(b'milk')[:16]}.txt"
    assert kept.read(file, sha256(b"milk")) == b"milk"
    assert kept.keep("会议记录.txt", b"milk") == file
    assert [path.name for path in folder.iterdir()] == [file]
    assert stat.S_IMODE((folder / file).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_an_altered_file_is_as_good_as_gone_and_the_next_keeping_mends_it(folder: Path) -> None:
    kept = Attachments(folder)
    file = kept.keep("a.txt", b"milk")
    (folder / file).write_bytes(b"beer")

    assert kept.read(file, sha256(b"milk")) is None
    assert kept.keep("a.txt", b"milk") == file
    assert kept.read(file, sha256(b"milk")) == b"milk"


@pytest.mark.parametrize("name", ["", ".", "..", "../secret", "/etc/passwd", "a/../../secret", "a\0b", "x" * 300])
def test_no_name_leads_out_of_the_folder(folder: Path, name: str) -> None:
    kept = Attachments(folder)
    kept.keep("a.txt", b"milk")
    (folder.parent / "secret").write_bytes(b"hidden")

    assert kept.read(name, sha256(b"hidden")) is None


@pytest.mark.parametrize("harm", ["link", "pipe", "folder", "linked folder"])
def test_no_link_and_nothing_but_a_file_is_read(folder: Path, harm: str) -> None:
    kept = Attachments(folder)
    file = kept.keep("a.txt", b"milk")
    elsewhere = folder.parent / "elsewhere"
    match harm:
        case "link":
            (folder / file).rename(elsewhere)
            (folder / file).symlink_to(elsewhere)
        case "pipe":
            (folder / file).unlink()
            os.mkfifo(folder / file)
        case "folder":
            (folder / file).unlink()
            (folder / file).mkdir()
        case _:
            folder.rename(elsewhere)
            folder.symlink_to(elsewhere)

    assert kept.read(file, sha256(b"milk")) is None


def test_a_disk_that_takes_nothing_is_named(folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_bytes(b"in the way")

    with pytest.raises(StoreFailed, match=r"a\.txt could not be kept in .*attachments"):
        Attachments(folder).keep("a.txt", b"milk")


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("photo.PNG", f"photo-{MARK}.png"),
        ("src/a b.py", f"a_b-{MARK}.py"),
        ("../../.ssh/id_rsa", f"id_rsa-{MARK}"),
        ("-rf.txt", f"rf-{MARK}.txt"),
        (".env", f"env-{MARK}"),
        ("a\u202egnp.exe", f"agnp-{MARK}.exe"),
        ('q"<>:*?|\\.md', f"q-{MARK}.md"),
        ("", f"file-{MARK}"),
        ("...", f"file-{MARK}"),
        ("截图.png", f"截图-{MARK}.png"),
        ("archive.tar.gz", f"archive.tar-{MARK}.gz"),
        ("notes.this is a sentence", f"notes.this_is_a_sentence-{MARK}"),
    ],
)
def test_names_stay_readable_and_become_harmless(name: str, kept: str) -> None:
    assert kept_name(name, SHA) == kept


@given(st.text())
def test_every_name_makes_a_file_name(name: str) -> None:
    made = kept_name(name, SHA)

    assert len(made.encode()) <= 255
    assert made == Path(made).name
    assert not made.startswith((".", "-"))
    assert made.isprintable()
