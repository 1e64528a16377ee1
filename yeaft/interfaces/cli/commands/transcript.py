"""A Session told for reading: its messages in order, each with the turns that answered it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct, field

from yeaft.engine.state import partial_text
from yeaft.interfaces.cli.commands.printing import iso_time, local_time
from yeaft.kernel.messages import ThinkingItem, text_of
from yeaft.kernel.usage import Usage

if TYPE_CHECKING:
    from yeaft.engine.state import Attempt, CallState, TurnState
    from yeaft.events.history import AttachmentAdded
    from yeaft.events.session import MessagePosted
    from yeaft.session.offline import Reading

ARGUMENT_CHARS, FULL_CHARS = 200, 20_000


class CallTold(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One tool call; `args` is how its arguments begin, as the model wrote them, `result` how that begins.

    `pictures` are the blobs that came with the result, with their media types.
    """

    tool: str
    args: str
    status: str
    result: str = ""
    pictures: tuple[tuple[str, str], ...] = ()


class RoundTold(Struct, frozen=True, kw_only=True):
    """What a VP thought, said and called in one round."""

    thinking: tuple[str, ...]
    text: str
    calls: tuple[CallTold, ...]


class AttachmentTold(Struct, frozen=True, kw_only=True):
    """A file that went with a message; `file` is its name in the Session's folder `attachments`."""

    name: str
    mime: str
    size_bytes: int
    file: str
    sha256: str


class TurnTold(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one VP did with a message; `outcome` is `open` while nobody knows, `text` what it said last.

    `each_round` is only there if it was asked for.
    """

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
    each_round: tuple[RoundTold, ...] = ()


class MessageTold(Struct, frozen=True, kw_only=True, omit_defaults=True):
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
    attachments: tuple[AttachmentTold, ...] = ()


def transcript(reading: Reading, *, thinking: bool = False, in_full: bool = False) -> tuple[MessageTold, ...]:
    """Return the messages that count in the order in which they were posted: what was taken back is left out.

    `thinking` adds what models thought, `in_full` what was said and called in each round, with the results of calls.
    """
    state = reading.state
    times = {record.seq: record.ts for record in reading.records}
    detail = _Detail(thinking=thinking, in_full=in_full)
    return tuple(
        _message(reading, message, times[state.posted_at[message.message_id]], detail)
        for message in state.messages.values()
        if not state.is_void(message.message_id)
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
        if message.attachments:
            yield "\n".join(f"- {kept.name} ({kept.mime}, {kept.size_bytes} bytes)" for kept in message.attachments)
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


class _Detail(Struct, frozen=True, kw_only=True):
    thinking: bool
    in_full: bool


def _message(reading: Reading, message: MessagePosted, at_ms: int, detail: _Detail) -> MessageTold:
    found = (reading.state.turn_for(message.message_id, vp_id) for vp_id in message.to)
    attached = reading.state.attachments
    return MessageTold(
        id=message.message_id,
        at=iso_time(at_ms),
        at_ms=at_ms,
        sender=message.sender,
        to=message.to,
        kind=message.kind,
        text=message.text,
        root=message.root_id,
        turns=tuple(_turn(turn, detail) for turn in found if turn),
        attachments=tuple(_attachment(kept) for key in message.attachments if (kept := attached.get(key))),
    )


def _attachment(kept: AttachmentAdded) -> AttachmentTold:
    return AttachmentTold(
        name=kept.name, mime=kept.mime, size_bytes=kept.size_bytes, file=kept.file, sha256=kept.sha256
    )


def _turn(turn: TurnState, detail: _Detail) -> TurnTold:
    ended = turn.ended
    calls = (call for attempt in turn.attempts for call in attempt.calls)
    thoughts = (thought for attempt in turn.attempts for thought in _thoughts(attempt))
    return TurnTold(
        turn=turn.started.turn_id,
        vp=turn.started.vp_id,
        outcome=ended.outcome if ended else "open",
        text=turn.final_text.strip(),
        model=turn.last.sent.model if turn.last else "",
        rounds=turn.rounds,
        calls=tuple(_call(state) for state in calls),
        usage=turn.usage,
        cost=turn.cost_usd,
        error=ended.error.message if ended and ended.error else "",
        thinking=tuple(thoughts) if detail.thinking else (),
        each_round=tuple(_round(attempt, detail) for attempt in turn.attempts) if detail.in_full else (),
    )


def _round(attempt: Attempt, detail: _Detail) -> RoundTold:
    text = text_of(attempt.reply.items) if attempt.reply else partial_text(attempt)
    return RoundTold(
        thinking=_thoughts(attempt) if detail.thinking else (),
        text=text.strip(),
        calls=tuple(_call(state, chars=FULL_CHARS) for state in attempt.calls),
    )


def _thoughts(attempt: Attempt) -> tuple[str, ...]:
    items = attempt.reply.items if attempt.reply else ()
    return tuple(item.text for item in items if isinstance(item, ThinkingItem) and item.text)


def _call(state: CallState, *, chars: int = ARGUMENT_CHARS) -> CallTold:
    finished = state.finished
    is_full = chars > ARGUMENT_CHARS
    return CallTold(
        tool=state.call.tool,
        args=_cut(state.call.args_raw, chars) if is_full else state.call.args_raw[:chars],
        status=finished.status if finished else "open",
        result=_cut(finished.text, chars) if is_full and finished else "",
        pictures=tuple((image.sha256, image.mime) for image in finished.images) if is_full and finished else (),
    )


def _cut(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[: chars - 1] + "…"
