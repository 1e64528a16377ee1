"""The journal as a file: what is on disk, when, and what is still there after harm has come to it."""

import asyncio
import hashlib
import shutil
import sqlite3
from contextlib import aclosing, closing
from itertools import pairwise
from pathlib import Path

import pytest

from tests.store.store_given import SAMPLES, STREAM, journal_of, outcomes, recorded, said, seqs, sqlite_journal, words
from yeaft.events.call import CallFinished
from yeaft.events.codec import Recorded, UnknownEvent
from yeaft.kernel.errors import StoreFailed
from yeaft.store.blobs import FileBlobs
from yeaft.store.journal import Snapshot
from yeaft.store.rows import Numbers
from yeaft.store.sqlite import Damage, SqliteJournal

PAGE_BYTES = 1024
WAL_HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24


def prints(folder: Path) -> dict[str, tuple[int, str]]:
    """Modification time and hash of the journal's files (the shared-memory file is no content)."""
    files = (path for path in folder.iterdir() if path.is_file() and not path.name.endswith("-shm"))
    return {path.name: (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files}


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def transactions(wal: Path) -> int:
    """How many commits the write-ahead log holds: frames that name a database size."""
    content = wal.read_bytes()[WAL_HEADER_BYTES:]
    frames = range(0, len(content), FRAME_HEADER_BYTES + PAGE_BYTES)
    return sum(content[start + 4 : start + 8] != b"\0\0\0\0" for start in frames)


async def written(folder: Path, count: int, *, size: int = 300) -> list[str]:
    """A journal of `count` events of about `size` bytes, all of them in the database file itself."""
    names = [f"w{number}-{'x' * size}" for number in range(count)]
    journal = sqlite_journal(folder)
    await journal.append(STREAM, 0, 1, [said(name) for name in names])
    await journal.close()
    with closing(sqlite3.connect(folder / "session.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return names


def read_or_complaint(journal: SqliteJournal) -> list[Recorded] | str:
    try:
        return journal.read(STREAM)
    except StoreFailed as error:
        return str(error)


def result(text: str) -> CallFinished:
    return CallFinished(call_id="c_1", turn_id="t_1", tool="Bash", status="ok", text=text)


async def test_nothing_is_on_disk_before_the_first_append(tmp_path: Path) -> None:
    folder = tmp_path / "sessions" / "k7m2q9xa"
    journal = sqlite_journal(folder)

    assert journal.read(STREAM) == []
    journal.put_snapshot(STREAM, Snapshot(projector="history", version=1, seq=0, state=b""))
    await journal.close()

    assert files_in(tmp_path) == []
    assert not folder.parent.exists()


async def test_looking_at_a_session_changes_neither_content_nor_time(tmp_path: Path) -> None:
    journal = sqlite_journal(tmp_path)
    await journal.append(STREAM, 0, 1, [said("milk"), recorded(result("y" * 40_000), "e_big")], sync=True)
    await journal.close()
    before = prints(tmp_path)

    again = sqlite_journal(tmp_path)
    assert seqs(again.read(STREAM)) == [1, 2]
    assert (again.head(STREAM), again.epoch(STREAM)) == (2, 1)
    again.put_snapshot(STREAM, Snapshot(projector="history", version=1, seq=2, state=b"state"))
    await again.close()

    assert prints(tmp_path) == before


async def test_a_short_session_is_small_on_disk(tmp_path: Path) -> None:
    journal = sqlite_journal(tmp_path)
    events = [recorded(event, f"e_{number:026}") for number, event in enumerate(SAMPLES[:21])]

    await journal.append(STREAM, 0, 1, events[:16])
    await journal.append(STREAM, 16, 1, events[16:18])
    await journal.append(STREAM, 18, 1, events[18:], sync=True)
    await journal.close()

    assert sum(path.stat().st_size for path in files_in(tmp_path)) <= 60 * 1024


async def test_appends_of_one_tick_are_one_transaction(tmp_path: Path) -> None:
    journal = sqlite_journal(tmp_path)
    await journal.append(STREAM, 0, 1, [said("first")])
    before = transactions(tmp_path / "session.db-wal")

    appends = [journal.append(STREAM, 1 + number, 1, [said(f"w{number}")]) for number in range(25)]
    assert await outcomes(appends) == list(range(2, 27))

    assert transactions(tmp_path / "session.db-wal") == before + 1
    await journal.close()


async def test_appends_that_nobody_waits_for_go_with_the_first_that_somebody_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = sqlite_journal(tmp_path)
    await journal.append(STREAM, 0, 1, [said("first")])
    before = transactions(tmp_path / "session.db-wal")
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: 0.0)  # the moment that they may wait never passes

    for seq in range(1, 10):
        journal.append(STREAM, seq, 1, [said(f"w{seq}")])
        for _ in range(3):
            await asyncio.sleep(0)
    assert await journal.append(STREAM, 10, 1, [said("awaited")]) == 11

    assert transactions(tmp_path / "session.db-wal") == before + 1
    await journal.close()


async def test_an_append_that_nobody_waits_for_is_on_disk_a_moment_later(tmp_path: Path) -> None:
    journal, heard = sqlite_journal(tmp_path), asyncio.Event()
    await journal.append(STREAM, 0, 1, [said("milk")])

    journal.append(STREAM, 1, 1, [said("eggs")]).listen(lambda _: heard.set())
    await heard.wait()

    on_disk = SqliteJournal.for_reading(tmp_path / "session.db", FileBlobs(tmp_path / "blobs"))
    assert words(on_disk.read(STREAM)) == ["milk", "eggs"]
    await journal.close()


async def test_a_large_event_is_a_blob_and_comes_back_whole(tmp_path: Path) -> None:
    big = result("牛奶" * 20_000)
    journal = sqlite_journal(tmp_path)

    await journal.append(STREAM, 0, 1, [said("before"), recorded(big, "e_big"), said("after")], sync=True)
    again = await journal.append(STREAM, 1, 1, [recorded(big, "e_big")])

    assert again == 3
    assert journal.read(STREAM)[1].event == big
    assert len(files_in(tmp_path / "blobs")) == 1
    assert (tmp_path / "session.db-wal").stat().st_size < 32 * 1024
    await journal.close()


async def test_an_event_whose_blob_is_gone_is_kept_as_unknown_and_reported(tmp_path: Path) -> None:
    journal = sqlite_journal(tmp_path)
    await journal.append(STREAM, 0, 1, [said("before"), recorded(result("y" * 40_000), "e_big"), said("after")])
    shutil.rmtree(tmp_path / "blobs")

    events = journal.read(STREAM)

    assert events[1].event == UnknownEvent(type="call.finished", version=1, raw=b"")
    assert words(events) == ["before", "after"]
    assert journal.damage == (Damage(stream=STREAM, seq=2, what="blob_gone"),)
    await journal.close()


async def test_a_journal_of_a_newer_yeaft_is_refused_with_a_sentence(tmp_path: Path) -> None:
    await written(tmp_path, 2)
    with closing(sqlite3.connect(tmp_path / "session.db")) as connection:
        connection.execute("PRAGMA user_version=99")
    journal = sqlite_journal(tmp_path)
    before = (tmp_path / "session.db").read_bytes()

    with pytest.raises(StoreFailed, match=r"newer yeaft \(format 99.*update yeaft"):
        journal.read(STREAM)
    with pytest.raises(StoreFailed, match="newer yeaft"):
        await journal.append(STREAM, 2, 1, [said("more")])

    assert (tmp_path / "session.db").read_bytes() == before
    await journal.close()


async def test_another_process_can_follow_the_owner(tmp_path: Path) -> None:
    follower = sqlite_journal(tmp_path)  # shares nothing but the files
    owner = sqlite_journal(tmp_path)

    async def follow() -> list[str]:
        async with aclosing(follower.subscribe(STREAM)) as events:
            heard: list[str] = []
            async for event in events:
                heard += words([event])
                if len(heard) == 3:
                    return heard
        return heard

    async with asyncio.TaskGroup() as group:
        task = group.create_task(follow())
        for seq, word in enumerate(("milk", "eggs", "tea")):
            await owner.append(STREAM, seq, 1, [said(word)])

    assert task.result() == ["milk", "eggs", "tea"]
    await owner.close()
    await follower.close()


async def test_a_second_writer_is_told_that_the_first_was_faster(tmp_path: Path) -> None:
    first, second = sqlite_journal(tmp_path), sqlite_journal(tmp_path)

    await first.append(STREAM, 0, 1, [said("milk")])
    late = await outcomes([second.append(STREAM, 0, 1, [said("eggs")])])
    fresh = await second.append(STREAM, 1, 2, [said("tea")])
    old = await outcomes([first.append(STREAM, 2, 1, [said("bread")])])

    assert (late, fresh, old) == (["Conflict"], 2, ["Fenced"])
    assert words(first.read(STREAM)) == ["milk", "tea"]
    await first.close()
    await second.close()


async def test_a_snapshot_outlives_the_process_once_something_was_appended(tmp_path: Path) -> None:
    snapshot = Snapshot(projector="history", version=1, seq=1, state=b"state")
    journal = sqlite_journal(tmp_path)
    await journal.append(STREAM, 0, 1, [said("milk")])
    journal.put_snapshot(STREAM, snapshot)
    await journal.close()

    again = sqlite_journal(tmp_path)

    assert again.get_snapshot(STREAM, "history") == snapshot
    await again.close()


async def test_a_damaged_page_costs_only_the_events_on_it(tmp_path: Path) -> None:
    names = await written(tmp_path, 60)
    db = tmp_path / "session.db"
    content = bytearray(db.read_bytes())
    at = content.index(b'"code":"w30-xxx') // PAGE_BYTES * PAGE_BYTES
    content[at : at + PAGE_BYTES] = b"\xa5" * PAGE_BYTES
    db.write_bytes(content)
    before = prints(tmp_path)["session.db"]

    journal = sqlite_journal(tmp_path)
    events = journal.read(STREAM)

    lost = [damage.seq for damage in journal.damage]
    assert 31 in lost
    assert len(lost) <= 4
    assert journal.needs_mending
    assert seqs(events) == list(range(1, 61))
    assert {event.seq for event in events if event.type == "event.lost"} == set(lost)
    assert words(events) == [name for seq, name in enumerate(names, 1) if seq not in lost]
    assert {damage.what for damage in journal.damage} == {"row_lost"}
    assert journal.head(STREAM) == 60
    await journal.close()
    assert prints(tmp_path)["session.db"] == before


async def test_the_last_page_may_be_the_damaged_one(tmp_path: Path) -> None:
    await written(tmp_path, 60)
    db = tmp_path / "session.db"
    content = bytearray(db.read_bytes())
    at = content.index(b'"code":"w59-xxx') // PAGE_BYTES * PAGE_BYTES
    content[at : at + PAGE_BYTES] = bytes(PAGE_BYTES)
    db.write_bytes(content)

    damaged = db.read_bytes()
    journal = sqlite_journal(tmp_path)
    events = journal.read(STREAM)
    head = await journal.append(STREAM, 60, 1, [said("more")])

    assert seqs(events) == list(range(1, 61))
    assert 55 < len(words(events)) < 60
    assert head == 61
    assert words(journal.read(STREAM)) == [*words(events), "more"]
    assert (tmp_path / "session.db.damaged-1").read_bytes() == damaged
    await journal.close()
    assert words(sqlite_journal(tmp_path).read(STREAM)) == [*words(events), "more"]


async def test_an_event_with_garbled_content_is_kept_as_unknown_and_reported(tmp_path: Path) -> None:
    await written(tmp_path, 3)
    with closing(sqlite3.connect(tmp_path / "session.db")) as connection, connection:
        connection.execute("UPDATE event SET data=x'7b22ff' WHERE id LIKE 'e_w1%'")

    journal = sqlite_journal(tmp_path)
    events = journal.read(STREAM)

    assert isinstance(events[1].event, UnknownEvent)
    assert seqs(events) == [1, 2, 3]
    assert journal.damage == (Damage(stream=STREAM, seq=2, what="content_garbled"),)
    await journal.close()


@pytest.mark.parametrize("part", ["session.db", "session.db-wal"])
async def test_a_cut_file_gives_what_it_still_has_or_says_what_is_wrong(tmp_path: Path, part: str) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    names = await written(whole, 20)
    journal = sqlite_journal(whole)
    for seq in range(20, 40):
        names.append(f"w{seq}-later")
        await journal.append(STREAM, seq, 1, [said(names[-1])])
    await journal.close()
    size = (whole / part).stat().st_size

    for length in [0, 1, 100, 1023, 1024, 1025, size // 3, size // 2, size - 1025, size - 1024, size - 1, size]:
        shutil.rmtree(cut, ignore_errors=True)
        shutil.copytree(whole, cut, ignore=shutil.ignore_patterns("*-shm"))
        with (cut / part).open("r+b") as file:
            file.truncate(length)
        opened = sqlite_journal(cut)

        events = read_or_complaint(opened)
        if isinstance(events, str):
            assert part == "session.db"
            assert str(cut) in events
            assert "copy" in events
            await opened.close()
            continue

        assert all(earlier < later for earlier, later in pairwise(seqs(events)))
        lost = {damage.seq for damage in opened.damage}
        understood = [event for event in events if event.seq not in lost]
        assert words(events) == [names[event.seq - 1] for event in understood]
        assert len(understood) + len(lost) == len(events) == opened.head(STREAM)
        if part == "session.db-wal":
            assert seqs(events) == list(range(1, len(events) + 1))
            assert len(events) >= 20
            assert await opened.append(STREAM, len(events), 1, [said("goes on")]) == len(events) + 1
        assert length < size or words(events) == names
        await opened.close()


async def test_an_interrupted_write_without_a_log_is_undone_on_opening(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    journal = journal_of("sqlite on a network", whole)
    await journal.append(STREAM, 0, 1, [said(f"w{number}") for number in range(40)])
    await journal.close()
    # What a killed process leaves: half of a transaction in the file, and the journal that undoes it.
    with closing(sqlite3.connect(whole / "session.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size=1")
        connection.execute("BEGIN")
        connection.execute("UPDATE event SET src='half done'")
        shutil.copytree(whole, killed)
        connection.execute("ROLLBACK")
    assert (killed / "session.db").read_bytes() != (whole / "session.db").read_bytes()

    again = sqlite_journal(killed)

    assert [event.src for event in again.read(STREAM)] == ["engine"] * 40
    await again.close()


async def test_a_new_stream_is_numbered_without_looking_at_the_many_there_are(tmp_path: Path) -> None:
    journal = sqlite_journal(tmp_path)
    for number in range(200):
        await journal.append(f"step/{number}", 0, 1, [said(f"first-{number}")])
    asked: list[str] = []
    with closing(sqlite3.connect(tmp_path / "session.db")) as connection:
        numbers = Numbers()
        assert numbers.find(connection, "step/199") == 200
        await journal.append("step/new", 0, 1, [said("newest")])
        connection.set_trace_callback(asked.append)

        assert numbers.find(connection, "step/new") == 201
        assert len(asked) < 10
        assert numbers.find(connection, "step/0") == 1
        assert numbers.find(connection, "step/none") == 0
    await journal.close()
    assert words(journal.read("step/new")) == ["newest"]
