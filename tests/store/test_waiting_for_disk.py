"""Who waits for the disk: what is to survive a power cut, what comes behind it in its stream, and nobody else."""

import asyncio
import contextlib
import errno
import os
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.store.store_given import STREAM, outcomes, said, sqlite_journal, words
from yeaft.kernel.errors import StoreFailed
from yeaft.store import database
from yeaft.store.database import Writing
from yeaft.store.sqlite import SqliteJournal


class SlowDisk:
    """A disk that is done only when it may be; then it works, or breaks with `error`."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.asked = threading.Event()
        self.may = threading.Event()
        self.error: OSError | None = None
        self.times = 0
        patch.setattr(database, "sync_content", self.sync)

    def sync(self, descriptor: int) -> None:
        self.times += 1
        self.asked.set()
        assert self.may.wait(60), "the story never lets the disk go on"
        if self.error is not None:
            raise self.error
        os.fsync(descriptor)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> SlowDisk:
    return SlowDisk(monkeypatch)


@asynccontextmanager
async def opened(folder: Path) -> AsyncGenerator[SqliteJournal]:
    journal = sqlite_journal(folder)
    try:
        yield journal
    finally:
        await journal.close()


async def test_what_must_be_on_disk_keeps_only_its_own_stream_waiting(tmp_path: Path, disk: SlowDisk) -> None:
    async with opened(tmp_path) as journal:
        told: list[str] = []
        named = {
            "before": journal.append(STREAM, 0, 1, [said("before")]),
            "synced": journal.append(STREAM, 1, 1, [said("synced")], sync=True),
            "behind": journal.append(STREAM, 2, 1, [said("behind")]),
            "beside": journal.append("step/x_1", 0, 1, [said("beside")]),
        }
        for name, append in named.items():
            append.listen(lambda _, name=name: told.append(name))

        assert await named["beside"] == 1
        assert await named["before"] == 1
        assert told == ["before", "beside"]
        assert words(sqlite_journal(tmp_path).read(STREAM)) == ["before", "synced", "behind"]  # it is only not safe yet

        disk.may.set()
        assert await outcomes([named["synced"], named["behind"]]) == [2, 3]
        assert told == ["before", "beside", "synced", "behind"]


async def test_nothing_waits_for_a_disk_that_nobody_has_asked_for(tmp_path: Path, disk: SlowDisk) -> None:
    async with opened(tmp_path) as journal:
        assert await journal.append(STREAM, 0, 1, [said("first")]) == 1
        assert await journal.append(STREAM, 1, 1, [said("second")]) == 2
    assert disk.times == 0


async def test_whoever_waits_for_the_disk_shares_that_with_all_that_came_in_the_same_moment(
    tmp_path: Path, disk: SlowDisk
) -> None:
    disk.may.set()
    async with opened(tmp_path) as journal:
        streams = [f"step/x_{number}" for number in range(5)]
        appends = [journal.append(stream, 0, 1, [said(f"{stream}-end")], sync=True) for stream in streams]
        assert await outcomes(appends) == [1] * 5
    assert disk.times == 1


async def test_a_disk_that_breaks_fails_what_waited_for_it_and_all_that_is_appended_later(
    tmp_path: Path, disk: SlowDisk
) -> None:
    disk.error = OSError(errno.EIO, "Input/output error")
    async with opened(tmp_path) as journal:
        beside = journal.append("step/x_1", 0, 1, [said("beside")])
        synced = journal.append(STREAM, 0, 1, [said("synced")], sync=True)
        behind = journal.append(STREAM, 1, 1, [said("behind")])
        assert await beside == 1
        meanwhile = journal.append("step/x_1", 1, 1, [said("meanwhile")])
        meanwhile.hasten()
        await asyncio.to_thread(disk.asked.wait, 60)
        disk.may.set()
        assert await outcomes([synced, behind, meanwhile]) == ["StoreFailed"] * 3
        with pytest.raises(StoreFailed, match=r"could not be written: .*Input/output error"):
            await synced
        assert words(journal.read("step/x_1")) == ["beside"]


async def test_a_disk_that_broke_once_keeps_no_promise_any_more_although_it_says_that_it_works(
    tmp_path: Path, disk: SlowDisk
) -> None:
    disk.may.set()
    disk.error = OSError(errno.EIO, "Input/output error")
    async with opened(tmp_path) as journal:
        assert await outcomes([journal.append(STREAM, 0, 1, [said("lost")], sync=True)]) == ["StoreFailed"]

        disk.error = None

        with pytest.raises(StoreFailed, match="Input/output error"):
            await journal.append("step/x_1", 0, 1, [said("behind the gap")], sync=True)


def test_without_a_write_ahead_log_a_power_cut_brings_no_journal_back_that_undoes_what_was_promised(
    tmp_path: Path,
) -> None:
    writing = Writing(tmp_path / "session.db", on_network=True)
    with contextlib.closing(writing):
        writing.begin(sync=True)
        levels = [writing.connection.execute("PRAGMA synchronous").fetchone()[0]]
        writing.rollback()
        writing.begin(sync=False)
        levels.append(writing.connection.execute("PRAGMA synchronous").fetchone()[0])
        writing.rollback()

    assert levels == [3, 1]  # EXTRA syncs the folder once the journal is gone (https://sqlite.org/pragma.html)


async def test_without_a_write_ahead_log_each_commit_that_must_be_on_disk_waits_by_itself(
    tmp_path: Path, disk: SlowDisk
) -> None:
    journal = sqlite_journal(tmp_path, on_network=True)
    assert await journal.append(STREAM, 0, 1, [said("first")], sync=True) == 1
    await journal.close()
    assert disk.times == 0
