"""Sessions from their first word on: made, found again, named, copied."""

import pytest

from tests.session.session_given import CLAUDE, Given, calls, held, says
from yeaft.events.ops import AddFolder, Rename, Say, SetRoster
from yeaft.events.session import OwnerClaimed, SessionCreated, SessionForked
from yeaft.kernel.errors import BadData, NotFound, SessionBusy, UsageError
from yeaft.llm.scripted.script import says as script_of
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import list_session_ids


@pytest.mark.parametrize("model", ["", CLAUDE])
async def test_the_model_is_told_what_is_in_the_users_file(given: Given, model: str) -> None:
    given.file("notes.txt", "milk\neggs")
    talk = await given.session(calls("FileRead", "c1", file_path="notes.txt"), says("Milk and eggs."), model=model)

    talk.say("What is on my list?")

    assert await talk.outcome() == "answered"
    assert "milk" in talk.told_model("c1")
    assert talk.said_by("omni") == ["Milk and eggs."]


async def test_looking_at_a_new_session_leaves_nothing_behind(given: Given) -> None:
    talk = await given.session(says("unheard"))

    await talk.close()

    assert list_session_ids(given.home) == []
    assert list(given.home.glob("sessions/*")) == []


async def test_a_session_found_again_remembers_what_was_said(given: Given) -> None:
    first = await given.session(says("Noted."), says("Your cat is called Ada."))
    first.say("My cat is called Ada.")
    await first.outcome()

    second = await given.again(first)
    second.say("What is my cat called?")
    await second.outcome()

    assert second.requests_of("omni")[1] == [
        ("user", "My cat is called Ada."),
        ("assistant", "Noted."),
        ("user", "What is my cat called?"),
    ]
    assert len(second.all_of(OwnerClaimed)) == 1
    assert not second.all_of(SessionCreated)


async def test_the_newest_session_of_a_folder_is_the_latest(given: Given) -> None:
    first = await given.session(says("one"), says("two"))
    first.say("hello")
    await first.outcome()
    await first.close()

    latest = await given.session(latest=True)

    assert latest.state.session_id == first.state.session_id


async def test_a_session_has_one_owner_at_a_time(given: Given) -> None:
    talk = await given.session(says("hi"))
    talk.say("hello")
    await talk.outcome()

    with pytest.raises(SessionBusy):
        await given.session(ref=talk.state.session_id)


async def test_a_renamed_session_is_found_by_its_new_name(given: Given) -> None:
    talk = await given.session(says("hi"), name="old name")
    talk.say("hello")
    await talk.outcome()

    talk.send(Rename(name="购物清单"))
    await talk.close()
    found = await given.session(ref="购物清单")

    assert (found.state.session_id, found.state.name) == (talk.state.session_id, "购物清单")


async def test_a_fork_goes_its_own_way_with_its_own_copy_of_large_results(given: Given) -> None:
    given.file("long.txt", "".join(f"line {number} of a long file\n" for number in range(1900)))
    first = await given.session(calls("FileRead", "c1", file_path="long.txt"), says("Long."), says("In the fork."))
    first.say("Read it")
    await first.outcome()
    await first.close()

    fork = await given.session(ref=first.state.session_id, fork=True)
    fork.say("And now?")
    await fork.outcome()
    await fork.close()

    assert fork.state.session_id != first.state.session_id
    (forked,) = fork.all_of(SessionForked)
    assert (forked.from_session, forked.from_seq) == (first.state.session_id, first.state.head)
    kept = sorted(path.name for path in first.paths.blobs.rglob("*") if path.is_file())
    assert kept
    assert all(FileBlobs(fork.paths.blobs).get(name) is not None for name in kept if len(name) == 64)
    assert len(first.state.messages) == 1
    assert len(fork.state.messages) == 2
    assert "line 1 of a long file" in fork.told_model("c1")


