"""A copy of a Session that goes on from an earlier message; the original never notices."""

import pytest

from tests.session.session_given import Given, calls, held, lines_of, read_state, says
from yeaft.events.history import CheckpointTaken
from yeaft.events.ops import Rewind
from yeaft.events.session import MessagePosted, SessionForked
from yeaft.events.task import TaskStarted
from yeaft.kernel.errors import NotFound
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import session_paths
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.sqlite import SqliteJournal


async def test_a_fork_at_a_message_has_what_was_said_before_it_and_nothing_later(given: Given) -> None:
    talk = await given.session(says("One."), says("SECRET-two."), says("Three."), says("Four."))
    talk.say("First.")
    await talk.idle()
    second = talk.say("Second.")
    await talk.idle()
    await talk.close()
    before = (talk.paths.db).read_bytes()

    fork = await given.session(ref=talk.state.session_id, fork=True, at=second)
    fork.say("Another second.")
    await fork.idle()

    texts = lines_of(fork.server.requests[-1])
    assert texts == [("user", "First."), ("assistant", "One."), ("user", "Another second.")]
    (forked,) = fork.all_of(SessionForked)
    assert (forked.from_session, forked.from_seq) == (talk.state.session_id, talk.state.posted_at[second] - 1)
    assert talk.paths.db.read_bytes() == before
    await fork.close()
    assert b"SECRET-two" not in fork.paths.db.read_bytes()


async def test_a_fork_by_the_number_of_a_message_or_at_a_named_checkpoint(given: Given) -> None:
    talk = await given.session(says("One."), says("Two."), says("Three."), says("Four."))
    for text in ("First.", "Second.", "Third."):
        talk.say(text)
        await talk.idle()

    fork = await given.session(ref=talk.state.session_id, fork=True, at="3")
    with pytest.raises(NotFound) as refused:
        await given.session(ref=talk.state.session_id, fork=True, at="9")
    assert "no message 9" in str(refused.value)

    assert [m.text for m in fork.state.messages.values()] == ["First.", "Second."]


async def test_a_fork_is_made_while_the_original_is_at_work(given: Given) -> None:
    talk = await given.session(says("One."), held(says("Slow."), "gate"), says("Three."))
    talk.say("First.")
    await talk.idle()
    second = talk.say("Second.")
    await talk.server.reached("gate")

    fork = await given.session(ref=talk.state.session_id, fork=True, at=second)
    fork.say("Meanwhile.")
    await fork.idle()
    assert [m.text for m in fork.state.messages.values()] == ["First.", "Meanwhile."]

    talk.server.release("gate")
    assert await talk.outcome(second) == "answered"


async def test_a_fork_leaves_the_files_alone_and_can_bring_its_own_back(given: Given) -> None:
    notes = given.file("notes.txt", "first\n")
    talk = await given.session(
        calls("Bash", "b1", command="echo second > notes.txt"),
        says("One."),
        calls("Bash", "b2", command="echo third > notes.txt"),
        says("Two."),
        mode="auto",
    )
    talk.say("Go.")
    await talk.idle()
    talk.say("Go on.")
    await talk.idle()

    fork = await given.session(ref=talk.state.session_id, fork=True, at="2", mode="auto")
    assert notes.read_text() == "third\n"
    fork.send(Rewind(to="1", scope="files"))
    await fork.idle()

    assert notes.read_text() == "first\n"
    assert len(fork.state.past.checkpoints) == 2  # the one before the change, and the one before going back


async def test_tasks_of_the_original_are_not_live_in_a_fork(given: Given) -> None:
    given.pipe("go")
    talk = await given.session(
        calls("Bash", "b1", command="cat go", background=True), says("Started."), says("Two."), says("Three."), mode="auto"
    )  # fmt: skip
    talk.say("Start it.")
    await talk.heard_of(TaskStarted)
    await talk.until(lambda: next(iter(talk.state.settled), None))

    fork = await given.session(ref=talk.state.session_id, fork=True, mode="auto")
    fork.say("And?")
    await fork.outcome()
    await fork.close()

    assert read_state(fork.paths).tasks == {}
    assert len(talk.state.tasks) == 1
    (given.folder / "go").write_text("done\n")


async def test_a_fork_at_a_void_message_has_the_conversation_as_it_was_then(given: Given) -> None:
    talk = await given.session(says("One."), says("Two."), says("Three."), says("Four."))
    talk.say("First.")
    await talk.idle()
    second = talk.say("Second.")
    await talk.idle()
    third = talk.say("Third.")
    await talk.idle()
    talk.send(Rewind(to=second, scope="conversation"))
    await talk.idle()

    fork = await given.session(ref=talk.state.session_id, fork=True, at=third)
    fork.say("Other third.")
    await fork.idle()

    texts = [text for role, text in lines_of(fork.server.requests[-1]) if role == "user"]
    assert texts == ["First.", "Second.", "Other third."]


async def test_the_journal_of_a_cut_fork_is_whole(given: Given) -> None:
    talk = await given.session(
        calls("FileWrite", "w1", file_path="a.txt", content="a" * 50_000), says("One."), says("Two."), mode="auto"
    )
    talk.say("Write.")
    await talk.idle()
    talk.say("Again.")
    await talk.idle()
    fork = await given.session(ref=talk.state.session_id, fork=True, at="2", mode="auto")
    fork.say("Go on.")
    await fork.idle()
    await fork.close()

    paths = session_paths(given.home, fork.state.session_id)
    journal = SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs))
    records = journal.read(SESSION_STREAM)
    assert (journal.damage, [one.seq for one in records]) == ((), list(range(1, len(records) + 1)))
    assert sum(isinstance(one.event, MessagePosted) for one in records) == 2
    assert sum(isinstance(one.event, CheckpointTaken) for one in records) == 1
