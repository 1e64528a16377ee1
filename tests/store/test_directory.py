"""A Session is found by what the user remembers of it."""

from pathlib import Path

import pytest

from tests.store.store_given import STREAM, recorded
from yeaft.events.session import MessagePosted, SessionCreated
from yeaft.kernel.errors import NotFound
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import SessionPaths, find_session, list_session_ids, session_paths, sessions_root
from yeaft.store.meta import SessionMeta, write_meta
from yeaft.store.sqlite import SqliteJournal


def session(home: Path, session_id: str, name: str = "") -> SessionPaths:
    paths = session_paths(home, session_id)
    paths.root.mkdir(parents=True)
    paths.db.write_bytes(b"")
    if name:
        write_meta(paths.meta, SessionMeta(session_id=session_id, name=name, title=""))
    return paths


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for session_id, name in (
        ("k7m2q9xa", "shopping list"),
        ("k7zzzzzz", "解析器"),
        ("aaaa1111", ""),
        ("bbbb2222", "k7"),
    ):
        session(tmp_path, session_id, name)
    (sessions_root(tmp_path) / "cccc3333").mkdir()  # locked once, but nothing was ever committed
    (sessions_root(tmp_path) / "notes.txt").write_text("not a session")
    return tmp_path


def test_only_directories_with_a_journal_are_sessions(home: Path, tmp_path: Path) -> None:
    assert list_session_ids(home) == ["aaaa1111", "bbbb2222", "k7m2q9xa", "k7zzzzzz"]
    assert list_session_ids(tmp_path / "nowhere") == []


@pytest.mark.parametrize(
    ("reference", "session_id"),
    [
        ("k7m2q9xa", "k7m2q9xa"),
        ("k7m", "k7m2q9xa"),
        ("K7M", "k7m2q9xa"),
        ("shopping list", "k7m2q9xa"),
        ("解析器", "k7zzzzzz"),
        ("k7", "bbbb2222"),  # a name wins over the beginning of an id
        ("a", "aaaa1111"),
    ],
)
def test_an_id_a_name_or_a_unique_beginning_finds_the_session(home: Path, reference: str, session_id: str) -> None:
    assert find_session(home, reference).root == sessions_root(home) / session_id


def test_a_reference_that_fits_several_names_them(home: Path) -> None:
    session(home, "dddd4444", "shopping list")
    session(home, "dddd5555")

    with pytest.raises(NotFound, match=r"'dddd' fits 2 Sessions: dddd4444 \(shopping list\), dddd5555"):
        find_session(home, "dddd")
    with pytest.raises(NotFound, match=r"'shopping list' fits 2 Sessions: dddd4444 .*, k7m2q9xa"):
        find_session(home, "shopping list")


@pytest.mark.parametrize(
    ("reference", "hint"),
    [
        ("shoping list", r"Did you mean k7m2q9xa \(shopping list\)\?"),
        ("k7m2q9xb", r"Did you mean k7m2q9xa \(shopping list\)\?"),
        ("something else", "`yeaft session ls --all` lists them"),
        ("", "`yeaft session ls --all` lists them"),
        ("../sessions/k7m2q9xa", "No Session"),
        ("cccc3333", "No Session"),
    ],
)
def test_a_reference_that_fits_none_gets_the_nearest(home: Path, reference: str, hint: str) -> None:
    with pytest.raises(NotFound, match=hint):
        find_session(home, reference)


def test_without_sessions_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"No Session 'x'\. There are none yet"):
        find_session(tmp_path, "x")


def test_everything_of_a_session_is_inside_its_directory(tmp_path: Path) -> None:
    paths = session_paths(tmp_path, "k7m2q9xa")
    inside = [paths.db, paths.lock, paths.meta, paths.blobs, paths.tasks, paths.agents]
    inside += [paths.attachments, paths.out, paths.checkpoints]

    assert paths.session_id == "k7m2q9xa"
    assert {path.parent for path in inside} == {tmp_path / "sessions" / "k7m2q9xa"}
    assert len(set(inside)) == len(inside)
    assert not paths.root.exists()


async def test_a_session_that_is_running_or_was_killed_is_found_by_its_name_only(tmp_path: Path) -> None:
    paths = session_paths(tmp_path, "k7m2q9xa")
    journal = SqliteJournal(paths.db, FileBlobs(paths.blobs))
    named = SessionCreated(
        session_id="k7m2q9xa",
        name="billing bug",
        folder="/work",
        roster=("omni",),
        default_vp="omni",
        lang="en",
        app_version="0.1.0",
    )
    asked = MessagePosted(message_id="m_1", sender="user", to=("omni",), kind="user", text="Why?", root_id="m_1")
    await journal.append(STREAM, 0, 1, [recorded(named, "e_1", ts=1000), recorded(asked, "e_2", ts=1000)])
    await journal.close()

    assert find_session(tmp_path, "billing bug").session_id == "k7m2q9xa"
    with pytest.raises(NotFound, match=r"Did you mean k7m2q9xa \(billing bug\)"):
        find_session(tmp_path, "why?")
