"""Rebuilds every request of a Session from its journal alone, and says whether it is the one that was sent."""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import msgspec
from msgspec import Struct

from yeaft.engine.exchange import shrinks_of
from yeaft.engine.pictures import look_into
from yeaft.engine.request import build_request
from yeaft.engine.settings import BUILDER, Settings, thaw
from yeaft.events.codec import Recorded
from yeaft.events.fact import BlobRef
from yeaft.events.session import SettingsFrozen
from yeaft.events.turn import RequestSent
from yeaft.kernel.messages import ImagePart
from yeaft.llm import anthropic_prompt, responses_prompt
from yeaft.llm.prompt import Prompt
from yeaft.session.agents.agent_state import AGENT_STREAMS
from yeaft.session.history import units_for
from yeaft.session.state import SessionState
from yeaft.store.journal import SESSION_STREAM, Blobs, Journal

Verdict = Literal["equal", "different", "blob gone", "not comparable"]


class Rebuilt(Struct, frozen=True, kw_only=True):
    """One request; `seq` counts within `stream`. `body` is what was built now; empty when it could not be."""

    stream: str
    seq: int
    request: RequestSent
    verdict: Verdict
    body: bytes = b""


def replay_all(journal: Journal, blobs: Blobs, session_id: str) -> Iterator[Rebuilt]:
    """Yield every request of a Session, then those of its sub-agents, one after the other."""
    agents = (stream for stream in journal.streams() if stream.startswith(AGENT_STREAMS))
    for stream in (SESSION_STREAM, *agents):
        yield from replay(journal.read(stream), blobs, session_id)


def replay(records: Iterable[Recorded], blobs: Blobs, session_id: str) -> Iterator[Rebuilt]:
    """Yield every request of one stream in order, rebuilt from the events before it and the settings it names."""
    state = SessionState(session_id)
    frozen: dict[str, SettingsFrozen] = {}
    for recorded in records:
        event = recorded.event
        if isinstance(event, RequestSent):
            yield _rebuilt(state, recorded, event, frozen.get(event.settings), blobs)
        elif isinstance(event, SettingsFrozen):
            frozen[event.digest] = event
        state.apply(recorded)


def _rebuilt(
    state: SessionState, recorded: Recorded, sent: RequestSent, frozen: SettingsFrozen | None, blobs: Blobs
) -> Rebuilt:
    stream, seq = recorded.stream, recorded.seq
    if frozen is not None and frozen.builder != BUILDER:
        return Rebuilt(stream=stream, seq=seq, request=sent, verdict="not comparable")
    content = blobs.get(frozen.blob.sha256) if frozen else None
    if content is None or sent.turn_id not in state.turns:
        return Rebuilt(stream=stream, seq=seq, request=sent, verdict="blob gone")
    try:
        settings = thaw(content)
    except msgspec.DecodeError:
        return Rebuilt(stream=stream, seq=seq, request=sent, verdict="not comparable")
    shrinks = shrinks_of(state.turns[sent.turn_id], sent.round)
    look, gone = look_into(blobs.get), list[BlobRef]()

    def picture(ref: BlobRef) -> ImagePart | None:
        found = look(ref)
        gone.extend(() if found else (ref,))
        return found

    built = build_request(units_for(state, sent.turn_id), settings, _encoder(settings), shrinks, picture)
    verdict: Verdict = "equal" if built.digest == sent.digest else "blob gone" if gone else "different"
    return Rebuilt(stream=stream, seq=seq, request=sent, verdict=verdict, body=built.body)


def _encoder(settings: Settings) -> Callable[[Prompt], bytes]:
    entry = settings.entry
    match entry.protocol:
        case "anthropic":
            return lambda prompt: anthropic_prompt.encode(prompt, entry)
        case "openai-responses":
            return lambda prompt: responses_prompt.encode(prompt, entry)
