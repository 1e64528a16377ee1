"""Every back end keeps the promises of `Journal`."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from contextvars import ContextVar
from pathlib import Path

import pytest

from tests.store.store_given import KINDS, STREAM, AnyJournal, journal_of, outcomes, recorded, said, seqs, words
from yeaft.events.codec import UnknownEvent
from yeaft.kernel.errors import Conflict, Fenced, IdReuse, StoreFailed
from yeaft.store.journal import SESSION_STREAM, Snapshot

WHO = ContextVar[str]("WHO")


@pytest.fixture(params=KINDS)
async def journal(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[AnyJournal]:
    journal = journal_of(request.param, tmp_path / "k7m2q9xa")
    yield journal
    await journal.close()


async def test_a_new_journal_is_empty(journal: AnyJournal) -> None:
    assert journal.streams() == []
    assert (journal.head(STREAM), journal.epoch(STREAM), journal.read(STREAM)) == (0, 0, [])
    assert journal.get_snapshot(STREAM, "meta") is None


async def test_what_was_appended_is_read_in_its_place(journal: AnyJournal) -> None:
    head = await journal.append(STREAM, 0, 3, [said("milk"), said("eggs")])

    assert head == 2
    assert journal.head(STREAM) == 2
    assert journal.epoch(STREAM) == 3
    first, second = journal.read(STREAM)
    assert (first.stream, first.seq, first.epoch, first.id, first.event) == (STREAM, 1, 3, "e_milk", said("milk").event)
    assert (first.ts, first.src, first.cause, first.corr) == (1_700_000_000_000, "engine", "m_cause", "m_root")
    assert second.seq == 2
    assert journal.read(STREAM, 1) == [second]
    assert journal.read(STREAM, 2) == []


async def test_streams_count_for_themselves(journal: AnyJournal) -> None:
    await journal.append(STREAM, 0, 1, [said("milk")])
    await journal.append("agent/1", 0, 1, [said("hay"), said("oats")])
    await journal.append(STREAM, 1, 1, [said("eggs")])

    assert journal.streams() == [STREAM, "agent/1"]
    assert words(journal.read(STREAM)) == ["milk", "eggs"]
    assert seqs(journal.read("agent/1")) == [1, 2]
    assert journal.read("agent/2") == []


async def test_events_of_unknown_types_come_back_as_they_were(journal: AnyJournal) -> None:
    strange = UnknownEvent(type="moon.risen", version=7, raw=b'{ "type":"moon.risen" }')

    await journal.append(STREAM, 0, 1, [recorded(strange, "e_moon")])

    assert journal.read(STREAM)[0].event == strange


async def test_an_append_that_comes_again_is_not_written_again(journal: AnyJournal) -> None:
    await journal.append(STREAM, 0, 1, [said("milk"), said("eggs")])
    await journal.append(STREAM, 2, 1, [said("tea")])

    again = await journal.append(STREAM, 0, 1, [said("milk"), said("eggs", ts=5)])

    assert again == 3
    assert words(journal.read(STREAM)) == ["milk", "eggs", "tea"]


async def test_only_the_new_part_of_a_repeated_append_is_written(journal: AnyJournal) -> None:
    await journal.append(STREAM, 0, 1, [said("milk")])

    await journal.append(STREAM, 1, 1, [said("milk"), said("eggs"), said("eggs")])

    assert words(journal.read(STREAM)) == ["milk", "eggs"]


async def test_one_id_never_stands_for_two_facts(journal: AnyJournal) -> None:
    await journal.append(STREAM, 0, 1, [said("milk", event_id="e_1")])

    with pytest.raises(IdReuse, match="e_1"):
        await journal.append(STREAM, 1, 1, [said("eggs"), said("tea", event_id="e_1")])
    with pytest.raises(IdReuse, match="e_1"):
        await journal.append("agent/1", 0, 1, [said("milk", event_id="e_1")])
    with pytest.raises(IdReuse, match="e_2"):
        await journal.append(STREAM, 1, 1, [said("eggs", event_id="e_2"), said("tea", event_id="e_2")])

    assert words(journal.read(STREAM)) == ["milk"]
    assert journal.streams() == [STREAM]


async def test_only_the_new_part_of_a_long_repeated_append_is_written(journal: AnyJournal) -> None:
    names = [f"w{number}" for number in range(60)]
    await journal.append(STREAM, 0, 1, [said(name) for name in names[:20]])

    head = await journal.append(STREAM, 20, 1, [said(name) for name in names])

    assert head == 60
    assert words(journal.read(STREAM)) == names


async def test_a_stream_that_was_refused_at_first_can_begin_later(journal: AnyJournal) -> None:
    await journal.append(STREAM, 0, 1, [said("milk", event_id="e_1")])

    appends = [
        journal.append("agent/1", 0, 1, [said("late"), said("tea", event_id="e_1")]),
        journal.append("agent/2", 0, 1, [said("eggs")]),
        journal.append("agent/1", 0, 1, [said("rice")]),
    ]

    assert await outcomes(appends) == ["IdReuse", 1, 1]
    assert journal.streams() == [STREAM, "agent/2", "agent/1"]
    assert words(journal.read("agent/2")) == ["eggs"]
    assert words(journal.read("agent/1")) == ["rice"]


async def test_an_append_to_another_head_is_refused(journal: AnyJournal) -> None:
    await journal.append(STREAM, 0, 1, [said("milk")])

    with pytest.raises(Conflict, match="event 1, not 0"):
        await journal.append(STREAM, 0, 1, [said("eggs")])
    with pytest.raises(Conflict):
        await journal.append(STREAM, 7, 1, [])

    assert words(journal.read(STREAM)) == ["milk"]


async def test_an_older_owner_cannot_write(journal: AnyJournal) -> None:
    await journal.append(STREAM, 0, 2, [said("milk")])

    with pytest.raises(Fenced, match="epoch 2"):
        await journal.append(STREAM, 1, 1, [said("eggs")])
    with pytest.raises(Fenced):
        await journal.append(STREAM, 1, 1, [said("milk")])

    assert await journal.append(STREAM, 1, 3, [said("tea")]) == 2
    assert journal.epoch(STREAM) == 3


async def test_who_claims_the_session_fences_the_owner_before_in_every_stream(journal: AnyJournal) -> None:
    await journal.append("step/x_1", 0, 1, [said("milk")])
    await journal.append(SESSION_STREAM, 0, 2, [said("claim")])

    with pytest.raises(Fenced, match="'step/x_1' belongs to a newer owner \\(epoch 2"):
        await journal.append("step/x_1", 1, 1, [said("eggs")])
    with pytest.raises(Fenced):
        await journal.append("step/x_2", 0, 1, [said("bread")])

    assert await journal.append("step/x_1", 1, 2, [said("tea")]) == 2
    assert words(journal.read("step/x_1")) == ["milk", "tea"]


async def test_a_refused_append_leaves_the_others_of_its_tick_alone(journal: AnyJournal) -> None:
    appends = [
        journal.append(STREAM, 0, 1, [said("milk")]),
        journal.append(STREAM, 0, 1, [said("late")]),
        journal.append(STREAM, 1, 1, [said("other", event_id="e_milk")]),
        journal.append(STREAM, 1, 0, [said("old")]),
        journal.append(STREAM, 1, 1, [said("eggs"), said("tea")], sync=True),
    ]

    assert await outcomes(appends) == [1, "Conflict", "IdReuse", "Fenced", 3]
    assert words(journal.read(STREAM)) == ["milk", "eggs", "tea"]


async def test_appends_are_answered_in_the_order_they_were_made(journal: AnyJournal) -> None:
    answered: list[int] = []
    appends = [journal.append(STREAM, seq, 1, [said(f"w{seq}")], sync=seq % 3 == 0) for seq in range(20)]
    for number, append in enumerate(appends):
        append.listen(lambda _, number=number: answered.append(number))

    await appends[-1]

    assert answered == list(range(20))
    assert words(journal.read(STREAM)) == [f"w{seq}" for seq in range(20)]


async def test_whoever_listens_hears_as_the_one_who_began_to_listen(journal: AnyJournal) -> None:
    heard: list[tuple[int | StoreFailed, str]] = []
    for number, name in enumerate(("ada", "bo")):
        WHO.set(name)
        last = journal.append(STREAM, number, 1, [said(name)])
        last.listen(lambda outcome: heard.append((outcome, WHO.get())))

    await last

    assert heard == [(1, "ada"), (2, "bo")]


async def test_an_append_is_readable_when_it_is_answered(journal: AnyJournal) -> None:
    heads: list[int] = []

    for seq in range(5):
        heads.append(await journal.append(STREAM, seq, 1, [said(f"w{seq}")]))
        assert journal.head(STREAM) == heads[-1]

    assert heads == [1, 2, 3, 4, 5]


async def test_a_task_that_is_cancelled_while_it_waits_does_not_undo_its_append(journal: AnyJournal) -> None:
    async def remember() -> None:
        await journal.append(STREAM, 0, 1, [said("milk")])

    task = asyncio.create_task(remember())
    await asyncio.sleep(0)  # it has appended and waits
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await journal.append(STREAM, 1, 1, [said("eggs")]) == 2
    assert words(journal.read(STREAM)) == ["milk", "eggs"]


async def test_a_follower_gets_what_was_and_what_comes(journal: AnyJournal) -> None:
    await journal.append(STREAM, 0, 1, [said("milk"), said("eggs")])
    heard: list[str] = []

    async with aclosing(journal.subscribe(STREAM, after=1)) as events:
        async for event in events:
            heard += words([event])
            if len(heard) < 4:
                await journal.append(STREAM, event.seq, 1, [said(f"next{event.seq}")])
            else:
                break

    assert heard == ["eggs", "next2", "next3", "next4"]


async def test_a_follower_misses_nothing_however_appends_fall(journal: AnyJournal) -> None:
    count = 150

    async def follow() -> list[int]:
        async with aclosing(journal.subscribe(STREAM)) as events:
            return [event.seq async for event in events if event.seq < count or not await journal.close()]

    async with asyncio.TaskGroup() as group:
        followers = [group.create_task(follow()) for _ in range(3)]
        for seq in range(count):
            done = journal.append(STREAM, seq, 1, [said(f"w{seq}")])
            for _ in range(seq % 4):
                await asyncio.sleep(0)
            if seq % 5 == 0:
                await done

    assert [follower.result() for follower in followers] == [list(range(1, count + 1))] * 3


async def test_followers_end_when_the_journal_closes(journal: AnyJournal) -> None:
    async def follow() -> list[str]:
        async with aclosing(journal.subscribe(STREAM)) as events:
            return words([event async for event in events])

    async with asyncio.TaskGroup() as group:
        follower = group.create_task(follow())
        await journal.append(STREAM, 0, 1, [said("milk")])
        journal.append(STREAM, 1, 1, [said("eggs")])
        await journal.close()

    assert follower.result() == ["milk", "eggs"]


async def test_closing_writes_what_was_taken_and_refuses_more(journal: AnyJournal) -> None:
    taken = journal.append(STREAM, 0, 1, [said("milk")])

    await journal.close()

    assert await taken == 1
    assert words(journal.read(STREAM)) == ["milk"]
    with pytest.raises(StoreFailed, match="closed"):
        await journal.append(STREAM, 1, 1, [said("eggs")])
    await journal.close()


async def test_the_newest_snapshot_of_a_projector_is_kept(journal: AnyJournal) -> None:
    old = Snapshot(projector="history", version=1, seq=1, state=b"old")
    new = Snapshot(projector="history", version=2, seq=2, state=b"\x00new")

    await journal.append(STREAM, 0, 1, [said("milk")])
    journal.put_snapshot(STREAM, old)
    assert journal.get_snapshot(STREAM, "history") == old
    await journal.append(STREAM, 1, 1, [said("eggs")])
    journal.put_snapshot(STREAM, new)
    assert journal.get_snapshot(STREAM, "history") == new
    await journal.append(STREAM, 2, 1, [said("tea")])

    assert journal.get_snapshot(STREAM, "history") == new
    assert journal.get_snapshot(STREAM, "meta") is None
    assert journal.get_snapshot("agent/1", "history") is None
