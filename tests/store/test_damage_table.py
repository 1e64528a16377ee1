"""Whatever happened to the files of a Session: what is left is read, listed and found, and the talk goes on."""

import asyncio
import hashlib
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.session.session_given import PATIENCE_S, Given, says
from yeaft.events.codec import Recorded, Transient
from yeaft.events.ops import Close, Say
from yeaft.events.session import MessageSettled, NoticePosted
from yeaft.interfaces.assemble import Wish, opened
from yeaft.kernel.errors import StoreFailed
from yeaft.session.offline import read_session
from yeaft.session.opening import Wanted
from yeaft.store.checkup import check_up, repair
from yeaft.store.directory import SessionPaths, session_paths
from yeaft.store.index import Index
from yeaft.store.search import search
from yeaft.store.search_index import Narrow
from yeaft.store.search_words import Query

PAGE_BYTES = 1024
WAL_HEADER_BYTES, FRAME_BYTES = 32, 24 + PAGE_BYTES
MESSAGES = 6
WORDS = [f"needle{number} {'hay ' * 80}" for number in range(MESSAGES)]


class Case(NamedTuple):
    """One kind of harm, and how many of the messages must still be there; -1 if the journal is refused by name.

    `is_seen` says that a check finds it, `is_told` that whoever goes on is told.
    """

    name: str
    harm: Callable[[SessionPaths], None]
    left: int
    in_log: bool = False
    is_seen: bool = True
    is_told: bool = True


