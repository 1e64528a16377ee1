"""One turn as blocks: a pure function of its state and of what is streaming in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from yeaft.engine.state import Attempt, CallState, TurnState, partial_text
from yeaft.interfaces.tui.blocks import AnyBlock, Heading, Posted, Thought, ToolUse, TurnOver, Words
from yeaft.kernel.messages import CallItem, TextItem, ThinkingItem


class Streaming(Struct, frozen=True, kw_only=True):
    """What has come of a reply that is not complete yet."""

    request_id: str = ""
    thinking: str = ""
    text: str = ""


NOTHING = Streaming()


class Times(Struct, frozen=True, kw_only=True):
    """When a turn began and ended, in ms since the epoch; 0 for not known."""

    started_ms: int = 0
    ended_ms: int = 0


def turn_blocks(
    turn: TurnState, times: Times, streaming: Streaming = NOTHING, outputs: Mapping[str, str] | None = None
) -> Iterator[AnyBlock]:
    """Yield the blocks of a turn from its heading to its end. `outputs` is what running calls have printed, by call."""
    turn_id, vp_id = turn.started.turn_id, turn.started.vp_id
    last = turn.last
    model = last.sent.model if last else ""
    yield Heading(key=turn_id, vp_id=vp_id, turn_id=turn_id, model=model, at_ms=times.started_ms)
    for number, attempt in enumerate(turn.attempts):
        following = turn.attempts[number + 1] if number + 1 < len(turn.attempts) else None
        if attempt.reply is None and following is not None and following.sent.how == "restart":
            continue  # it is said anew
        yield from _steers(attempt)
        if attempt.reply is None:
            yield from _unfinished(attempt, vp_id, turn_id, streaming)
        else:
            yield from _complete(attempt, vp_id, turn_id, outputs or {})
    for message in turn.unseen:
        if message.kind == "steer":
            yield Posted(key=message.message_id, message=message)
    if turn.ended is not None:
        duration = times.ended_ms - times.started_ms if times.started_ms and times.ended_ms else 0
        yield TurnOver(key=f"{turn_id}/over", vp_id=vp_id, ended=turn.ended, duration_ms=duration)


def _steers(attempt: Attempt) -> Iterator[AnyBlock]:
    for message in attempt.steers:
        if message.kind == "steer":
            yield Posted(key=message.message_id, message=message)


def _unfinished(attempt: Attempt, vp_id: str, turn_id: str, streaming: Streaming) -> Iterator[AnyBlock]:
    request_id = attempt.sent.request_id
    is_live = attempt.is_open
    mine = streaming if streaming.request_id == request_id else NOTHING
    if mine.thinking:
        is_growing = is_live and not mine.text
        yield Thought(key=f"{request_id}/0", vp_id=vp_id, text=mine.thinking, is_live=is_growing)
    text = mine.text or partial_text(attempt)
    if text.strip():
        yield Words(key=f"{request_id}/1", vp_id=vp_id, turn_id=turn_id, text=text, is_live=is_live)


def _complete(attempt: Attempt, vp_id: str, turn_id: str, outputs: Mapping[str, str]) -> Iterator[AnyBlock]:
    """Yield what was said in the order it was; texts that follow one another are one, as they were while they came."""
    request_id = attempt.sent.request_id
    reply = attempt.reply
    assert reply is not None
    thinking = "\n\n".join(item.text for item in reply.items if isinstance(item, ThinkingItem) and item.text.strip())
    if thinking:
        yield Thought(key=f"{request_id}/0", vp_id=vp_id, text=thinking)
    said, left, part = "", list(attempt.calls), 1
    for item in reply.items:
        if isinstance(item, TextItem):
            said += item.text
        elif isinstance(item, CallItem) and left:
            if said.strip():
                yield Words(key=f"{request_id}/{part}", vp_id=vp_id, turn_id=turn_id, text=said)
            said, part = "", part + 1
            yield _tool_use(left.pop(0), vp_id, turn_id, outputs)
    if said.strip():
        yield Words(key=f"{request_id}/{part}", vp_id=vp_id, turn_id=turn_id, text=said)
    for call in left:
        yield _tool_use(call, vp_id, turn_id, outputs)


def _tool_use(call: CallState, vp_id: str, turn_id: str, outputs: Mapping[str, str]) -> ToolUse:
    call_id = call.call.call_id
    output = outputs.get(call_id, "") if call.finished is None else ""
    return ToolUse(key=call_id, vp_id=vp_id, turn_id=turn_id, call=call, output=output)
