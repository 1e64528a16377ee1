"""Events are read out of a journal's bytes as SQLite would read them, and out of what SQLite gives up on."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store.store_given import STREAM, recorded, said, seqs, sqlite_journal, words
from yeaft.events.call import CallFinished
from yeaft.store.database import MENDED, STREAM_SPAN
from yeaft.store.recovery import recovered
from yeaft.store.salvage import LOST_DATA, kept_path, kept_paths, mend

PAGE_BYTES = 1024
SIZES = st.lists(st.integers(0, 6000), min_size=1, max_size=30)


def result(size: int) -> CallFinished:
    return CallFinished(call_id="c_1", turn_id="t_1", tool="Bash", status="ok", text="牛x" * (size // 2))


async def written(folder: Path, sizes: list[int], *, in_file: bool) -> Path:
    journal = sqlite_journal(folder)
    for number, size in enumerate(sizes):
        stream = STREAM if number % 3 else "agent/a_1"
        await journal.append(stream, journal.head(stream), 1, [recorded(result(size), f"e_{number:026}")])
    await journal.close()
    path = folder / "session.db"
    if in_file:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def rows_by_sqlite(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return connection.execute("SELECT * FROM event ORDER BY at").fetchall()


@settings(max_examples=25)
@given(sizes=SIZES, in_file=st.booleans())
def test_a_sound_journal_is_read_as_sqlite_reads_it(
    sizes: list[int], in_file: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = asyncio.run(written(tmp_path_factory.mktemp("sound"), sizes, in_file=in_file))

    left = recovered(path)

    assert list(left.rows.values()) == rows_by_sqlite(path)
    assert left.places == tuple(left.rows)


@settings(max_examples=40)
@given(sizes=SIZES, in_file=st.booleans(), data=st.data())
def test_whatever_bytes_are_overwritten_no_event_is_made_up_and_mending_gives_a_whole_journal(
    sizes: list[int], in_file: bool, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = asyncio.run(written(tmp_path_factory.mktemp("harmed"), sizes, in_file=in_file))
    true = {row[0]: row for row in rows_by_sqlite(path)}
    harmed = path if in_file else path.with_name("session.db-wal")
    content = bytearray(harmed.read_bytes())
    start = data.draw(st.integers(0, len(content) - 1))
    length = data.draw(st.sampled_from([1, 4, 100, 1024, 3000]))
    content[start : start + length] = data.draw(st.sampled_from([b"\0", b"\xa5", b"\x0d"])) * length
    harmed.write_bytes(content)

    left = recovered(path)
    made_up = [at for at, row in left.rows.items() if at in true and row[:10] != true[at][:10]]

    assert len(made_up) <= 2, "events may be garbled at the two ends of the harm, and nowhere else"
    if left.rows:
        mend(path)
        mended = rows_by_sqlite(path)
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert [row[0] for row in mended] == [
            number * STREAM_SPAN + seq
            for number in sorted({at // STREAM_SPAN for at in left.places})
            for seq in range(1, max(at for at in left.places if at // STREAM_SPAN == number) % STREAM_SPAN + 1)
        ]
        assert {row[0]: row for row in mended if row[10] != LOST_DATA and row[3] != "session.created"} == {
            at: row for at, row in left.rows.items() if row in mended
        }


async def test_whoever_is_killed_while_mending_leaves_a_journal_that_the_next_one_finds_whole(tmp_path: Path) -> None:
    path = await written(tmp_path, [100] * 6, in_file=True)
    before = sqlite_journal(tmp_path).read(STREAM)
    other = tmp_path / "other"
    other.mkdir()
    whole = await written(other, [100] * 9, in_file=True)
    path.with_name(path.name + MENDED).write_bytes(whole.read_bytes())  # killed before this took its place
    path.with_name("session.db-wal").write_bytes(b"\xa5" * 5000)

    reading = sqlite_journal(tmp_path)
    read = reading.read(STREAM)
    stayed = path.with_name(path.name + MENDED).exists()
    head = await reading.append(STREAM, 6, 2, [said("more")])
    await reading.close()

    assert len(before) == 4
    assert (len(read), stayed) == (6, True)
    assert head == 7
    assert not path.with_name(path.name + MENDED).exists()
    assert seqs(sqlite_journal(tmp_path).read(STREAM)) == list(range(1, 8))
    assert words(sqlite_journal(tmp_path).read(STREAM)) == ["more"]


async def test_each_damaged_file_is_kept_under_a_name_of_its_own(tmp_path: Path) -> None:
    path = await written(tmp_path, [100] * 6, in_file=True)

    kept = [mend(path).kept, mend(path).kept]

    assert kept == kept_paths(path) == [tmp_path / "session.db.damaged-1", tmp_path / "session.db.damaged-2"]
    assert kept_path(path) == tmp_path / "session.db.damaged-3"