def overwrite(path: Path, at: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(content)


def page_with(path: Path, text: bytes) -> int:
    return path.read_bytes().rindex(text) // PAGE_BYTES


def page(number: int, content: bytes = b"\xa5") -> Callable[[SessionPaths], None]:
    return lambda paths: overwrite(paths.db, (number - 1) * PAGE_BYTES, content * PAGE_BYTES)


def page_of(text: bytes, content: bytes = b"\xa5") -> Callable[[SessionPaths], None]:
    return lambda paths: overwrite(paths.db, page_with(paths.db, text) * PAGE_BYTES, content * PAGE_BYTES)


def last_page(paths: SessionPaths) -> None:
    overwrite(paths.db, paths.db.stat().st_size - PAGE_BYTES, bytes(PAGE_BYTES))


def cut_file(part: float) -> Callable[[SessionPaths], None]:
    def harm(paths: SessionPaths) -> None:
        with paths.db.open("r+b") as file:
            file.truncate(int(paths.db.stat().st_size * part))

    return harm


def sql(statement: str) -> Callable[[SessionPaths], None]:
    def harm(paths: SessionPaths) -> None:
        with closing(sqlite3.connect(paths.db)) as connection, connection:
            connection.execute(statement)

    return harm


def no_blobs(paths: SessionPaths) -> None:
    shutil.rmtree(paths.blobs)


def altered_blobs(paths: SessionPaths) -> None:
    for blob in paths.blobs.iterdir():
        blob.write_bytes(b"something else")


def log_of(paths: SessionPaths) -> Path:
    return paths.db.with_name("session.db-wal")


def log_byte(part: float) -> Callable[[SessionPaths], None]:
    def harm(paths: SessionPaths) -> None:
        log = log_of(paths)
        frames = (log.stat().st_size - WAL_HEADER_BYTES) // FRAME_BYTES
        at = WAL_HEADER_BYTES + int(frames * part) * FRAME_BYTES + 24 + 700
        overwrite(log, at, bytes([log.read_bytes()[at] ^ 0xFF]))

    return harm


def log_header(paths: SessionPaths) -> None:
    overwrite(log_of(paths), 0, b"\xa5" * 16)


def torn_log(paths: SessionPaths) -> None:
    with log_of(paths).open("r+b") as file:
        file.truncate(log_of(paths).stat().st_size - FRAME_BYTES // 2)


def more_log(paths: SessionPaths) -> None:
    with log_of(paths).open("ab") as file:
        file.write(b"\xa5" * 3000)


def no_log(paths: SessionPaths) -> None:
    log_of(paths).unlink()


def no_shared_memory(paths: SessionPaths) -> None:
    paths.db.with_name("session.db-shm").unlink(missing_ok=True)


def other_shared_memory(paths: SessionPaths) -> None:
    paths.db.with_name("session.db-shm").write_bytes(b"\xa5" * 32768)


CASES = [
    Case("the first page is overwritten", page(1), MESSAGES),
    Case("the root of the events is overwritten", page(2), MESSAGES),
    Case("the root of the ids is overwritten", page(3), MESSAGES, is_told=False),
    Case("the page of a message is overwritten", page_of(b"needle3"), MESSAGES - 1),
    Case("the page of a message is empty", page_of(b"needle3", b"\0"), MESSAGES - 1),
    Case("the page of the beginning is overwritten", page_of(b"session.created"), MESSAGES - 1),
    Case("the last page is empty", last_page, MESSAGES - 1),
    Case("the file is cut in half", cut_file(0.5), 1),
    Case("the file lacks its end", cut_file(0.95), MESSAGES - 1),
    Case("the file is empty", cut_file(0), -1),
    Case(
        "a row is no JSON",
        sql("UPDATE event SET data=x'7b22ff' WHERE CAST(data AS TEXT) LIKE '%needle2%'"),
        MESSAGES - 1,
    ),
    Case(
        "a row is other JSON",
        sql("UPDATE event SET data='{\"a\":1}' WHERE CAST(data AS TEXT) LIKE '%needle2%'"),
        MESSAGES - 1,
    ),
    Case("a row is gone", sql("DELETE FROM event WHERE CAST(data AS TEXT) LIKE '%needle2%'"), MESSAGES - 1),
    Case(
        "a row is no UTF-8",
        sql("UPDATE event SET src=CAST(x'ff' AS TEXT) WHERE CAST(data AS TEXT) LIKE '%needle2%'"),
        MESSAGES - 1,
    ),
    Case(
        "a type is unknown",
        sql("UPDATE event SET type='future.thing' WHERE type='owner.released'"),
        MESSAGES,
        is_seen=False,
        is_told=False,
    ),
    Case("the format is newer", sql("PRAGMA user_version=99"), -1),
    Case("the blobs are gone", no_blobs, MESSAGES, is_told=False),
    Case("the blobs are altered", altered_blobs, MESSAGES, is_told=False),
    Case("a byte early in the log is flipped", log_byte(0.2), MESSAGES - 1, in_log=True),
    Case("a byte in the middle of the log is flipped", log_byte(0.5), MESSAGES - 1, in_log=True),
    Case("a byte late in the log is flipped", log_byte(0.9), MESSAGES - 1, in_log=True),
    Case("the header of the log is overwritten", log_header, MESSAGES, in_log=True),
    Case("the log is torn", torn_log, MESSAGES, in_log=True),
    Case("the log has garbage behind it", more_log, MESSAGES, in_log=True, is_seen=False, is_told=False),
    Case("the log is gone", no_log, -1, in_log=True),
    Case("the shared memory is gone", no_shared_memory, MESSAGES, in_log=True, is_seen=False, is_told=False),
    Case("the shared memory is garbage", other_shared_memory, MESSAGES, in_log=True, is_seen=False, is_told=False),
]
EACH = pytest.mark.parametrize("case", CASES, ids=[case.name.replace(" ", "-") for case in CASES])


def prints(root: Path) -> dict[str, tuple[int, str]]:
    """Time and hash of all files; SQLite's shared memory is none, it is made anew from the log."""
    files = (path for path in root.rglob("*") if path.is_file() and not path.name.endswith("-shm"))
    return {str(path): (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files}


@pytest.fixture
async def given(tmp_path: Path) -> AsyncIterator[Given]:
    async with AsyncExitStack() as stack:
        story = Given(tmp_path, stack)
        yield story
        await story.close()


async def harmed(given: Given, case: Case) -> SessionPaths:
    """A Session with six messages and their answers, to which the harm has come."""
    talk = await given.session(*(says(f"answer{number}") for number in range(MESSAGES)), *(says("more"),) * 2)
    for words in WORDS:
        talk.say(words)
        assert await talk.outcome() == "answered"
    paths = session_paths(given.home, talk.state.session_id)
    await talk.close()
    if not case.in_log:
        with closing(sqlite3.connect(paths.db)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    case.harm(paths)
    return paths


def needles(texts: Iterator[str]) -> set[str]:
    return {text.split()[0] for text in texts if text.startswith("needle")}


def found(given: Given, words: str) -> int:
    ids = [meta.session_id for meta in Index(given.home).rows()]
    return len(search(given.home, ids, Query(words), Narrow(speakers=("user",)), 100).hits)


@EACH
async def test_a_damaged_session_is_read_listed_and_found_without_a_change(given: Given, case: Case) -> None:
    paths = await harmed(given, case)
    before = prints(paths.root)

    listed = [meta.session_id for meta in Index(given.home).rows()]
    hits = found(given, "hay")
    if case.left < 0:
        with pytest.raises(StoreFailed, match=r"session\.db"):
            read_session(given.home, paths.session_id)
    else:
        reading = read_session(given.home, paths.session_id)
        left = needles(message.text for message in reading.state.messages.values())
        assert len(left) >= case.left
        assert hits == len(left)
        assert [record.seq for record in reading.records] == list(range(1, len(reading.records) + 1))
        assert reading.state.created is not None
        assert reading.state.created.folder == str(given.folder)
    checkup = check_up(paths)

    assert listed == [paths.session_id]
    assert bool(checkup.findings) == case.is_seen
    assert prints(paths.root) == before


async def go_on(given: Given, session_id: str, text: str) -> set[str]:
    """Say something more in a Session, which must be answered; returns the codes of what its user was told."""
    settled = asyncio.Event()
    told: set[str] = set()
    roots: set[str] = set()  # also of messages whose end was lost

    def hear(heard: Recorded | Transient) -> None:
        if isinstance(heard, Recorded) and isinstance(heard.event, NoticePosted):
            told.add(heard.event.code)
        if isinstance(heard, Recorded) and isinstance(heard.event, MessageSettled):
            roots.add(heard.event.message_id)
            settled.set()

    async with opened(Wish(wanted=Wanted(ref=session_id), environ=given.environ, folder=given.folder)) as here:
        here.listen(hear)
        here.session.send(Say(text=text))
        own = next(one.message_id for one in reversed(here.state.messages.values()) if one.text == text)
        async with asyncio.timeout(PATIENCE_S):
            while own not in roots:
                settled.clear()
                await settled.wait()
        assert [turn.final_text for turn in here.state.turns_of_root(own)] == ["more"]
        here.session.send(Close(how="abort"))
    return told


@EACH
async def test_the_talk_goes_on_with_what_is_left(given: Given, case: Case) -> None:
    paths = await harmed(given, case)
    before = prints(paths.root)
    if case.left < 0:
        with pytest.raises(StoreFailed, match=r"session\.db"):
            await go_on(given, paths.session_id, "needle-more hay")
        assert prints(paths.root).keys() >= before.keys()
        assert prints(paths.root)[str(paths.db)] == before[str(paths.db)]
        return
    left = needles(message.text for message in read_session(given.home, paths.session_id).state.messages.values())

    told = await go_on(given, paths.session_id, "needle-more hay")
    again = read_session(given.home, paths.session_id)
    told_again = await go_on(given, paths.session_id, "needle-again hay")

    assert needles(message.text for message in again.state.messages.values()) == left | {"needle-more"}
    assert found(given, "hay") == len(left) + 2
    assert bool(told & {"sessions.damaged", "sessions.mended"}) == case.is_told
    assert "sessions.mended" not in told_again
    kept = [path for path in paths.root.glob("session.db.damaged-*") if not path.name.endswith("-wal")]
    assert [hashlib.sha256(one.read_bytes()).hexdigest() for one in kept] == [before[str(paths.db)][1]] * len(kept)
    assert len(kept) == ("sessions.mended" in told or case.name == "the root of the ids is overwritten")
    assert not check_up(paths).can_be_mended


@EACH
async def test_repairing_twice_is_repairing_once(given: Given, case: Case) -> None:
    paths = await harmed(given, case)
    if case.left < 0:
        return
    left = needles(message.text for message in read_session(given.home, paths.session_id).state.messages.values())

    first = repair(paths)
    second = repair(paths)

    assert second is None
    assert (first is not None) == bool(list(paths.root.glob("session.db.damaged-1")))
    after = read_session(given.home, paths.session_id)
    assert needles(message.text for message in after.state.messages.values()) == left
    assert not check_up(paths).can_be_mended


@pytest.mark.parametrize("part", ["log", "file"])
async def test_a_journal_cut_at_each_byte_of_its_end_loses_no_more_than_that(given: Given, part: str) -> None:
    whole = await harmed(given, Case("", lambda _: None, MESSAGES, in_log=part == "log"))
    path = log_of(whole) if part == "log" else whole.db
    content = path.read_bytes()
    everything = len(read_session(given.home, whole.session_id).records)
    step = 29 if part == "log" else 7

    for length in range(len(content) - FRAME_BYTES, len(content), step):
        path.write_bytes(content[:length])
        no_shared_memory(whole)
        reading = read_session(given.home, whole.session_id)
        texts = needles(message.text for message in reading.state.messages.values())
        assert len(texts) == MESSAGES
        assert len(reading.records) >= everything - 4
        assert path.read_bytes() == content[:length]
