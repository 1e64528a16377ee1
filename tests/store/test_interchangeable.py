"""Whatever is appended, and however it is refused, all back ends agree."""

import asyncio
from collections.abc import Awaitable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from tests.store.store_given import KINDS, AnyJournal, journal_of, outcomes, said
from yeaft.events.codec import Recorded

STREAMS = ("session", "agent/1")


class Append(Struct, frozen=True, kw_only=True):
    stream: str
    behind: int
    epoch: int
    words: list[tuple[int, str]]
    sync: bool


APPENDS = st.builds(
    Append,
    stream=st.sampled_from(STREAMS),
    behind=st.sampled_from([0, 0, 0, 1, -1]),
    epoch=st.integers(1, 2),
    words=st.lists(st.tuples(st.integers(0, 8), st.sampled_from(["milk", "milk", "eggs"])), max_size=3),
    sync=st.booleans(),
)


async def story(journal: AnyJournal, ticks: list[list[Append]]) -> tuple[list[list[int | str]], list[list[Recorded]]]:
    """What each append of each loop tick came to, and what is in the streams at the end."""
    results: list[list[int | str]] = []
    for tick in ticks:
        heads = {stream: journal.head(stream) for stream in STREAMS}
        appends: list[Awaitable[int]] = []
        for append in tick:
            events = [said(word, event_id=f"e_{number}") for number, word in append.words]
            expected = heads[append.stream] - append.behind
            appends.append(journal.append(append.stream, expected, append.epoch, events, sync=append.sync))
            heads[append.stream] += len(events)
        results.append(await outcomes(appends))
    events = [journal.read(stream) for stream in STREAMS]
    await journal.close()
    return results, events


@settings(max_examples=40, deadline=None)
@given(ticks=st.lists(st.lists(APPENDS, max_size=3), max_size=6))
def test_all_back_ends_tell_the_same_story(tmp_path_factory: pytest.TempPathFactory, ticks: list[list[Append]]) -> None:
    folder: Path = tmp_path_factory.mktemp("journals")

    stories = [asyncio.run(story(journal_of(kind, folder / kind), ticks)) for kind in KINDS]

    assert stories[1] == stories[0]
    assert stories[2] == stories[0]
    for events in stories[0][1]:
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert [event.epoch for event in events] == sorted(event.epoch for event in events)
