"""What must hold of every journal, however its Session came to be as it is."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from e2e.drill.place import Line, Place
from yeaft.events.call import CallFinished
from yeaft.events.codec import Recorded, UnknownEvent
from yeaft.events.session import MessagePosted, MessageSettled
from yeaft.events.turn import ReplyCompleted, TurnEnded, TurnStarted
from yeaft.llm.scripted.server import Received
from yeaft.session.replay import replay
from yeaft.session.state import SessionState
from yeaft.store.blobs import FileBlobs
from yeaft.store.cost import NOTHING, PROJECTOR, cost_of, read_cost
from yeaft.store.directory import session_paths
from yeaft.store.journal import SESSION_STREAM, Blobs


def journal_problems(place: Place, session_id: str) -> list[str]:
    """What is wrong with a Session that nobody has open and in which nothing should be open."""
    paths = session_paths(place.home, session_id)
    records = place.records(session_id)
    return [
        *_file_problems(paths.db),
        *event_problems(records),
        *replay_problems(records, FileBlobs(paths.blobs), session_id),
        *cost_problems(place, session_id),
    ]


def cost_problems(place: Place, session_id: str) -> Iterator[str]:
    """What is wrong with the sum of all costs that a Session's owner has kept, also where it was killed."""
    journal = place.journal(session_id)
    counted = sum((cost_of(one.event for one in journal.read(stream)) for stream in journal.streams()), NOTHING)
    told, kept = read_cost(journal), journal.get_snapshot(SESSION_STREAM, PROJECTOR)
    if (round(told.usd, 9), told.unpriced) != (round(counted.usd, 9), counted.unpriced):
        yield f"it is said to have cost {told}, and it has cost {counted}"
    if kept is None or json.loads(kept.state)["epoch"] != journal.epoch(SESSION_STREAM):
        yield f"its last owner has not kept what it has cost: {kept}"


def event_problems(records: Sequence[Recorded]) -> Iterator[str]:
    """What is wrong with a journal in which every turn should be over."""
    if [one.seq for one in records] != list(range(1, len(records) + 1)):
        yield "seq has gaps"
    events = [one.event for one in records]
    yield from (f"unknown event {event.type}" for event in events if isinstance(event, UnknownEvent))
    yield from _unequal(
        "call",
        (call.call_id for event in events if isinstance(event, ReplyCompleted) for call in event.calls),
        (event.call_id for event in events if isinstance(event, CallFinished)),
    )
    yield from _unequal(
        "turn",
        (event.turn_id for event in events if isinstance(event, TurnStarted)),
        (event.turn_id for event in events if isinstance(event, TurnEnded)),
    )
    yield from _unequal(
        "message",
        (event.message_id for event in events if isinstance(event, MessagePosted) and event.kind == "user"),
        (event.message_id for event in events if isinstance(event, MessageSettled)),
    )
    state = folded(records)
    yield from (f"question {ask_id} is open" for ask_id in state.open_asks)
    yield from (f"{queue} wait for {vp}" for vp, queue in state.waiting.items() if queue)


def replay_problems(records: Iterable[Recorded], blobs: Blobs, session_id: str) -> list[str]:
    """Requests that the journal does not give back byte for byte."""
    rebuilt = replay(records, blobs, session_id)
    return [f"replay: request at {one.seq} is {one.verdict}" for one in rebuilt if one.verdict != "equal"]


def lost_lines(lines: Iterable[Line], records: Sequence[Recorded]) -> list[str]:
    """Lines that were shown for events which are not in the journal."""
    ids = {one.seq: one.id for one in records}
    return [f"shown but lost: {line['type']} at {line['at']}" for line in lines if ids.get(line["at"]) != line["id"]]


def effect_problems(ran: Sequence[str], records: Iterable[Recorded]) -> list[str]:
    """Commands that ran twice, and such that ran although the model was told that they did not."""
    finished = {one.event.call_id: one.event for one in records if isinstance(one.event, CallFinished)}
    twice = [f"{call_id} ran {count} times" for call_id, count in Counter(ran).items() if count > 1]
    denied = [call_id for call_id in ran if call_id in finished and finished[call_id].status in ("not_run", "denied")]
    return [*twice, *(f"{call_id} ran, and the model was told that it did not" for call_id in denied)]


def request_problems(received: Iterable[Received]) -> list[str]:
    """Requests that a strict service would have refused."""
    return [f"request {number}: {'; '.join(one.problems)}" for number, one in enumerate(received) if one.problems]


def folded(records: Iterable[Recorded], session_id: str = "") -> SessionState:
    """The state that a journal adds up to."""
    state = SessionState(session_id)
    for one in records:
        state.apply(one)
    return state


def _unequal(what: str, begun: Iterable[str], ended: Iterable[str]) -> Iterator[str]:
    expected, found = set(begun), Counter(ended)
    for key in sorted(expected | found.keys()):
        if (count := found[key]) != (1 if key in expected else 0):
            yield f"{what} {key} has {count} ends"


def _file_problems(path: Path) -> list[str]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
    return [] if found == ["ok"] else [f"integrity_check: {found[:3]}"]
