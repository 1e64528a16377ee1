"""What a screen shows of a Session: finished things in the order they were done, and the one turn that is watched live.

It is a fold over what the Session has told, and can be made again from its state at any time: by `reset` after the
user went back, by `older` as far back as somebody scrolls. The state is often some events ahead of what is told; what
runs is what was told to run, so that a turn that ends stays in view until it stands among what is finished.
"""

from __future__ import annotations

from collections import deque
from itertools import count
from typing import TYPE_CHECKING, Self

from msgspec import Struct
from msgspec.structs import replace

from yeaft.events.call import CallOutput
from yeaft.events.codec import Recorded, Transient
from yeaft.events.history import Rewound
from yeaft.events.session import MessagePosted, NoticePosted
from yeaft.events.turn import RetryWaiting, TextStreamed, ThinkingStreamed, TurnContinued, TurnEnded, TurnStarted
from yeaft.interfaces.tui.blocks import AnyBlock, Posted, Remark
from yeaft.interfaces.tui.turn_blocks import Streaming, Times, turn_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from yeaft.engine.state import TurnState
    from yeaft.session.state import SessionState

CHUNK = 200
"""So many messages and turns are taken at a time from what lies back."""
MOST_OUTPUT_CHARS = 4_000
"""So much of the end of what a running command prints is kept to be shown."""
SHOWN_KINDS = ("user", "forward")
"""Messages that stand for themselves; steers stand within the turn they came into, answers that come back are said."""


class Change(Struct, frozen=True, kw_only=True):
    """What is new since the last look: blocks that follow the finished ones, and the whole live tail below them.

    With `is_reset` nothing of what was there holds any more: `done` is all there is of the end.
    """

    done: tuple[AnyBlock, ...]
    tail: tuple[AnyBlock, ...]
    is_reset: bool = False


