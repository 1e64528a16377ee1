"""The stream-json protocol: every event as one line, in the one codec, and one `result` at the very end."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec import Raw, Struct

from yeaft.events.codec import Recorded, Transient, encode, type_of
from yeaft.kernel.clock import NowMs
from yeaft.store.journal import SESSION_STREAM

STREAM_JSON_VERSION = 1
Write = Callable[[bytes], None]
_encoder = msgspec.json.Encoder()


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of output. `seq` counts lines from 0; `at` is the place in the journal, absent for what is not kept.

    `stream` says which stream of the journal that place is in, absent for the Session's own.
    """

    v: int
    seq: int
    type: str
    ts: int
    session: str
    turn: str = ""
    vp: str = ""
    id: str = ""
    at: int = 0
    stream: str = ""
    data: Raw


class JsonScreen:
    """Writes events as lines, under the `session_id` that it is given once there is a Session."""

    def __init__(self, write: Write, now_ms: NowMs) -> None:
        self.session_id = ""
        self._write = write
        self._now_ms = now_ms
        self._lines = 0
        self._vp_of_turn: dict[str, str] = {}
        self._turn_of_request: dict[str, str] = {}

    def hear(self, heard: Recorded | Transient) -> None:
        """Write one event."""
        event = heard.event if isinstance(heard, Recorded) else heard
        turn, vp = self._speaker(event)
        recorded = heard if isinstance(heard, Recorded) else None
        self._put(
            type_of(event),
            Raw(encode(event)),
            ts=recorded.ts if recorded else self._now_ms(),
            turn=turn,
            vp=vp,
            event_id=recorded.id if recorded else "",
            at=recorded.seq if recorded else 0,
            stream=recorded.stream if recorded and recorded.stream != SESSION_STREAM else "",
        )

    def result(self, data: Struct) -> None:
        """Write the last line."""
        self._put("result", Raw(_encoder.encode(data)), ts=self._now_ms())

    def _put(
        self,
        kind: str,
        data: Raw,
        *,
        ts: int,
        turn: str = "",
        vp: str = "",
        event_id: str = "",
        at: int = 0,
        stream: str = "",
    ) -> None:
        line = Line(
            v=STREAM_JSON_VERSION,
            seq=self._lines,
            type=kind,
            ts=ts,
            session=self.session_id,
            turn=turn,
            vp=vp,
            id=event_id,
            at=at,
            stream=stream,
            data=data,
        )
        self._lines += 1
        self._write(_encoder.encode(line) + b"\n")

    def _speaker(self, event: object) -> tuple[str, str]:
        """Return the turn and VP that an event belongs to, as far as it names or implies them."""
        turn: str = getattr(event, "turn_id", "")
        request: str = getattr(event, "request_id", "")
        vp: str = getattr(event, "vp_id", "") or getattr(event, "vp", "")
        if turn and vp:
            self._vp_of_turn[turn] = vp
        if turn and request:
            self._turn_of_request[request] = turn
        turn = turn or self._turn_of_request.get(request, "")
        return turn, vp or self._vp_of_turn.get(turn, "")
