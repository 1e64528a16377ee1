"""Blobs are kept once, checked when read, and safe to name from anywhere."""

import hashlib
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yeaft.events.fact import BlobRef
from yeaft.kernel.errors import StoreFailed
from yeaft.store.blobs import FileBlobs
from yeaft.store.memory import MemoryBlobs


@pytest.fixture(params=["memory", "files"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> MemoryBlobs | FileBlobs:
    return MemoryBlobs() if request.param == "memory" else FileBlobs(tmp_path / "k7m2q9xa" / "blobs")


def test_a_blob_comes_back_by_its_hash(blobs: MemoryBlobs | FileBlobs) -> None:
    content = "牛奶".encode()
    sha256 = hashlib.sha256(content).hexdigest()

    assert blobs.get(sha256) is None
    assert blobs.put(content, "text/plain") == BlobRef(sha256=sha256, size_bytes=6, mime="text/plain")
    assert blobs.put(content, "text/plain").sha256 == sha256

    assert blobs.get(sha256) == content


@pytest.mark.parametrize("name", ["", "ab", "../../../../etc/passwd", "AB" * 32, "é" * 64])
def test_what_is_no_hash_is_no_blob(blobs: MemoryBlobs | FileBlobs, name: str) -> None:
    assert blobs.get(name) is None


def test_a_blob_is_one_file_in_its_place(tmp_path: Path) -> None:
    blobs = FileBlobs(tmp_path)
    ref = blobs.put(b"milk", "text/plain")
    blobs.put(b"milk", "text/plain")
    blobs.sync()

    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files == [tmp_path / ref.sha256] == [blobs.path(ref.sha256)]


@pytest.mark.parametrize("found", [b"", b"mil", b"eggs"])
def test_a_blob_that_does_not_match_its_hash_is_none(tmp_path: Path, found: bytes) -> None:
    blobs = FileBlobs(tmp_path)
    ref = blobs.put(b"milk", "text/plain")
    blobs.path(ref.sha256).write_bytes(found)

    assert blobs.get(ref.sha256) is None


def test_a_cut_blob_is_written_again(tmp_path: Path) -> None:
    blobs = FileBlobs(tmp_path)
    ref = blobs.put(b"milk", "text/plain")
    blobs.path(ref.sha256).write_bytes(b"")

    FileBlobs(tmp_path).put(b"milk", "text/plain")

    assert blobs.get(ref.sha256) == b"milk"


def test_a_blob_may_be_removed_before_it_is_synced(tmp_path: Path) -> None:
    blobs = FileBlobs(tmp_path)
    secret, kept = blobs.put(b"secret", "text/plain"), blobs.put(b"milk", "text/plain")
    blobs.path(secret.sha256).unlink()

    blobs.sync()

    assert (blobs.get(secret.sha256), blobs.get(kept.sha256)) == (None, b"milk")


def test_a_place_that_takes_no_blobs_is_named(tmp_path: Path) -> None:
    (tmp_path / "blobs").write_text("a file where the directory should be")

    with pytest.raises(StoreFailed, match=f"{tmp_path}/blobs.*Check free space and permissions"):
        FileBlobs(tmp_path / "blobs").put(b"milk", "text/plain")


@settings(max_examples=30, deadline=None)
@given(contents=st.lists(st.binary(max_size=100), max_size=8))
def test_any_contents_keep_apart(tmp_path_factory: pytest.TempPathFactory, contents: list[bytes]) -> None:
    blobs = FileBlobs(tmp_path_factory.mktemp("blobs"))

    refs = [blobs.put(content, "application/octet-stream") for content in contents]

    assert [blobs.get(ref.sha256) for ref in refs] == contents


def test_what_could_not_be_brought_to_the_disk_once_is_not_forgotten(tmp_path: Path) -> None:
    blobs = FileBlobs(tmp_path / "blobs")
    blobs.put(b"kept", "text/plain")
    shutil.rmtree(tmp_path / "blobs")

    for _ in range(2):
        with pytest.raises(FileNotFoundError):
            blobs.sync()
