"""What was said is found, in any Session, however the search cache came to be as it is; or without one."""

import asyncio
import os
import shutil
import sqlite3
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.said_given import SaidHome, answered, asked, places, prompted, rewound, said, spawned, texts
from yeaft.store.search_index import Narrow, SearchIndex
from yeaft.store.search_sources import WINDOW_BYTES
from yeaft.store.search_words import Query
from yeaft.store.spoken import Spoken

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture
def home(tmp_path: Path) -> SaidHome:
    return SaidHome(tmp_path)


def both(home: SaidHome, words: str, **narrow: object) -> list[str]:
    """What is found, which must be the same with the cache, once more with it, and without one."""
    found = texts(home.search(words, **narrow))
    assert texts(home.search(words, **narrow)) == found
    assert texts(home.scan(words, **narrow)) == found
    return found


async def test_all_words_must_occur_in_any_case_and_the_newest_comes_first(home: SaidHome) -> None:
    await home.session("aaaa1111", asked("1", "Buy MILK and eggs"), *answered("1", "Eggs, then milk."))
    await home.session("bbbb2222", asked("2", "only milk"), asked("3", "eggs? milk!"))

    assert both(home, "milk EGGS") == ["eggs? milk!", "Eggs, then milk.", "Buy MILK and eggs"]
    assert both(home, '"milk and"') == ["Buy MILK and eggs"]
    assert both(home, "gs") == ["eggs? milk!", "Eggs, then milk.", "Buy MILK and eggs"]
    assert both(home, "bread") == []


@pytest.mark.parametrize("words", ["单", "清单", "物清单", "购物 整理", "把购物清单", "清单 git"])
async def test_chinese_is_found_however_short_and_without_spaces(home: SaidHome, words: str) -> None:
    await home.session("aaaa1111", asked("1", "请把购物清单整理一下，再用 git 提交"), asked("2", "今天 git 有点慢"))

    assert both(home, words) == ["请把购物清单整理一下，再用 git 提交"]


@pytest.mark.parametrize("words", ["100%", "a_b", "!", "%", '"', "it's", "*", "-x", "NEAR", "ß", "ss", "İ"])
async def test_signs_that_mean_something_to_a_database_are_looked_for_as_they_are(home: SaidHome, words: str) -> None:
    text = "it's 100% a_b ! \" * -x NEAR Straße SS İstanbul"
    await home.session("aaaa1111", asked("1", text), asked("2", "plain 100 aab, nea r"))

    assert both(home, words) == [text]


