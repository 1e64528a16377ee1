"""One request to a model: build it, record it, send it, record what came of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from yeaft.engine.request import build_request
from yeaft.events.turn import (
    CallStreamed,
    Failure,
    ReplyCheckpointed,
    ReplyCompleted,
    RequestFailed,
    RequestSent,
    RetryWaiting,
    TextStreamed,
    ThinkingStreamed,
)
from yeaft.kernel import ids
from yeaft.kernel.cancelling import is_being_cancelled
from yeaft.kernel.errors import ModelFailed
from yeaft.kernel.messages import Call

if TYPE_CHECKING:
    from yeaft.engine.decide import AskModel
    from yeaft.engine.request import Memory
    from yeaft.engine.settings import Frozen
    from yeaft.engine.state import TurnState
    from yeaft.engine.turn import TurnLog
    from yeaft.events.fact import BlobRef
    from yeaft.kernel.clock import NowMs
    from yeaft.kernel.messages import ImagePart
    from yeaft.llm.model import Model, Piece, Reply

CHECKPOINT_S = 2.0
BROKE_OFF = "The connection broke off."
AFTER_REFUSAL = 0.75
"""How much of what was refused for length later rounds send, unless more was taken."""


class Mind(Protocol):
    """What a VP thinks with."""

    @property
    def phrases(self) -> Mapping[str, str]:
        """The texts that stand between turns, results and errors."""
        ...

    def freeze(self, ref: str) -> tuple[Frozen, Model]:
        """Return the settings and model for the next request; `ref` is empty for the VP's own model.

        Settings that are new have been posted to the journal.
        """
        ...

    @property
    def memory(self) -> Memory:
        """What was worked out for the last request; it only saves time."""
        ...

    def picture(self, ref: BlobRef, /) -> ImagePart | None:
        """Return a picture that a call's result had; None if it is gone."""
        ...


async def ask_model(log: TurnLog, mind: Mind, ask: AskModel, now_ms: NowMs) -> None:
    """Send one request. Its reply or failure is posted; nothing is raised but cancellation and bugs."""
    await _wait_until(log, ask, now_ms)
    state = log.state
    frozen, model = mind.freeze(state.model)
    shrinks = shrinks_of(state, ask.round)
    built = build_request(
        log.units(),
        frozen.settings,
        mind.memory.encoder(model.entry, model.encoder),
        shrinks,
        mind.picture,
        bound=bound_of(state),
        factors=log.factors(model.entry.ref),
        memory=mind.memory,
    )
    started = state.started
    sent = RequestSent(
        request_id=ids.request_id(started.turn_id, ask.round, ask.attempt),
        turn_id=started.turn_id,
        round=ask.round,
        attempt=ask.attempt,
        model=model.entry.ref,
        protocol=model.entry.protocol,
        digest=built.digest,
        settings=frozen.digest,
        vp=started.vp_id,
        how=ask.how,
        window=built.window,
    )
    await log.post(sent)
    ear = _Ear(log, sent)
    try:
        reply = await model.generate(built.body, ear.hear)
    except ModelFailed as error:
        log.post(_failed(sent, error, ear.text))
    except asyncio.CancelledError:
        ear.checkpoint()
        if is_being_cancelled():
            raise
        log.post(_failed(sent, ModelFailed("truncated", BROKE_OFF, calls_seen=ear.calls_seen), ear.text))
    else:
        price = model.entry.price
        log.post(_completed(sent, reply, price.cost_usd(reply.usage) if price else None))


def shrinks_of(state: TurnState, round_number: int) -> int:
    """How often the provider has called this round's request too long."""
    return sum(
        attempt.failure is not None and attempt.failure.error.kind == "context"
        for attempt in state.attempts
        if attempt.sent.round == round_number
    )


def bound_of(state: TurnState) -> int | None:
    """How many tokens (estimated, all in all) a request of this turn may have after a refusal for length; None if any.

    So a window that is smaller than it was said to be is found out once in a turn, and not in each of its rounds.
    """
    refused = min(
        (one.sent.window.tokens_est for one in state.attempts if one.failure and one.failure.error.kind == "context"),
        default=0,
    )
    if not refused:
        return None
    taken = (one.sent.window.tokens_est for one in state.attempts if one.reply is not None)
    return max(int(refused * AFTER_REFUSAL), *(tokens for tokens in taken if tokens < refused), 0)


class _Ear:
    """Hears the pieces of one reply, shows them, and keeps what a crash must not lose."""

    def __init__(self, log: TurnLog, sent: RequestSent) -> None:
        self._log = log
        self._sent = sent
        self._said: list[str] = []
        self.calls_seen = False
        self._noted = 0
        self._noted_at = time.monotonic()

    @property
    def text(self) -> str:
        return "".join(self._said)

    def hear(self, piece: Piece) -> None:
        request_id, vp_id = self._sent.request_id, self._sent.vp
        match piece.kind:
            case "text":
                self._said.extend(piece.pieces)
                self._log.show(TextStreamed(request_id=request_id, vp_id=vp_id, pieces=piece.pieces))
                if time.monotonic() - self._noted_at >= CHECKPOINT_S:
                    self.checkpoint()
            case "thinking":
                self._log.show(ThinkingStreamed(request_id=request_id, vp_id=vp_id, pieces=piece.pieces))
            case "call":
                self.calls_seen = True
                self._log.show(
                    CallStreamed(
                        request_id=request_id, vp_id=vp_id, index=piece.index, tool=piece.tool, pieces=piece.pieces
                    )
                )

    def checkpoint(self) -> None:
        """Note what was said so far, if there is anything new."""
        if len(self._said) == self._noted:
            return
        self._noted, self._noted_at = len(self._said), time.monotonic()
        sent = self._sent
        self._log.post(ReplyCheckpointed(request_id=sent.request_id, turn_id=sent.turn_id, text=self.text))


async def _wait_until(log: TurnLog, ask: AskModel, now_ms: NowMs) -> None:
    left_s = (ask.not_before_ms - now_ms()) / 1000
    if left_s <= 0:
        return
    started, last = log.state.started, log.state.last
    reason = last.retry.reason if last and last.retry else ""
    log.show(
        RetryWaiting(
            turn_id=started.turn_id, vp_id=started.vp_id, left_s=left_s, reason=reason, attempt=ask.attempt + 1
        )
    )
    await asyncio.sleep(left_s)


def _completed(sent: RequestSent, reply: Reply, cost_usd: float | None) -> ReplyCompleted:
    calls = tuple(
        Call(
            call_id=ids.call_id(sent.request_id, index),
            wire_id=call.wire_id,
            tool=call.tool,
            args_raw=call.args_raw,
            complete=call.complete,
        )
        for index, call in enumerate(reply.calls)
    )
    return ReplyCompleted(
        request_id=sent.request_id,
        turn_id=sent.turn_id,
        model=sent.model,
        items=reply.items,
        calls=calls,
        stop=reply.stop,
        usage=reply.usage,
        cost_usd=cost_usd,
    )


def _failed(sent: RequestSent, error: ModelFailed, text: str) -> RequestFailed:
    message = error.message
    if error.kind == "context":
        message += f" By estimate it had {round(sent.window.tokens_est * sent.window.factor)} tokens."
    failure = Failure(
        kind=error.kind,
        message=message,
        status=error.status,
        wire_type=error.wire_type,
        retry_after_s=error.retry_after_s,
        calls_seen=error.calls_seen,
    )
    text_so_far = text if len(text) >= len(error.text_so_far) else error.text_so_far
    return RequestFailed(request_id=sent.request_id, turn_id=sent.turn_id, error=failure, text_so_far=text_so_far)
