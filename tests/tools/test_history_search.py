"""A VP finds again what was said, here and in earlier Sessions of the folder."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.events.call import CallFinished
from yeaft.events.codec import Event, Recorded
from yeaft.events.session import MessagePosted, SessionCreated, SessionTagged
from yeaft.events.turn import Failure, ReplyCompleted, RequestFailed, TurnStarted
from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.messages import Call, TextItem
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import session_paths
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.search import search
from yeaft.store.search_index import Narrow
from yeaft.store.search_words import SNIPPET_CHARS, Query
from yeaft.store.sqlite import SqliteJournal
from yeaft.tools.history_search import MOST_SESSIONS, OUTPUT_BYTES, history_search
from yeaft.tools.tool import ToolResult

FOLDER = "/home/ada/work"
MINUTE_MS = 60_000
MIDNIGHT_MS = 1_700_006_400_000  # 2023-11-15T00:00:00Z


class RunningCall:
    call_id = "c_now"

    def show(self, chunk: str) -> None:
        raise AssertionError(chunk)


class Home:
    """A yeaft home with Sessions in it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    async def session(self, key: str, *events: Event, folder: str = FOLDER, minute: int = 0) -> None:
        """Write a Session; its events follow one another by a minute, from `minute` after midnight."""
        created = SessionCreated(
            session_id=key, name="", folder=folder, roster=("omni",), default_vp="omni", lang="en", app_version="0"
        )
        paths = session_paths(self.root, key)
        journal = SqliteJournal(paths.db, FileBlobs(paths.blobs))
        await journal.append(SESSION_STREAM, 0, 1, _recorded((created, *events), key, minute))
        await journal.close()

    async def search(self, keyword: str, *, here: str = "here", **args: object) -> dict[str, object]:
        tool = history_search(self.root, here, FOLDER)
        text = await tool.bind(json.dumps({"keyword": keyword, **args})).start(RunningCall())
        assert not isinstance(text, ToolResult)
        assert len(text.encode()) <= OUTPUT_BYTES
        return json.loads(text)


def _recorded(events: Sequence[Event], key: str, minute: int) -> list[Recorded]:
    return [
        Recorded(
            id=f"e_{key}_{number}",
            stream="",
            seq=0,
            ts=MIDNIGHT_MS + (minute + number) * MINUTE_MS,
            src="user",
            cause="",
            corr=_root(event),
            epoch=1,
            event=event,
        )
        for number, event in enumerate(events)
    ]


def _root(event: Event) -> str:
    return event.turn_id.replace("t_", "m_") if isinstance(event, ReplyCompleted | RequestFailed) else ""


def asked(number: str, text: str, **more: str) -> MessagePosted:
    about = {"sender": "user", "kind": "user", "root_id": f"m_{number}", **more}
    return MessagePosted(message_id=f"m_{number}", to=("omni",), text=text, **about)


def began(number: str) -> TurnStarted:
    return TurnStarted(turn_id=f"t_{number}", message_id=f"m_{number}", vp_id="omni", mode="ask")


def answered(number: str, text: str, *calls: Call) -> ReplyCompleted:
    return ReplyCompleted(
        request_id=f"q_{number}",
        turn_id=f"t_{number}",
        model="a/b",
        items=(TextItem(text=text),),
        calls=calls,
        stop="end",
    )


def contents(found: dict[str, object]) -> list[tuple[str, str]]:
    return [(result["sessionId"], result["content"]) for result in found["results"]]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


async def test_what_users_and_vps_said_is_found_newest_first_here_and_in_the_folders_other_sessions(home: Home) -> None:
    await home.session(
        "older", asked("1", "Buy MILK and eggs"), began("1"), answered("1", "Eggs, then milk."), minute=0
    )
    await home.session("here", asked("2", "milk? eggs!"), minute=60)
    await home.session("elsewhere", asked("3", "milk eggs"), folder="/home/ada/other")

    found = await home.search("milk EGGS")

    assert found == {
        "keyword": "milk EGGS",
        "results": [
            {
                "messageId": "m_2",
                "sessionId": "here",
                "role": "user",
                "source": "user",
                "time": "2023-11-15T01:01:00Z",
                "content": "milk? eggs!",
            },
            {
                "messageId": "q_1",
                "sessionId": "older",
                "role": "assistant",
                "source": "vp:omni",
                "time": "2023-11-15T00:03:00Z",
                "content": "Eggs, then milk.",
                "mode": "ask",
                "turnId": "t_1",
            },
            {
                "messageId": "m_1",
                "sessionId": "older",
                "role": "user",
                "source": "user",
                "time": "2023-11-15T00:01:00Z",
                "content": "Buy MILK and eggs",
            },
        ],
        "totalResults": 3,
        "telemetry": {
            "resultCount": 3,
            "scannedSessions": 2,
            "scannedFiles": 2,
            "scannedMessages": 3,
            "scannedBytes": 44,
        },
    }


async def test_chinese_is_found_inside_sentences_without_spaces(home: Home) -> None:
    await home.session("here", asked("1", "请把购物清单整理一下"), asked("2", "清单"))

    assert contents(await home.search("购物 清单")) == [("here", "请把购物清单整理一下")]


