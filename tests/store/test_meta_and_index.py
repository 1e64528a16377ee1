"""The list of Sessions is right whatever happened to its caches."""

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from tests.store.store_given import STREAM, recorded
from yeaft.events import session
from yeaft.events.codec import Event
from yeaft.events.history import Rewound
from yeaft.kernel.errors import StoreFailed
from yeaft.store.blobs import FileBlobs
from yeaft.store.cost import NOTHING
from yeaft.store.directory import session_paths
from yeaft.store.index import Index, current_meta
from yeaft.store.meta import SessionMeta, fold_meta, new_meta, read_meta, write_meta
from yeaft.store.sqlite import SqliteJournal


def created(session_id: str, name: str, folder: str = "/work") -> session.SessionCreated:
    return session.SessionCreated(
        session_id=session_id,
        name=name,
        folder=folder,
        roster=("omni",),
        default_vp="omni",
        lang="en",
        app_version="0.1.0",
    )


def posted(number: int) -> session.MessagePosted:
    return session.MessagePosted(
        message_id=f"m_{number}", sender="user", to=("omni",), kind="user", text="hi", root_id=f"m_{number}"
    )


async def given(home: Path, session_id: str, events: Sequence[Event], *, ts: int, close: bool = True) -> None:
    """Append to a Session as its owner does; a killed one (`close=False`) never writes its meta."""
    paths = session_paths(home, session_id)
    journal = SqliteJournal(paths.db, FileBlobs(paths.blobs))
    head = journal.head(STREAM)
    records = [recorded(event, f"e_{head + number}", ts=ts) for number, event in enumerate(events)]
    await journal.append(STREAM, head, 1, records)
    if close:
        meta = read_meta(paths.meta) or new_meta(session_id)
        write_meta(paths.meta, fold_meta(meta, journal.read(STREAM, meta.head_seq)))
    await journal.close()


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    await given(tmp_path, "aaaa1111", [created("aaaa1111", "first")], ts=1000)
    await given(tmp_path, "bbbb2222", [created("bbbb2222", "second", "/other"), posted(1)], ts=3000)
    await given(tmp_path, "cccc3333", [created("cccc3333", "third"), session.SessionTagged(archived=True)], ts=2000)
    return tmp_path


def names(metas: Sequence[SessionMeta]) -> list[str]:
    return [meta.name for meta in metas]


