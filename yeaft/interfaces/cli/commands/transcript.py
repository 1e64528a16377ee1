"""A Session told for reading: its messages in order, each with the turns that answered it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct, field

from yeaft.interfaces.cli.commands.printing import iso_time, local_time
from yeaft.kernel.messages import ThinkingItem
from yeaft.kernel.usage import Usage

if TYPE_CHECKING:
    from yeaft.engine.state import TurnState
    from yeaft.events.session import MessagePosted
    from yeaft.session.offline import Reading

ARGUMENT_CHARS = 200


class CallTold(Struct, frozen=True, kw_only=True):
    """One tool call; `args` is the beginning of its arguments as the model wrote them."""

    tool: str
    args: str
    status: str


class TurnTold(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one VP did with a message; `outcome` is `open` while nobody knows, `text` what it said last."""

    turn: str
    vp: str
    outcome: str
    text: str
    model: str
    rounds: int
    calls: tuple[CallTold, ...] = ()
    usage: Usage = Usage()
    cost: float | None = None
    error: str = ""
    thinking: tuple[str, ...] = ()


class MessageTold(Struct, frozen=True, kw_only=True):
    """One message; `at` is ISO 8601, `root` the id of the user message it goes back to."""

    id: str
    at: str
    at_ms: int = field(name="ts")
    sender: str = field(name="from")
    to: tuple[str, ...]
    kind: str
    text: str
    root: str
    turns: tuple[TurnTold, ...]


def transcript(reading: Reading, *, thinking: bool = False) -> tuple[MessageTold, ...]:
    """Return all messages in the order in which they were posted; `thinking` adds what models thought."""
    state = reading.state
    times = {record.seq: record.ts for record in reading.records}
    return tuple(
        _message(reading, message, times[state.posted_at[message.message_id]], thinking=thinking)
        for message in state.messages.values()
    )


def markdown(reading: Reading, messages: tuple[MessageTold, ...]) -> Iterator[str]:
    """Yield the blocks of a document about the Session."""
    state = reading.state
    assert state.created is not None
    yield f"# {state.name or state.session_id}"
    roster = ", ".join(f"@{vp_id}" for vp_id in state.roster)
    started = iso_time(state.created_ms)
    yield f"Session `{state.session_id}` · `{state.created.folder}` · {roster} · {started}"
    for message in messages:
        to = " ".join(f"@{vp_id}" for vp_id in message.to)
        yield f"## {speaker(message)} → {to} ({local_time(message.at_ms)})"
        yield message.text.strip()
        for turn in message.turns:
            yield f"### @{turn.vp} · {turn.outcome}"
            yield from _turn_blocks(turn)


def speaker(message: MessageTold) -> str:
    """Return who posted the message, as a reader would say it: `user`, or `@skeptic`."""
    return f"@{message.sender[3:]}" if message.sender.startswith("vp:") else message.sender


def _turn_blocks(turn: TurnTold) -> Iterator[str]:
    if turn.thinking:
        yield "\n".join(f"> {line}" for text in turn.thinking for line in text.strip().splitlines())
    if turn.calls:
        yield "\n".join(f"- {call.tool} `{call.args.replace('`', chr(39))}`: {call.status}" for call in turn.calls)
    if turn.text:
        yield turn.text
    if turn.error:
        yield f"*{turn.error}*"


def _message(reading: Reading, message: MessagePosted, at_ms: int, *, thinking: bool) -> MessageTold:
    found = (reading.state.turn_for(message.message_id, vp_id) for vp_id in message.to)
    return MessageTold(
        id=message.message_id,
        at=iso_time(at_ms),
        at_ms=at_ms,
        sender=message.sender,
        to=message.to,
        kind=message.kind,
        text=message.text,
        root=message.root_id,
        turns=tuple(_turn(turn, thinking=thinking) for turn in found if turn),
    )


def _turn(turn: TurnState, *, thinking: bool) -> TurnTold:
    ended = turn.ended
    calls = (call for attempt in turn.attempts for call in attempt.calls)
    items = [item for attempt in turn.attempts if attempt.reply for item in attempt.reply.items] if thinking else []
    return TurnTold(
        turn=turn.started.turn_id,
        vp=turn.started.vp_id,
        outcome=ended.outcome if ended else "open",
        text=turn.final_text.strip(),
        model=turn.last.sent.model if turn.last else "",
        rounds=turn.rounds,
        calls=tuple(
            CallTold(
                tool=state.call.tool,
                args=state.call.args_raw[:ARGUMENT_CHARS],
                status=state.finished.status if state.finished else "open",
            )
            for state in calls
        ),
        usage=turn.usage,
        cost=turn.cost_usd,
        error=ended.error.message if ended and ended.error else "",
        thinking=tuple(item.text for item in items if isinstance(item, ThinkingItem) and item.text),
    )
