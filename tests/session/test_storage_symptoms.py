"""What users of other agents have lost or missed for how Sessions were stored: none of it happens here."""

import hashlib
import shutil
from pathlib import Path

from msgspec.structs import replace

from tests.session.session_given import Given, calls, cast, for_vp, hands_on, read_state, says
from yeaft.events.codec import UnknownEvent
from yeaft.events.turn import ReplyCompleted
from yeaft.interfaces.cli.commands.transcript import transcript
from yeaft.llm.scripted.script import Fails
from yeaft.session.offline import read_session
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import SessionPaths, find_session
from yeaft.store.index import Index, current_meta
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.meta import new_meta, write_meta
from yeaft.store.sqlite import SqliteJournal

UNKNOWN = "session.unknown_events"


async def risen(paths: SessionPaths, name: str) -> None:
    """Have another version of yeaft write an event of a type that nobody here knows."""
    journal = SqliteJournal(paths.db, FileBlobs(paths.blobs))
    head = journal.read(SESSION_STREAM)[-1]
    moon = UnknownEvent(type="moon.risen", version=1, raw=b'{"type":"moon.risen"}')
    await journal.append(SESSION_STREAM, head.seq, head.epoch, (replace(head, id=f"e_moon{name}", seq=0, event=moon),))
    await journal.close()


def prints(root: Path) -> dict[str, tuple[int, str]]:
    """Time and hash of all files but the lock and SQLite's shared memory."""
    files = (path for path in root.rglob("*") if path.is_file() and path.suffix != ".db-shm" and path.name != "lock")
    return {str(path): (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files}


async def test_opening_a_session_and_leaving_it_without_a_word_rewrites_nothing(given: Given) -> None:
    talk = await given.session(says("Hello."))
    talk.say("hi")
    await talk.outcome()
    await talk.close()
    journal = {name: print_ for name, print_ in prints(talk.paths.root).items() if not name.endswith("meta.json")}

    again = await given.session(ref=talk.state.session_id)
    await again.close()

    after = prints(talk.paths.root)
    assert {name: after[name] for name in journal} == journal


async def test_a_session_of_another_version_says_at_every_opening_that_there_are_unknown_events(given: Given) -> None:
    talk = await given.session(says("Hello."), says("Again."))
    talk.say("hi")
    await talk.outcome()
    await talk.close()
    await risen(talk.paths, "1")

    told: list[list[str]] = []
    for moon in ("2", "3", ""):
        talk = await given.session(ref=talk.state.session_id)
        talk.say("go on")
        await talk.outcome()
        told.append([params["count"] for code, params in talk.notices() if code == UNKNOWN])
        await talk.close()
        if moon == "3":
            await risen(talk.paths, moon)

    assert told == [["1"], [], ["2"]]


async def test_a_session_is_resumed_from_any_folder_and_without_any_cache(given: Given, tmp_path: Path) -> None:
    talk = await given.session(says("Hello."), says("Again."), name="billing")
    talk.say("hi")
    await talk.outcome()
    await talk.close()
    for cache in (given.home / "index.db", talk.paths.meta):
        cache.unlink(missing_ok=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    found = find_session(given.home, "billing").session_id
    again = await given.session(ref=found[:6], folder=elsewhere)
    again.say("go on")

    assert await again.outcome() == "answered"
    assert again.state.session_id == talk.state.session_id


async def test_a_list_entry_that_says_empty_does_not_hide_what_the_journal_has(given: Given) -> None:
    talk = await given.session(says("Hello."))
    talk.say("hi")
    await talk.outcome()
    await talk.close()
    Index(given.home).rows()
    (given.home / "index.db").unlink()

    for lie in (0, 3):
        write_meta(talk.paths.meta, new_meta(talk.state.session_id).__class__(session_id="other", head_seq=lie))
        (row,) = Index(given.home).rows()
        assert (row.session_id, row.title, row.messages) == (talk.state.session_id, "hi", 1)
        assert current_meta(talk.paths) == row


async def test_after_a_crash_the_transcript_shows_what_the_model_sees(given: Given) -> None:
    talk = await given.session(calls("ListDir", "c1", path="."), says("First."), says("Second."))
    talk.say("one")
    await talk.outcome()
    talk.say("two")
    await talk.outcome()
    second = max(one.seq for one in talk.heard if isinstance(one.event, ReplyCompleted))
    crashed = await given.crashed(talk, lambda one: one.seq == second - 1)

    again = await given.session(says("Third."), ref=crashed)
    again.say("three")
    await again.outcome()
    shown = transcript(read_session(given.home, crashed))
    told = again.requests_of("omni")[-1]

    assert [message.text for message in shown] == ["one", "two", "three"]
    for message in shown:
        assert any(message.text in text for role, text in told if role == "user")
    for turn in (turn for message in shown[:-1] for turn in message.turns if turn.text):
        assert any(turn.text in text for role, text in told if role == "assistant")


async def test_words_of_the_engine_are_neither_title_nor_last_words_of_a_session(given: Given) -> None:
    given.vp("helper")
    talk = await given.session(
        cast(for_vp("omni", hands_on("helper", "please help"), says("All done.")), for_vp("helper", says("Helped.")))
    )
    talk.say("@omni @helper hi")
    await talk.outcomes()
    await talk.close()

    live = read_state(talk.paths)
    (row,) = Index(given.home).rows()
    shutil.copytree(talk.paths.root, talk.paths.root.with_name("copied11"))
    talk.paths.root.with_name("copied11").joinpath("meta.json").unlink()
    folded = current_meta(type(talk.paths)(talk.paths.root.with_name("copied11")))

    assert {message.kind for message in live.messages.values()} >= {"user", "forward", "return"}
    assert row.title == "@omni @helper hi"
    assert (row.last_words, row.last_speaker) == (folded.last_words, folded.last_speaker) == ("All done.", "vp:omni")


async def test_a_failed_turn_is_shown_as_failed_and_what_it_had_done_is_kept(given: Given) -> None:
    talk = await given.session(calls("ListDir", "c1", path="."), Fails(status=400, message="no"))
    talk.say("hi")
    outcome = await talk.outcome()
    await talk.close()

    (message,) = transcript(read_session(given.home, talk.state.session_id))

    assert outcome == message.turns[0].outcome == "failed"
    assert [call.tool for call in message.turns[0].calls] == ["ListDir"]