async def test_meta_tells_what_the_journal_tells(tmp_path: Path) -> None:
    events = [created("aaaa1111", "first"), posted(1), posted(2), session.SessionRenamed(name="renamed")]
    await given(tmp_path, "aaaa1111", events, ts=1000)
    more = [
        session.RosterChanged(roster=("omni", "skeptic"), default_vp="skeptic", reason="user"),
        session.SessionTagged(archived=True, labels=("home",)),
    ]
    await given(tmp_path, "aaaa1111", more, ts=5000)

    assert read_meta(session_paths(tmp_path, "aaaa1111").meta) == SessionMeta(
        session_id="aaaa1111",
        name="renamed",
        title="hi",
        folder="/work",
        roster=("omni", "skeptic"),
        default_vp="skeptic",
        created_ms=1000,
        last_active_ms=5000,
        head_seq=6,
        messages=2,
        archived=True,
        labels=("home",),
        last_words="hi",
        last_speaker="user",
        cost=NOTHING,
    )


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b'{"session_id":3}', b"\xff\xfe"])
def test_a_meta_that_cannot_be_read_is_none(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "meta.json"
    if content is not None:
        path.write_bytes(content)

    assert read_meta(path) is None


def test_meta_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "meta.json"
    meta = SessionMeta(session_id="aaaa1111", name="牛奶")

    write_meta(path, meta)

    assert read_meta(path) == meta
    assert [entry.name for entry in tmp_path.iterdir()] == ["meta.json"]
    with pytest.raises(StoreFailed, match=f"{tmp_path}/gone/meta.json"):
        write_meta(tmp_path / "gone" / "meta.json", meta)


async def test_sessions_are_listed_last_used_first(home: Path) -> None:
    index = Index(home)

    for _ in ("first from the sessions", "then from the index"):
        assert names(index.rows()) == ["second", "first"]
        assert names(index.rows(include_archived=True)) == ["second", "third", "first"]
        assert names(index.rows(folder="/other")) == ["second"]
        assert index.rows(folder="/nowhere") == []


async def test_the_list_follows_what_happens_to_sessions(home: Path) -> None:
    index = Index(home)
    index.rows()

    await given(home, "aaaa1111", [session.SessionRenamed(name="renamed")], ts=9000)
    await given(home, "dddd4444", [created("dddd4444", "fourth")], ts=5000)
    shutil.rmtree(session_paths(home, "bbbb2222").root)

    assert names(index.rows()) == names(Index(home).rows()) == ["renamed", "fourth"]


async def test_a_killed_session_is_listed_as_its_journal_left_it(home: Path) -> None:
    await given(home, "aaaa1111", [session.SessionRenamed(name="renamed"), posted(1)], ts=9000, close=False)
    await given(home, "dddd4444", [created("dddd4444", "fourth")], ts=5000, close=False)

    rows = Index(home).rows()

    assert names(rows) == ["renamed", "fourth", "second"]
    assert rows[0].messages == 1
    assert current_meta(session_paths(home, "dddd4444")) == rows[1]
    assert read_meta(session_paths(home, "dddd4444").meta) is None


async def test_a_session_that_cannot_be_read_is_still_listed(home: Path) -> None:
    paths = session_paths(home, "aaaa1111")
    paths.meta.unlink()
    paths.db.write_bytes(b"no database at all, " * 100)

    rows = Index(home).rows()

    assert [meta.session_id for meta in rows] == ["bbbb2222", "aaaa1111"]


@pytest.mark.parametrize("harm", ["garbage", "cut", "other tables", "a directory", "gone"])
async def test_a_broken_index_is_rebuilt_or_done_without(home: Path, harm: str) -> None:
    path = home / "index.db"
    expected = Index(home).rows()
    content = path.read_bytes()

    path.unlink()
    match harm:
        case "garbage":
            path.write_bytes(b"garbage " * 1000)
        case "cut":
            path.write_bytes(content[: len(content) // 2])
        case "other tables":
            with closing(sqlite3.connect(path)) as connection:
                connection.execute("CREATE TABLE session(id, other)")
        case "a directory":
            path.mkdir()
        case _:
            assert harm == "gone"

    assert Index(home).rows() == Index(home).rows() == expected
    assert harm == "a directory" or path.read_bytes()[:6] == b"SQLite"


def test_a_home_that_does_not_exist_has_no_sessions_and_stays_that_way(tmp_path: Path) -> None:
    assert Index(tmp_path / "nowhere").rows() == []
    assert not (tmp_path / "nowhere").exists()


async def test_a_title_is_the_first_paragraph_of_the_first_message_and_no_name(tmp_path: Path) -> None:
    asked = posted(1)
    first = msgspec.structs.replace(asked, text='Why is this slow?\n\n<attached from="standard input">\nsecret log')
    await given(tmp_path, "aaaa1111", [created("aaaa1111", ""), first, posted(2)], ts=1000)

    (meta,) = Index(tmp_path).rows()

    assert (meta.name, meta.title) == ("", "Why is this slow?")


async def test_a_name_in_a_cache_of_an_earlier_version_is_looked_up_again(tmp_path: Path) -> None:
    await given(tmp_path, "aaaa1111", [created("aaaa1111", ""), posted(1)], ts=1000)
    paths = session_paths(tmp_path, "aaaa1111")
    write_meta(paths.meta, SessionMeta(session_id="aaaa1111", name="hi", head_seq=2, messages=1))

    (meta,) = Index(tmp_path).rows()

    assert (meta.name, meta.title, meta.messages) == ("", "hi", 1)


async def test_only_the_user_can_look_into_what_is_made(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"
    await given(home, "aaaa1111", [created("aaaa1111", "first")], ts=1000)
    Index(home).rows()

    made = [home.parent, home, home / "sessions", home / "sessions" / "aaaa1111", home / "index.db"]

    assert [oct(path.stat().st_mode & 0o777) for path in made] == ["0o700", "0o700", "0o700", "0o700", "0o600"]


async def test_what_the_user_took_back_is_not_in_the_list_whether_it_was_read_at_once_or_bit_by_bit(
    tmp_path: Path,
) -> None:
    first, second = posted(1), msgspec.structs.replace(posted(2), text="not that")
    await given(tmp_path, "aaaa1111", [created("aaaa1111", ""), first, second], ts=1000)
    before = current_meta(session_paths(tmp_path, "aaaa1111"))
    await given(tmp_path, "aaaa1111", [Rewound(to_seq=2, scope="conversation")], ts=2000, close=False)
    after = current_meta(session_paths(tmp_path, "aaaa1111"))
    session_paths(tmp_path, "aaaa1111").meta.unlink()
    at_once = current_meta(session_paths(tmp_path, "aaaa1111"))
    await given(tmp_path, "aaaa1111", [Rewound(to_seq=1, scope="both"), posted(3)], ts=3000, close=False)
    begun_anew = current_meta(session_paths(tmp_path, "aaaa1111"))

    assert (before.messages, before.title, before.last_words) == (2, "hi", "not that")
    assert (after.messages, after.title, after.last_words, after.head_seq) == (1, "hi", "hi", 4)
    assert at_once == after
    assert (begun_anew.messages, begun_anew.title, begun_anew.last_words) == (1, "hi", "hi")
