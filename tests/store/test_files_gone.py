"""A journal whose files are taken away, exchanged or overwritten while it is open says so; nothing else is told as kept."""

import asyncio
import contextlib
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store.store_given import STREAM, said, sqlite_journal, words
from yeaft.kernel.errors import JournalDamaged, StoreFailed

JOURNAL, LOG = "session.db", "session.db-wal"


def delete(path: Path) -> None:
    path.unlink()


def exchange(path: Path) -> None:
    """Put a copy of a file in its place, as a restore does."""
    copy = path.with_name("copy")
    shutil.copyfile(path, copy)
    copy.replace(path)


@pytest.mark.parametrize("on_network", [False, True])
@pytest.mark.parametrize("sync", [False, True])
@pytest.mark.parametrize(("lose", "why"), [(delete, "was deleted or moved"), (exchange, "was replaced")])
async def test_nothing_is_told_as_kept_once_the_file_is_another(
    tmp_path: Path, lose: Callable[[Path], None], why: str, *, sync: bool, on_network: bool
) -> None:
    journal = sqlite_journal(tmp_path, on_network=on_network)
    await journal.append(STREAM, 0, 1, [said("before")], sync=True)

    lose(tmp_path / JOURNAL)

    for stream, seq in ((STREAM, 1), ("step/x_1", 0)):
        with pytest.raises(StoreFailed, match=f"{JOURNAL} {why}"):
            await journal.append(stream, seq, 1, [said(f"{stream}-lost")], sync=sync)
    await journal.close()


async def test_a_log_that_is_deleted_takes_nothing_along(tmp_path: Path) -> None:
    journal = sqlite_journal(tmp_path, on_network=False)
    await journal.append(STREAM, 0, 1, [said("before")])

    (tmp_path / LOG).unlink()

    with pytest.raises(StoreFailed, match=f"{LOG} was deleted or moved"):
        await journal.append(STREAM, 1, 1, [said("behind")])
    await journal.close()
    assert words(sqlite_journal(tmp_path).read(STREAM)) == ["before"]


async def test_a_log_that_is_another_is_written_no_more(tmp_path: Path) -> None:
    journal = sqlite_journal(tmp_path, on_network=False)
    await journal.append(STREAM, 0, 1, [said("before")])

    exchange(tmp_path / LOG)

    with pytest.raises(StoreFailed, match=f"{LOG} was replaced"):
        await journal.append(STREAM, 1, 1, [said("behind")])
    await journal.close()
    assert words(sqlite_journal(tmp_path).read(STREAM)) == ["before"]


async def test_a_folder_that_is_moved_and_brought_back_is_written_on(tmp_path: Path) -> None:
    folder, away = tmp_path / "here", tmp_path / "away"
    journal = sqlite_journal(folder)
    await journal.append(STREAM, 0, 1, [said("before")])

    folder.rename(away)
    with pytest.raises(StoreFailed, match="was deleted or moved"):
        await journal.append(STREAM, 1, 1, [said("meanwhile")])
    away.rename(folder)

    assert await journal.append(STREAM, 1, 1, [said("after")]) == 2
    await journal.close()
    assert words(sqlite_journal(folder).read(STREAM)) == ["before", "after"]


async def test_a_folder_of_blobs_that_is_deleted_is_named(tmp_path: Path) -> None:
    journal = sqlite_journal(tmp_path)
    await journal.append(STREAM, 0, 1, [said("large" + "x" * 40_000)])

    shutil.rmtree(tmp_path / "blobs")

    with pytest.raises(StoreFailed, match=f"No such file or directory: '{tmp_path / 'blobs'}'"):
        await journal.append(STREAM, 1, 1, [said("small")], sync=True)
    await journal.close()


async def test_a_journal_that_is_overwritten_while_it_is_open_blames_no_other_writer(tmp_path: Path) -> None:
    first = sqlite_journal(tmp_path)
    await first.append(STREAM, 0, 1, [said("before")])
    for start in range(0, 300, 10):
        await first.append("step/x_1", start, 1, [said(f"{seq}-x{'x' * 300}") for seq in range(start, start + 10)])
    await first.close()
    with contextlib.closing(sqlite3.connect(tmp_path / JOURNAL)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    journal = sqlite_journal(tmp_path)
    await journal.append("step/x_2", 0, 1, [said("meanwhile")])

    dd = ("dd", "if=/dev/zero", f"of={tmp_path / JOURNAL}", "bs=1k", "count=20", "conv=notrunc", "status=none")
    assert await (await asyncio.create_subprocess_exec(*dd)).wait() == 0

    with pytest.raises(JournalDamaged, match=r"database disk image is malformed\. .*session check"):
        await journal.append(STREAM, 1, 1, [said("after")])
    await journal.close()