async def test_a_fork_needs_something_to_copy(given: Given) -> None:
    await given.model(script_of("hi"))

    with pytest.raises(UsageError):
        await given.session(fork=True)
    with pytest.raises(NotFound):
        await given.session(ref="zzzz", fork=True)


async def test_the_same_op_delivered_twice_is_one_message(given: Given) -> None:
    talk = await given.session(held(says("once"), "gate"), says("twice"))

    talk.say("hello", op_id="op1")
    await talk.server.reached("gate")
    talk.say("hello", op_id="op1")
    talk.server.release("gate")
    await talk.outcome()
    talk.say("hello", op_id="op1")
    await talk.idle()

    assert [message.text for message in talk.state.messages.values()] == ["hello"]
    assert len(talk.server.requests) == 1


@pytest.mark.parametrize("text", ["", " \n\t"])
async def test_saying_nothing_is_refused_and_nothing_happens(given: Given, text: str) -> None:
    talk = await given.session(says("unheard"))

    with pytest.raises(BadData):
        talk.say(text)

    assert talk.state.head == 0


async def test_a_vp_that_nobody_knows_cannot_be_asked(given: Given) -> None:
    talk = await given.session(says("hi"))

    with pytest.raises(NotFound, match="skeptic"):
        talk.send(Say(text="hello", to=("sceptic",)))

    assert not talk.state.messages


async def test_a_roster_is_set_whole_and_checked(given: Given) -> None:
    talk = await given.session(says("hi"))

    with pytest.raises(NotFound):
        talk.send(SetRoster(roster=("omni", "nobody")))
    with pytest.raises(BadData):
        talk.send(SetRoster(roster=()))
    with pytest.raises(BadData):
        talk.send(SetRoster(roster=("omni",), default_vp="skeptic"))
    talk.send(SetRoster(roster=("skeptic", "omni", "skeptic"), default_vp="omni"))
    talk.say("hello")

    assert await talk.outcomes() == {"omni": "answered"}
    assert talk.state.roster == ("skeptic", "omni")


async def test_what_is_piped_in_goes_along_but_addresses_nobody(given: Given) -> None:
    talk = await given.session(says("hi"))

    talk.say("Sum this up", attached="ask @skeptic about it")

    assert await talk.outcomes() == {"omni": "answered"}
    assert talk.requests_of("omni") == [[("user", "Sum this up\n\nask @skeptic about it")]]


async def test_an_added_folder_may_be_worked_in(given: Given) -> None:
    other = given.folder.parent / "other"
    other.mkdir()
    (other / "a.txt").write_text("found")
    talk = await given.session(calls("FileRead", "c1", file_path=str(other / "a.txt")), says("ok"), has_human=False)

    talk.send(AddFolder(path=str(other)))
    talk.say("Read it")

    assert await talk.outcome() == "answered"
    assert "found" in talk.told_model("c1")


async def test_an_added_folder_stays_added_when_the_session_is_found_again(given: Given) -> None:
    other = given.folder.parent / "other"
    other.mkdir()
    (other / "a.txt").write_text("found")
    first = await given.session(says("ok"), calls("FileRead", "c1", file_path=str(other / "a.txt")), says("ok"))
    first.send(AddFolder(path=str(other)))
    first.say("hello")
    await first.outcome()

    second = await given.again(first, has_human=False)
    second.say("Read it")

    assert await second.outcome() == "answered"
    assert "found" in second.told_model("c1")


async def test_a_vp_whose_file_is_gone_fails_with_its_name_and_can_be_replaced(given: Given) -> None:
    given.vp("clara")
    first = await given.session(says("hi"), roster=("clara",))
    first.say("hello")
    await first.outcome()
    (given.home / "vps" / "clara.md").unlink()

    second = await given.again(first)
    second.say("hello again")
    assert await second.outcome() == "failed"
    error = second.turns[-1].ended.error if second.turns[-1].ended else None
    assert error is not None
    assert "@clara" in error.message
    second.send(SetRoster(roster=("omni",)))
    second.say("anybody?")

    assert await second.outcomes() == {"omni": "answered"}
