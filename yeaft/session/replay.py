"""Rebuilds every request of a Session from its journal alone, and says whether it is the one that was sent."""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec
from msgspec import Struct

from yeaft.engine.exchange import bound_of, shrinks_of
from yeaft.engine.pictures import look_into
from yeaft.engine.request import Memory, build_request
from yeaft.engine.settings import BUILDER, thaw
from yeaft.events.codec import Recorded
from yeaft.events.fact import BlobRef
from yeaft.events.session import SettingsFrozen
from yeaft.events.turn import RequestSent
from yeaft.kernel.messages import ImagePart
from yeaft.llm.encoding import encoder_of
from yeaft.session.agents.agent_state import AGENT_STREAMS
from yeaft.session.attachments.kept import ContentOf, content_in
from yeaft.session.history import units_for
from yeaft.session.past import COMPACT_STREAMS
from yeaft.session.state import SessionState
from yeaft.store.attachments import Attachments
from yeaft.store.journal import SESSION_STREAM, STEP_STREAMS, Blobs, Journal

Verdict = Literal["equal", "different", "blob gone", "attachment gone", "not comparable"]


class Rebuilt(Struct, frozen=True, kw_only=True):
    """One request; `seq` counts within `stream`. `body` is what was built now; empty when it could not be."""

    stream: str
    seq: int
    request: RequestSent
    verdict: Verdict
    body: bytes = b""


def replay_all(
    journal: Journal, blobs: Blobs, session_id: str, attachments: Attachments | None = None
) -> Iterator[Rebuilt]:
    """Yield every request of a Session, then those of sub-agents, of steps of graphs and of what summed it up."""
    others = (
        stream for stream in journal.streams() if stream.startswith((AGENT_STREAMS, COMPACT_STREAMS, STEP_STREAMS))
    )
    for stream in (SESSION_STREAM, *others):
        yield from replay(journal.read(stream), blobs, session_id, attachments)


def replay(
    records: Iterable[Recorded], blobs: Blobs, session_id: str, attachments: Attachments | None = None
) -> Iterator[Rebuilt]:
    """Yield every request of one stream in order, rebuilt from the events before it and the settings it names.

    `attachments` has the files that users attached.
    """
    state = SessionState(session_id)
    album = _Album(content_in(state, attachments, blobs))
    memories: dict[str, Memory] = {}
    frozen: dict[str, SettingsFrozen] = {}
    for recorded in records:
        event = recorded.event
        if isinstance(event, RequestSent):
            memory = memories.setdefault(event.vp, Memory())
            yield _rebuilt(state, recorded, frozen.get(event.settings), album, memory)
        elif isinstance(event, SettingsFrozen):
            frozen[event.digest] = event
        state.apply(recorded)


class _Album:
    """What was kept, and which pictures of it were looked for in vain."""

    def __init__(self, content: ContentOf) -> None:
        self.content = content
        self.gone: list[BlobRef] = []
        self._look = look_into(content)

    def picture(self, ref: BlobRef) -> ImagePart | None:
        found = self._look(ref)
        self.gone.extend(() if found else (ref,))
        return found


def _rebuilt(
    state: SessionState, recorded: Recorded, frozen: SettingsFrozen | None, album: _Album, memory: Memory
) -> Rebuilt:
    stream, seq, sent = recorded.stream, recorded.seq, recorded.event
    assert isinstance(sent, RequestSent)
    if frozen is not None and frozen.builder != BUILDER:
        return Rebuilt(stream=stream, seq=seq, request=sent, verdict="not comparable")
    stored = album.content(frozen.blob.sha256) if frozen else None
    if stored is None or sent.turn_id not in state.turns:
        return Rebuilt(stream=stream, seq=seq, request=sent, verdict="blob gone")
    try:
        settings = thaw(stored)
    except msgspec.DecodeError:
        return Rebuilt(stream=stream, seq=seq, request=sent, verdict="not comparable")
    turn = state.turns[sent.turn_id]
    built = build_request(
        units_for(state, sent.turn_id),
        settings,
        memory.encoder(settings.entry, lambda: encoder_of(settings.entry)),
        shrinks_of(turn, sent.round),
        album.picture,
        bound=bound_of(turn),
        factors=state.factors(sent.turn_id, settings.entry.ref),
        memory=memory,
    )
    verdict = "equal" if built.digest == sent.digest else _why_different(state, album.gone)
    return Rebuilt(stream=stream, seq=seq, request=sent, verdict=verdict, body=built.body)


def _why_different(state: SessionState, gone: list[BlobRef]) -> Verdict:
    if not gone:
        return "different"
    missing = {ref.sha256 for ref in gone}
    return "attachment gone" if any(one.sha256 in missing for one in state.attachments.values()) else "blob gone"