async def test_results_of_tools_and_what_repeats_others_is_not_found(home: Home) -> None:
    await home.session(
        "here",
        began("1"),
        CallFinished(call_id="c_1", turn_id="t_1", tool="Bash", status="ok", text="milk from a tool"),
        asked("2", "milk brought back", kind="return", sender="system"),
        asked("3", "milk, go on", kind="continue", sender="system"),
        asked("4", "fetch milk", kind="forward", sender="vp:omni"),
        RequestFailed(request_id="q_5", turn_id="t_1", error=Failure(kind="idle", message=""), text_so_far="milk and"),
    )

    assert contents(await home.search("milk")) == [("here", "milk and"), ("here", "fetch milk")]


async def test_the_question_that_caused_the_search_is_not_its_own_answer(home: Home) -> None:
    call = Call(call_id="c_now", wire_id="", tool="HistorySearch", args_raw="{}")
    await home.session(
        "here", asked("1", "buy milk"), asked("2", "Where was milk?"), began("2"), answered("2", "Milk: I look.", call)
    )

    assert contents(await home.search("milk")) == [("here", "buy milk")]


async def test_a_message_that_a_fork_took_along_is_found_once(home: Home) -> None:
    await home.session("here", asked("1", "buy milk"))
    await home.session("source", asked("1", "buy milk"))

    found = await home.search("milk")

    assert contents(found) == [("here", "buy milk")]
    assert found["totalResults"] == 1


async def test_archived_sessions_stay_out_and_damaged_ones_are_counted(home: Home) -> None:
    await home.session("here", asked("1", "milk here"))
    await home.session("archived", asked("2", "milk archived"), SessionTagged(archived=True))
    await home.session("damaged", asked("3", "milk damaged"))
    damaged = session_paths(home.root, "damaged")
    damaged.meta.write_text(json.dumps({"session_id": "damaged", "folder": FOLDER, "head_seq": 2}))
    damaged.db.write_bytes(b"no database" * 1000)
    for rest in damaged.root.glob("session.db-*"):
        rest.unlink()

    found = await home.search("milk")

    assert contents(found) == [("here", "milk here")]
    assert found["telemetry"]["unreadSessions"] == 1


async def test_searching_writes_nothing(home: Home) -> None:
    await home.session("here", asked("1", "milk"))
    await home.session("other", asked("2", "milk"))
    before = {path: path.stat().st_mtime_ns for path in home.root.rglob("*") if not path.name.endswith("-shm")}

    await home.search("milk")

    assert {path: path.stat().st_mtime_ns for path in home.root.rglob("*") if not path.name.endswith("-shm")} == before


async def test_only_so_many_hits_are_given_and_the_others_counted(home: Home) -> None:
    await home.session("here", *(asked(str(number), f"milk {number}") for number in range(15)))

    found = await home.search("milk")
    one = await home.search("milk", limit=-3)

    assert [content for _, content in contents(found)] == [f"milk {number}" for number in reversed(range(5, 15))]
    assert (found["totalResults"], found["omittedResults"], "truncated" in found) == (15, 5, False)
    assert contents(one) == [("here", "milk 14")]


async def test_long_hits_are_cut_around_the_word_and_the_answer_stays_small(home: Home) -> None:
    long = "奶" * 3000 + "milk" + "蛋" * 3000
    await home.session("here", *(asked(str(number), long) for number in range(40)))

    found = await home.search("milk", limit=100)

    snippets = [content for _, content in contents(found)]
    assert all(len(snippet) <= SNIPPET_CHARS for snippet in snippets)
    assert snippets[0] == "…" + "奶" * 497 + "milk" + "蛋" * 497 + "…"
    assert found["truncated"] is True
    assert found["omittedResults"] == 40 - len(snippets)


async def test_no_more_than_the_newest_sessions_are_read(home: Home) -> None:
    for number in range(MOST_SESSIONS + 2):
        await home.session(f"s{number:02}", asked(f"{number}", f"milk {number}"), minute=number)

    found = await home.search("milk", limit=100, here="nowhere yet")

    assert [content for _, content in contents(found)] == [
        f"milk {number}" for number in range(MOST_SESSIONS + 1, 1, -1)
    ]
    assert found["telemetry"]["unreadSessions"] == 2


@pytest.mark.parametrize(("keyword", "reason"), [(" \u3000", "empty"), ("x" * 201, "longer than 200 characters")])
async def test_a_keyword_that_says_nothing_is_refused(home: Home, keyword: str, reason: str) -> None:
    with pytest.raises(ToolFailed, match=reason):
        await home.search(keyword)


@given(
    before=st.text(max_size=1500),
    after=st.text(max_size=1500),
    word=st.text(st.characters(categories=["L"]), min_size=1),
)
def test_a_snippet_shows_the_word_and_is_part_of_the_text(before: str, after: str, word: str) -> None:
    text = before + word + after

    snippet = Query(word).snippet(text)

    assert snippet is not None
    assert len(snippet) <= SNIPPET_CHARS
    assert Query(word).snippet(snippet) is not None
    assert snippet.removeprefix("…").removesuffix("…") in text


async def test_what_the_search_cache_has_is_not_read_again_and_the_answer_is_the_same(home: Home) -> None:
    await home.session("here", asked("1", "milk here"))
    for number in range(3):
        await home.session(f"s{number}", asked(f"{number}0", f"milk {number}"), minute=number)
    without = await home.search("milk")

    ids = ["s0", "s1", "s2", "here"]
    search(home.root, ids, Query("x"), Narrow(), 1, update=True)
    await home.session("s3", asked("30", "milk 3"), minute=9)
    found = await home.search("milk")

    assert found["results"][1:] == without["results"]
    assert contents(found)[0] == ("s3", "milk 3")
    assert (without["telemetry"]["scannedSessions"], found["telemetry"]["scannedSessions"]) == (4, 2)