class Scene:
    """One Session as its screen shows it. `noticed` says in the user's language what a notice means."""

    def __init__(self, state: SessionState, noticed: Callable[[NoticePosted], str]) -> None:
        self.focus = ""
        self.waits: dict[str, RetryWaiting] = {}
        self._state = state
        self._noticed = noticed
        self._streams: dict[str, _Stream] = {}
        self._outputs: dict[str, str] = {}
        self._open: dict[str, None] = {}
        self._done: list[AnyBlock] = []
        self._is_reset = True
        self._is_after_remark = False
        self._before: list[tuple[int, str]] = []
        self._given: set[str] = set()
        self._numbers = count()
        self.reset()

    def reset(self) -> None:
        """Begin anew from the state."""
        self._before = self._finished()
        self._given = {one_id for _, one_id in self._before}
        self._open = dict.fromkeys(turn.started.turn_id for turn in self._state.open_turns())
        self._done = list(self._taken_back())
        self._is_after_remark = False
        self._is_reset = True

    def older(self) -> tuple[AnyBlock, ...]:
        """Return the blocks before all those that were given so far, oldest first; nothing at the beginning."""
        return tuple(self._taken_back())

    def hear(self, heard: Recorded | Transient) -> None:
        """Take in one event, which the state has taken in already."""
        event = heard.event if isinstance(heard, Recorded) else heard
        match event:
            case MessagePosted(kind="user" | "forward"):
                self._finish(event.message_id)
            case TurnStarted(vp_id=vp_id, turn_id=turn_id):
                self._streams[vp_id] = _Stream()
                self._watch(turn_id)
            case TurnContinued(turn_id=turn_id):
                self._watch(turn_id)
            case ThinkingStreamed(vp_id=vp_id, pieces=pieces):
                self._stream(vp_id, event.request_id).thinking += pieces
                self.waits.pop(vp_id, None)
            case TextStreamed(vp_id=vp_id, pieces=pieces):
                self._stream(vp_id, event.request_id).text += pieces
                self.waits.pop(vp_id, None)
            case CallOutput(call_id=call_id, chunk=chunk):
                self._outputs[call_id] = (self._outputs.get(call_id, "") + chunk)[-MOST_OUTPUT_CHARS:]
            case RetryWaiting(vp_id=vp_id):
                self.waits[vp_id] = event
            case TurnEnded(vp_id=vp_id, turn_id=turn_id):
                self._end(vp_id, turn_id)
            case NoticePosted():
                self._remark(heard, event)
            case Rewound():
                self.reset()
            case _:
                pass

    def take(self) -> Change:
        """Return what has come since the last time."""
        done, self._done = tuple(self._done), []
        is_reset, self._is_reset = self._is_reset, False
        return Change(done=done, tail=self._tail(), is_reset=is_reset)

    def remark(self, key: str, text: str) -> None:
        """Let something stand in the column that the Session knows nothing of."""
        self._add_remark(Remark(key=f"{key}/{next(self._numbers)}", text=text))

    def open_turns(self) -> list[TurnState]:
        """Turns that run as far as has been told, oldest first."""
        return [self._state.turns[turn_id] for turn_id in self._open if turn_id in self._state.turns]

    def streaming(self, vp_id: str) -> Streaming:
        """What has come of the reply that a VP is giving."""
        stream = self._streams.get(vp_id)
        return stream.value() if stream else Streaming()

    def output(self, call_id: str) -> str:
        """The end of what a running call has printed."""
        return self._outputs.get(call_id, "")

    def _watch(self, turn_id: str) -> None:
        """Let a turn run, and watch it if none is watched."""
        if turn_id in self._given:
            return
        is_free = self._watched() is None
        self._open[turn_id] = None
        if turn_id in self._state.turns and is_free:
            self.focus = self._state.turns[turn_id].started.vp_id

    def _watched(self) -> str | None:
        """The id of the turn that is watched, if it runs."""
        for turn in self.open_turns():
            if turn.started.vp_id == self.focus:
                return turn.started.turn_id
        return None

    def _stream(self, vp_id: str, request_id: str) -> _Stream:
        stream = self._streams.setdefault(vp_id, _Stream())
        stream.begin(request_id)
        return stream

    def _finish(self, one_id: str) -> None:
        """Let a message or turn stand among what is finished; the state may know of it before it is told."""
        if one_id not in self._given:
            self._given.add(one_id)
            self._is_after_remark = False
            self._done += self._blocks_of(one_id)

    def _end(self, vp_id: str, turn_id: str) -> None:
        self._finish(turn_id)
        self._open.pop(turn_id, None)
        self._streams.pop(vp_id, None)
        self.waits.pop(vp_id, None)
        for attempt in self._state.turns[turn_id].attempts if turn_id in self._state.turns else ():
            for call in attempt.calls:
                self._outputs.pop(call.call.call_id, None)
        if vp_id == self.focus and (others := self.open_turns()):
            self.focus = others[0].started.vp_id

    def _remark(self, heard: Recorded | Transient, notice: NoticePosted) -> None:
        key = heard.id if isinstance(heard, Recorded) else notice.code
        self._add_remark(Remark(key=key, text=self._noticed(notice), level=notice.level))

    def _add_remark(self, remark: Remark) -> None:
        self._done.append(replace(remark, follows=self._is_after_remark))
        self._is_after_remark = True

    def _tail(self) -> tuple[AnyBlock, ...]:
        turn_id = self._watched()
        if turn_id is None:
            return ()
        turn = self._state.turns[turn_id]
        streaming = self.streaming(turn.started.vp_id)
        return tuple(turn_blocks(turn, self._times(turn_id), streaming, self._outputs))

    def _finished(self) -> list[tuple[int, str]]:
        """Where all that is finished stands in the journal, oldest first; what the user went back over is left out."""
        state = self._state
        messages = [
            (state.posted_at[message.message_id], message.message_id)
            for message in state.messages.values()
            if message.kind in SHOWN_KINDS and not state.is_void(message.message_id)
        ]
        turns = [
            (seq, turn_id)
            for turn_id, seq in state.ended_at.items()
            if turn_id in state.turns and not state.is_void(state.turns[turn_id].started.message_id)
        ]
        return sorted((*messages, *turns))

    def _taken_back(self) -> deque[AnyBlock]:
        chunk, self._before = self._before[-CHUNK:], self._before[:-CHUNK]
        return deque(block for _, one_id in chunk for block in self._blocks_of(one_id))

    def _blocks_of(self, one_id: str) -> list[AnyBlock]:
        state = self._state
        if one_id in state.turns:
            return list(turn_blocks(state.turns[one_id], self._times(one_id)))
        message = state.messages.get(one_id)
        if message is None:
            return []
        files = tuple(state.attachments[a].name for a in message.attachments if a in state.attachments)
        return [Posted(key=one_id, message=message, at_ms=state.began_ms.get(one_id, 0), files=files)]

    def _times(self, turn_id: str) -> Times:
        state = self._state
        return Times(started_ms=state.began_ms.get(turn_id, 0), ended_ms=state.ended_ms.get(turn_id, 0))


class _Pieces:
    """Text that grows by pieces and is put together only when somebody looks."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def __iadd__(self, pieces: tuple[str, ...]) -> Self:
        self._pieces += pieces
        return self

    def text(self) -> str:
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]


class _Stream:
    """What comes of one VP's replies, the newest one only."""

    def __init__(self) -> None:
        self.begin_anew("")

    def begin(self, request_id: str) -> None:
        if request_id != self._request_id:
            self.begin_anew(request_id)

    def begin_anew(self, request_id: str) -> None:
        self._request_id = request_id
        self.thinking = _Pieces()
        self.text = _Pieces()

    def value(self) -> Streaming:
        return Streaming(request_id=self._request_id, thinking=self.thinking.text(), text=self.text.text())