@given(data=st.data())
def test_the_cache_finds_what_reading_finds(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    letters = st.text("abcA ß\0你好清单ひらㅎ한𠀀-%_\"'", max_size=12)
    told = data.draw(st.lists(letters, min_size=1, max_size=6))
    words = data.draw(st.one_of(letters, st.sampled_from(told)).filter(str.strip))
    query = Query(words)
    root = tmp_path_factory.mktemp("cache")
    spoken = [Spoken(message_id=f"m_{n}", seq=n, ts=n, source="user", text=text) for n, text in enumerate(told)]
    index = SearchIndex.open(root, to_write=True)
    assert index is not None

    with closing(index):
        index.put([(("aaaa1111", ""), "stamp", spoken)])
        found = [one.text for _, one in index.find(query, [("aaaa1111", "")], Narrow())]

    assert found == [text for text in reversed(told) if query.matches(text)]


async def test_what_is_new_is_found_and_only_that_is_read(home: SaidHome) -> None:
    await home.session("aaaa1111", asked("1", "milk one"))
    await home.session("bbbb2222", asked("2", "milk two"))
    home.search("milk")

    await home.more("bbbb2222", asked("3", "milk three"))
    before_cache = home.search("milk", to_write=False)
    after = home.search("milk")

    assert texts(before_cache) == texts(after) == ["milk three", "milk two", "milk one"]
    assert (before_cache.read, after.read) == (1, 0), "a search that writes nothing reads what the cache lacks"


async def test_what_was_taken_back_is_not_found_until_it_is_brought_back(home: SaidHome) -> None:
    await home.session("aaaa1111", asked("1", "milk kept"), *answered("1", "milk answer"))
    await home.more("aaaa1111", asked("2", "milk gone"), *answered("2", "milk gone too"), spawned("2", "fetch milk"))
    await home.more("aaaa1111", said("t_a", "agent milk"), stream="agent/a_2")
    everything = both(home, "milk")

    undone_at = await home.more("aaaa1111", rewound(4))
    left = both(home, "milk")
    await home.more("aaaa1111", rewound(undone_at - 1))

    assert left == ["milk answer", "milk kept"]
    assert set(both(home, "milk")) == set(everything)
    assert len(everything) == 6


async def test_a_copy_is_one_hit_in_both_sessions_and_the_last_used_one_is_named_first(home: SaidHome) -> None:
    await home.session("aaaa1111", asked("1", "buy milk"))
    shutil.copytree(home.paths("aaaa1111").root, home.paths("bbbb2222").root)
    await home.more("bbbb2222", asked("2", "more milk"))

    assert places(home.search("milk")) == places(home.scan("milk")) == [("bbbb2222",), ("bbbb2222", "aaaa1111")]


async def test_a_deleted_session_is_gone_from_the_results_and_from_the_disk(home: SaidHome) -> None:
    await home.session("aaaa1111", asked("1", "secretword"))
    await home.session("bbbb2222", asked("2", "other"))
    assert texts(home.search("secretword")) == ["secretword"]

    shutil.rmtree(home.paths("aaaa1111").root)
    found = home.search("secretword")
    home.search("other")
    with closing(sqlite3.connect(home.root / "search.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    assert texts(found) == []
    assert b"secretword" not in (home.root / "search.db").read_bytes()


async def test_a_session_that_was_replaced_by_another_is_what_it_is_now(home: SaidHome) -> None:
    await home.session("aaaa1111", asked("1", "milk before"), asked("2", "milk too"))
    home.search("milk")
    shutil.rmtree(home.paths("aaaa1111").root)
    await home.session("aaaa1111", asked("3", "milk after"))

    assert both(home, "milk") == ["milk after"]


def garbage(path: Path) -> None:
    path.write_bytes(b"garbage " * 1000)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:] = bytes(byte ^ 0x5A for byte in content[4096:])
    path.write_bytes(content)


def other_tables(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE said(other)")


def other_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version=99")


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def gone(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize(
    "harm",
    [garbage, cut, flipped, other_tables, other_version, a_folder, a_pipe, gone, empty],
    ids=lambda f: f.__name__,
)
async def test_a_broken_cache_never_changes_what_is_found(home: SaidHome, harm: Callable[[Path], None]) -> None:
    await home.session("aaaa1111", asked("1", "milk one"), asked("2", "牛奶"))
    path = home.root / "search.db"
    home.search("milk")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    harm(path)

    assert texts(home.search("milk", to_write=False)) == ["milk one"]
    for _ in range(3):
        assert texts(home.search("milk")) == ["milk one"]
        assert texts(home.search("牛奶")) == ["牛奶"]
    assert harm in (a_folder, a_pipe) or home.search("milk", to_write=False).read == 0, "it was made anew"


async def test_a_cache_that_another_process_holds_is_done_without(home: SaidHome) -> None:
    await home.session("aaaa1111", asked("1", "milk one"))
    home.search("milk")
    await home.more("aaaa1111", asked("2", "milk two"))

    with closing(sqlite3.connect(home.root / "search.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        found = home.search("milk")
        other.execute("ROLLBACK")

    assert texts(found) == ["milk two", "milk one"]
    assert found.read == 1


async def test_many_searches_at_once_all_find_everything(home: SaidHome) -> None:
    for number in range(8):
        await home.session(f"aaaa111{number}", *(asked(f"{number}x{n}", f"milk {number} {n}") for n in range(20)))
    code = (
        "import sys; from pathlib import Path; from tests.store.said_given import SaidHome;"
        "print(len(SaidHome(Path(sys.argv[1])).search('milk', limit=1000).hits))"
    )

    argv = (sys.executable, "-c", code, str(home.root))
    running = [await asyncio.create_subprocess_exec(*argv, cwd=CHECKOUT, stdout=PIPE) for _ in range(6)]

    assert [(await process.communicate())[0] for process in running] == [b"160\n"] * 6
    assert home.search("milk", limit=1000, to_write=False).read == 0


async def test_a_search_that_may_not_write_makes_nothing(home: SaidHome) -> None:
    await home.session("aaaa1111", asked("1", "milk"))
    before = sorted(path.name for path in home.root.iterdir())

    assert texts(home.search("milk", to_write=False)) == ["milk"]

    assert "search.db" not in before
    assert [name for name in sorted(path.name for path in home.root.iterdir()) if "search" in name] == []


async def test_only_the_user_can_look_into_the_cache(home: SaidHome) -> None:
    await home.session("aaaa1111", asked("1", "milk"))
    home.search("milk")

    assert oct((home.root / "search.db").stat().st_mode & 0o777) == "0o600"


async def test_a_damaged_session_does_not_hide_what_is_in_others(home: SaidHome) -> None:
    await home.session("aaaa1111", asked("1", "milk one"))
    await home.session("bbbb2222", asked("2", "milk two"))
    paths = home.paths("bbbb2222")
    paths.db.write_bytes(b"no database" * 1000)
    for rest in paths.root.glob("session.db-*"):
        rest.unlink()

    found = home.search("milk")

    assert texts(found) == ["milk one"]
    assert found.unread == 1


async def test_speakers_times_and_places_narrow_what_is_found(home: SaidHome) -> None:
    await home.session("aaaa1111", asked("1", "milk?"), *answered("1", "milk.", "skeptic"), *answered("1", "milk!"))
    await home.more("aaaa1111", spawned("1", "find milk"), prompted("1", "more milk"))
    await home.more("aaaa1111", said("t_a", "agent found milk"), stream="agent/a_1")
    home.task("aaaa1111", "j_1", b"task printed milk\n")
    first = home.search("milk?").hits[0].spoken.ts

    assert both(home, "milk", speakers=("user",)) == ["milk?"]
    assert both(home, "milk", speakers=("vp:skeptic",)) == ["milk."]
    assert both(home, "milk", speakers=("vp:*",), parts=("messages",)) == ["milk!", "milk."]
    assert both(home, "milk", parts=("agents",)) == ["agent found milk", "more milk", "find milk"]
    assert both(home, "milk", parts=("tasks",)) == ["task printed milk\n"]
    assert both(home, "milk", until_ms=first) == ["milk?"]
    assert both(home, "milk", since_ms=first + 1, parts=("messages",)) == ["milk!", "milk."]


async def test_a_log_is_searched_as_it_grows_and_no_line_is_found_twice(home: SaidHome) -> None:
    await home.session("aaaa1111")
    written = b""
    log = home.task("aaaa1111", "j_1", b"") / "log"

    for number in range(0, 3000, 500):
        written += b"".join(b"line %d of many\n" % (number + n) for n in range(500))
        log.write_bytes(written)
        assert len(texts(home.search(f'"line {number + 499} of"'))) == 1
    for number in (0, 1, 999, 1234, 2999):
        assert len(both(home, f'"line {number} of"')) == 1

    assert all(text.endswith("many\n") for text in texts(home.search("many")))
    assert sorted("".join(texts(home.search("many"))).split("\n")[:-1]) == sorted(written.decode().split("\n")[:-1])


async def test_of_a_long_log_the_end_is_searched(home: SaidHome) -> None:
    await home.session("aaaa1111")
    filler = b"x" * 99 + b"\n"
    home.task("aaaa1111", "j_1", b"needle first\n" + filler * 12_000 + b"needle last\n" + b"y" * (3 * WINDOW_BYTES))

    (found,) = both(home, "needle")

    assert "needle last" in found
    assert len(both(home, "yyyy", parts=("tasks",))) >= 3, "a line without an end is cut"


async def test_what_is_no_log_is_passed_over(home: SaidHome) -> None:
    await home.session("aaaa1111", asked("1", "milk"))
    place = home.task("aaaa1111", "j_1", b"")
    (place / "log").unlink()
    os.mkfifo(place / "log")

    assert both(home, "milk") == ["milk"]


async def test_the_number_of_hits_is_limited_and_said(home: SaidHome) -> None:
    await home.session("aaaa1111", *(asked(str(n), f"milk {n}") for n in range(5)))

    assert (home.search("milk", limit=5).is_all, home.search("milk", limit=4).is_all) == (True, False)
    assert texts(home.search("milk", limit=2)) == ["milk 4", "milk 3"]
