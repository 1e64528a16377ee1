"""A crash after every single event of a Session, simulated by cutting its journal there."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec
from msgspec.structs import replace

from e2e.drill.checks import event_problems, folded, request_problems
from e2e.drill.crash import MENTIONS
from e2e.drill.place import Place
from e2e.drill.reopened import resume, wish_for
from e2e.drill.stories import NEXT, PEER, START, VPS, lay_out
from yeaft.engine.request import build_request
from yeaft.engine.settings import Settings, thaw
from yeaft.events.codec import Event, Recorded, id_of
from yeaft.events.ops import ContinueTurn, Say
from yeaft.events.session import MessagePosted, SettingsFrozen
from yeaft.events.turn import TurnStarted
from yeaft.interfaces.assemble import opened
from yeaft.kernel import ids
from yeaft.llm import anthropic_prompt, responses_prompt
from yeaft.llm.model import Encode, ModelEntry, WireProtocol
from yeaft.llm.scripted.server import ScriptedServer
from yeaft.llm.scripted.validate import validate
from yeaft.session.handoffs import settling
from yeaft.session.history import units_for
from yeaft.session.opening import Wanted
from yeaft.session.reopening import Inquiry, losses
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import session_paths
from yeaft.store.journal import SESSION_STREAM, Blobs
from yeaft.store.sqlite import SqliteJournal

CLOSER = 9
"""The epoch of what is appended here."""

ENCODERS: Mapping[WireProtocol, Callable[[ModelEntry], Encode]] = {
    "anthropic": anthropic_prompt.encoder,
    "openai-responses": responses_prompt.encoder,
}


async def recorded(place: Place) -> str:
    """Play the story to its end in a new Session of `place`; returns the Session's id."""
    lay_out(place.work)
    async with opened(wish_for(place, Wanted(roster=(*VPS, PEER)))) as here:
        here.session.send(Say(text=f"{MENTIONS} {START}"))
        await here.session.idle()
        return here.state.session_id


def closing_problems(records: Sequence[Recorded], blobs: Blobs, phrases: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with closing the Session that was cut after `records`: done once, again, and half."""
    closed = _closed(records, phrases)
    if closed != _closed(records, phrases):
        yield "closing it twice from the same journal gives different events"
    yield from event_problems(closed)
    for done in range(len(records) + 1, len(closed)):
        again = _closed(closed[:done], phrases)
        if _facts(again) != _facts(closed):
            yield f"a crash after {done - len(records)} closing events changes what the others say"
    yield from _unsendable(closed, blobs)


async def reopening_problems(
    root: Path, server: ScriptedServer, whole: Place, session_id: str, count: int
) -> list[str]:
    """What is wrong when the Session, cut after `count` events, is asked something new, or continued in a copy."""
    asked_before = len(server.requests)
    problems: list[str] = []
    for name, op in (("the next turn", Say(text=f"{MENTIONS} {NEXT}")), ("continuing", ContinueTurn())):
        place = Place(root / name, server.base_url, whole.protocol)
        await lay_out_cut(place, whole, session_id, count)
        problems += [f"{name}: {problem}" for problem in await resume(place, session_id, op)]
    return problems + request_problems(server.requests[asked_before:])


async def lay_out_cut(place: Place, whole: Place, session_id: str, count: int) -> None:
    """Put the Session of `whole`, cut after `count` events, into `place`."""
    paths = session_paths(place.home, session_id)
    shutil.copytree(session_paths(whole.home, session_id).blobs, paths.blobs)
    journal = SqliteJournal(paths.db, FileBlobs(paths.blobs))
    records = whole.records(session_id)[:count]
    await journal.append(SESSION_STREAM, 0, records[-1].epoch, records)
    await journal.close()


def _closed(records: Sequence[Recorded], phrases: Mapping[str, str]) -> list[Recorded]:
    """The journal after the next process has closed what was open, as `Session` does it."""
    closed = list(records)
    state = folded(closed)
    for root_id, events in losses(state, Inquiry(lambda _: None, phrases), phrases):
        _append(closed, events, root_id)
    state = folded(closed)
    for root_id in state.unsettled_roots():
        settled = settling(state, root_id)
        _append(closed, (settled,) if settled else (), root_id)
    return closed


def _append(records: list[Recorded], events: Sequence[Event], root_id: str = "") -> None:
    for event in events:
        seq = len(records) + 1
        key = id_of(event, SESSION_STREAM, partial("e_{}".format, seq))
        one = Recorded(
            id=key,
            stream=SESSION_STREAM,
            seq=seq,
            ts=0,
            src="engine",
            cause="",
            corr=root_id,
            epoch=CLOSER,
            event=event,
        )
        records.append(one)


def _facts(records: Sequence[Recorded]) -> dict[str, object]:
    return {one.id: one.event for one in records if one.epoch == CLOSER}


def _unsendable(closed: Sequence[Recorded], blobs: Blobs) -> Iterator[str]:
    """What either service would say against each VP's next request."""
    state = folded(closed)
    for settings in _settings(closed, blobs):
        records = list(closed)
        message_id, vp_id = ids.derive("m_", "new", settings.vp_id), settings.vp_id
        message = MessagePosted(
            message_id=message_id, sender="user", to=state.roster, kind="user", text="And now?", root_id=message_id
        )
        started = TurnStarted(turn_id=ids.turn_id(message_id, vp_id), message_id=message_id, vp_id=vp_id, mode="ask")
        _append(records, (message, started), message_id)
        units = units_for(folded(records), started.turn_id)
        for protocol, encoder in ENCODERS.items():
            entry = replace(settings.entry, protocol=protocol)
            body = build_request(units, replace(settings, entry=entry), encoder(entry)).body
            for problem in validate(protocol, msgspec.json.decode(body)):
                yield f"{vp_id}'s next request over {protocol}: {problem}"


def _settings(records: Sequence[Recorded], blobs: Blobs) -> list[Settings]:
    """The newest settings of each VP."""
    newest = {one.event.vp_id: one.event for one in records if isinstance(one.event, SettingsFrozen)}
    found = [blobs.get(frozen.blob.sha256) for frozen in newest.values()]
    return [thaw(content) for content in found if content is not None]
