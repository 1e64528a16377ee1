"""Where a Session is cut when a copy of it is to go on from an earlier place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.events.agent import AgentSpawned
from yeaft.events.history import HistoryCompacted
from yeaft.session.past import COMPACT_STREAMS
from yeaft.session.rewinding_targets import target_of
from yeaft.session.state import SessionState
from yeaft.store.journal import SESSION_STREAM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yeaft.events.codec import Recorded


class Cut(Struct, frozen=True, kw_only=True):
    """The last event of the Session that the copy has, and the streams that belong to it."""

    seq: int
    streams: frozenset[str]


def cut_of(records: Sequence[Recorded], session_id: str, at: str) -> Cut:
    """Return where to cut so that a copy is as the Session was just before the message, or at the checkpoint, `at`.

    Words are understood as in `target_of`. Raises `NotFound`.
    """
    state = SessionState(session_id)
    for recorded in records:
        state.apply(recorded)
    target = target_of(state, at)
    seq = target.to_seq
    if target.message is not None:  # a mention may have brought VPs in just before it
        root_id = target.message.message_id
        seq = min((one.seq for one in records if one.corr == root_id), default=seq + 1) - 1
    return Cut(seq=seq, streams=frozenset({SESSION_STREAM, *map(_stream_of, records[:seq])}))


def _stream_of(recorded: Recorded) -> str:
    """The stream that belongs to an event: of the sub-agent it begins, or of what the summary was made in."""
    match recorded.event:
        case AgentSpawned(stream=stream):
            return stream
        case HistoryCompacted(compaction_id=compaction_id):
            return COMPACT_STREAMS + compaction_id
        case _:
            return recorded.stream
