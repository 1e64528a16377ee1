"""What was said in a Session, row by row, as a search looks through it."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from yeaft.events.codec import Recorded
from yeaft.events.session import MessagePosted
from yeaft.events.turn import ReplyCompleted, RequestFailed, TurnStarted
from yeaft.kernel.messages import text_of

SNIPPET_CHARS = 1000
SEARCHED_KINDS = ("user", "steer", "forward")
"""Kinds of messages that say something new: a return repeats answers, continue and notice are yeaft's own words."""


class Spoken(Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """One thing that was said. `source` is `user` or `vp:<id>`, `time` ISO 8601 in UTC, `mode` that of the turn."""

    message_id: str
    session_id: str
    role: str
    source: str
    time: str
    content: str
    mode: str = ""
    turn_id: str = ""


class Query:
    """Words that must all occur, in any case; there must be at least one."""

    def __init__(self, keyword: str) -> None:
        self._patterns = tuple(re.compile(re.escape(word), re.IGNORECASE) for word in keyword.split())

    def snippet(self, text: str) -> str | None:
        """Return up to `SNIPPET_CHARS` of `text` around the first hit; None if a word is missing."""
        hits = [pattern.search(text) for pattern in self._patterns]
        found = [hit for hit in hits if hit]
        if len(found) < len(hits):
            return None
        first = min(found, key=lambda hit: hit.start())
        return _around(text, (first.start() + first.end()) // 2)


def rows(records: Sequence[Recorded], session_id: str, asking_call: str = "") -> Iterator[Spoken]:
    """Return what users and VPs said, oldest first, without the results of tools.

    What belongs to the message that `asking_call` is part of the answer to is left out: whoever asks has it before
    them, and every search would find its own question.
    """
    asking_root = _root_of(records, asking_call) if asking_call else ""
    turns: dict[str, TurnStarted] = {}
    for recorded in records:
        match recorded.event:
            case TurnStarted() as started:
                turns[started.turn_id] = started
            case MessagePosted() as message if message.kind in SEARCHED_KINDS:
                if not asking_root or message.root_id != asking_root:
                    yield _message(recorded, message, session_id)
            case ReplyCompleted(request_id=request_id, turn_id=turn_id, items=items):
                text = text_of(items)
                if text and (not asking_root or recorded.corr != asking_root):
                    yield _reply(recorded, text, request_id, session_id, turns.get(turn_id))
            case RequestFailed(request_id=request_id, turn_id=turn_id, text_so_far=text):
                if text and (not asking_root or recorded.corr != asking_root):
                    yield _reply(recorded, text, request_id, session_id, turns.get(turn_id))
            case _:
                pass


def _root_of(records: Sequence[Recorded], call_id: str) -> str:
    for recorded in reversed(records):
        event = recorded.event
        if isinstance(event, ReplyCompleted) and any(call.call_id == call_id for call in event.calls):
            return recorded.corr
    return ""


def _message(recorded: Recorded, message: MessagePosted, session_id: str) -> Spoken:
    return Spoken(
        message_id=message.message_id,
        session_id=session_id,
        role="assistant" if message.kind == "forward" else "user",
        source=message.sender,
        time=_time(recorded.ts),
        content=message.text,
        turn_id=message.turn_id,
    )


def _reply(recorded: Recorded, text: str, request_id: str, session_id: str, turn: TurnStarted | None) -> Spoken:
    return Spoken(
        message_id=request_id,
        session_id=session_id,
        role="assistant",
        source=f"vp:{turn.vp_id}" if turn else recorded.src,
        time=_time(recorded.ts),
        content=text,
        mode=turn.mode if turn else "",
        turn_id=turn.turn_id if turn else "",
    )


def _time(ts: int) -> str:
    return datetime.fromtimestamp(ts / 1000, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _around(text: str, centre: int) -> str:
    if len(text) <= SNIPPET_CHARS:
        return text
    inner = SNIPPET_CHARS - 2  # room for an ellipsis at each end
    start = max(0, min(centre - inner // 2, len(text) - inner))
    end = start + inner
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
