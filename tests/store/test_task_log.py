"""Logs of tasks: read by offsets that hold, however the log is rotated; and records, found by the beginning of an id."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yeaft.kernel.errors import NotFound
from yeaft.store.task_files import TaskRecord, find_task, read_record, task_places, write_record
from yeaft.store.task_log import offset_of_last_lines, read_log, read_tail
from yeaft.tools.shell.task_keeper import SegmentedLog

SEGMENT = 16
CHUNKS = st.lists(st.binary(max_size=3 * SEGMENT), max_size=8)


def written(folder: Path, chunks: list[bytes]) -> Path:
    path = folder / "log"
    log = SegmentedLog(path, SEGMENT)
    for chunk in chunks:
        log.take(chunk)
    log.close()
    return path


@given(CHUNKS, st.integers(0, 150), st.integers(0, 40))
@settings(max_examples=80, deadline=None)
def test_an_offset_means_the_same_byte_before_and_after_a_rotation(
    chunks: list[bytes], offset: int, limit_bytes: int
) -> None:
    whole = b"".join(chunks)
    with TemporaryDirectory() as folder:
        path = written(Path(folder), chunks)

        portion = read_log(path, offset, limit_bytes)
        tail = read_tail(path, limit_bytes)

    kept_from = max(0, (len(whole) - 1) // SEGMENT - 1) * SEGMENT
    assert portion.end == tail.end == len(whole)
    assert portion.offset == min(max(offset, kept_from), len(whole))
    assert portion.content == whole[portion.offset : portion.offset + limit_bytes]
    assert tail.content == whole[max(kept_from, len(whole) - limit_bytes) :][:limit_bytes]


@given(CHUNKS)
@settings(max_examples=40, deadline=None)
def test_never_more_than_two_segments_are_kept_and_always_the_newest(chunks: list[bytes]) -> None:
    whole = b"".join(chunks)
    with TemporaryDirectory() as folder:
        path = written(Path(folder), chunks)
        sizes = [file.stat().st_size for file in Path(folder).iterdir()]
        kept = read_log(path, 0, 10**6)

    assert sum(sizes) <= 2 * SEGMENT
    assert whole.endswith(kept.content)
    assert len(kept.content) >= min(len(whole), SEGMENT)


@given(
    st.lists(st.sampled_from([b"a\n", b"\n", b"long line without end", b"bb\ncc\n"]), max_size=12), st.integers(0, 6)
)
@settings(max_examples=80, deadline=None)
def test_the_last_lines_are_those_that_tail_would_show(chunks: list[bytes], lines: int) -> None:
    with TemporaryDirectory() as folder:
        path = written(Path(folder), chunks)

        offset = offset_of_last_lines(path, lines)
        kept = read_log(path, 0, 10**6)

    shown = kept.content[offset - kept.offset :]
    assert shown == b"".join(kept.content.splitlines(keepends=True)[-lines:] if lines else [])


def test_a_log_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert read_log(tmp_path / "gone" / "log", 5, 10).content == b""
    assert offset_of_last_lines(tmp_path / "log", 3) == 0


def a_record(task_id: str, started_ms: int) -> TaskRecord:
    return TaskRecord(
        task_id=task_id,
        session_id="k7m2q9xa",
        call_id="c_1",
        vp_id="omni",
        title="build",
        command="make",
        cwd="/",
        host="box",
        mark="YEAFT_CALL=c_1",
        started_ms=started_ms,
    )


def test_a_task_is_found_by_the_beginning_of_its_id_and_a_doubt_is_named(tmp_path: Path) -> None:
    for number, task_id in enumerate(("j_ab1", "j_ab2", "j_cd"), start=1):
        write_record(tmp_path / task_id, a_record(task_id, -number))
    (tmp_path / "c_1").mkdir()
    (tmp_path / "j_new").mkdir()

    assert [place.name for place in task_places(tmp_path)] == ["j_cd", "j_ab2", "j_ab1"]
    assert find_task(tmp_path, "c").name == "j_cd"
    assert find_task(tmp_path, "j_AB2").name == "j_ab2"
    with pytest.raises(NotFound, match=r"fits 2 tasks: j_ab2, j_ab1"):
        find_task(tmp_path, "ab")
    with pytest.raises(NotFound, match=r"No task 'x'"):
        find_task(tmp_path, "x")
    with pytest.raises(NotFound, match="No task 'j_'"):
        find_task(tmp_path, "j_")


def test_a_record_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    write_record(tmp_path / "j_1", a_record("j_1", 1))
    assert read_record(tmp_path / "j_1") == a_record("j_1", 1)

    (tmp_path / "j_1" / "meta.json").write_text("{")

    assert read_record(tmp_path / "j_1") is None
    assert read_record(tmp_path / "j_2") is None
