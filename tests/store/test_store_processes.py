"""The store in the hands of several processes, and of processes that are killed."""

import asyncio
import os
import sqlite3
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import closing
from pathlib import Path

from tests.store.store_given import STREAM, seqs, sqlite_journal, words
from yeaft.store.lock import SessionLock, read_owner

ROOT = Path(__file__).parents[2]


async def worker(*arguments: str | Path) -> Process:
    command = [sys.executable, "-m", "tests.store.store_worker", *map(str, arguments)]
    return await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, cwd=ROOT)


async def line(process: Process) -> str:
    assert process.stdout is not None
    return (await process.stdout.readline()).decode().strip()


async def finished(process: Process) -> str:
    output, _ = await process.communicate(b"")
    assert process.returncode == 0
    return output.decode().strip()


async def test_a_journal_survives_twenty_kills(tmp_path: Path) -> None:
    promised = 0

    for kill in range(20):
        process = await worker("append-for-ever", tmp_path)
        for _ in range(1 + kill % 6 * 3):
            promised = int(await line(process))
        process.kill()
        await process.communicate()

        journal = sqlite_journal(tmp_path)
        events = journal.read(STREAM)
        assert len(events) >= promised
        assert seqs(events) == list(range(1, len(events) + 1))
        assert len(words(events)) == len(events)
        assert journal.damage == ()
        await journal.close()

    with closing(sqlite3.connect(tmp_path / "session.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def test_ten_processes_write_ten_journals_at_once(tmp_path: Path) -> None:
    processes = [await worker("append-some", tmp_path / f"s{number}", STREAM, "50") for number in range(10)]

    assert [await finished(process) for process in processes] == ["50"] * 10


async def test_ten_processes_write_one_journal_at_once(tmp_path: Path) -> None:
    processes = [await worker("append-some", tmp_path, f"agent/{number}", "20") for number in range(10)]

    assert [await finished(process) for process in processes] == ["20"] * 10
    journal = sqlite_journal(tmp_path)
    assert sorted(journal.streams()) == [f"agent/{number}" for number in range(10)]
    await journal.close()


async def test_one_of_many_processes_gets_the_session_and_the_others_learn_who_has_it(tmp_path: Path) -> None:
    processes = [await worker("hold-lock", tmp_path / "k7m2q9xa") for _ in range(6)]
    answers = [await line(process) for process in processes]

    assert answers.count("mine") == 1
    owner = processes[answers.index("mine")]
    assert {answer for answer in answers if answer != "mine"} <= {
        f"Session k7m2q9xa is in use by {read_owner(tmp_path / 'k7m2q9xa')}. Close it there, or start a new Session.",
        "Session k7m2q9xa is in use by another process. Close it there, or start a new Session.",
    }
    for process in processes:
        await finished(process)
    assert owner.returncode == 0


async def test_a_killed_owner_leaves_the_session_free(tmp_path: Path) -> None:
    process = await worker("hold-lock", tmp_path)
    assert await line(process) == "mine"
    process.kill()
    await process.communicate()
    left = read_owner(tmp_path)
    assert left is not None
    assert left.pid == process.pid

    with SessionLock.take(tmp_path) as lock:
        assert lock.owner.pid == os.getpid()


async def test_a_full_disk_is_said_and_costs_nothing_that_was_promised(tmp_path: Path) -> None:
    process = await worker("append-with-little-space", tmp_path)

    error, after = (await finished(process)).splitlines()

    assert str(tmp_path) in error
    assert "committed before is safe" in error
    kept = after.split(" ")
    assert (kept[0], kept[-1]) == ("before", "after")


async def test_what_was_appended_behind_a_write_that_failed_is_not_written_in_any_stream(tmp_path: Path) -> None:
    process = await worker("append-behind-a-failure", tmp_path)

    *errors, after = (await finished(process)).splitlines()

    assert len(errors) == 3
    assert len(set(errors)) == 1
    assert after == "session step/b after"
