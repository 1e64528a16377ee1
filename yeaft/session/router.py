"""Delivers what a VP hands to its peers, within limits that end every loop."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from yeaft.events.session import MessagePosted
from yeaft.kernel import ids
from yeaft.session.routing import Forwarding, forward_targets
from yeaft.tools.route_forward import RouteForward
from yeaft.tools.tool import ToolResult

if TYPE_CHECKING:
    from yeaft.kernel.clock import NowMs
    from yeaft.session.state import SessionState
    from yeaft.vp.names import Names

THROTTLE_HITS = 8
THROTTLE_WINDOW_MS = 5_000


class HandoffLimits(Struct, frozen=True, kw_only=True):
    """How deep hand-offs may nest, and how many turns they may cause for one user message."""

    depth: int = 30
    turns_per_root: int = 8


class Throttle:
    """Counts hand-offs per target in a sliding window; one per Session, shared by its VPs."""

    def __init__(self, now_ms: NowMs) -> None:
        self._now_ms = now_ms
        self._hits: dict[str, deque[int]] = {}

    def permits(self, target: str) -> bool:
        """Count one more attempt; False when there were too many of late."""
        now = self._now_ms()
        hits = self._hits.setdefault(target, deque())
        while hits and now - hits[0] > THROTTLE_WINDOW_MS:
            hits.popleft()
        hits.append(now)
        return len(hits) <= THROTTLE_HITS


class VpRouter:
    """Delivers the hand-offs of one VP; see `tools.route_forward.Router`."""

    def __init__(
        self, vp_id: str, *, state: SessionState, names: Callable[[], Names], throttle: Throttle, limits: HandoffLimits
    ) -> None:
        self._vp_id = vp_id
        self._state = state
        self._names = names
        self._throttle = throttle
        self._limits = limits

    async def forward(self, call_id: str, hand_off: RouteForward) -> ToolResult:
        """Say who gets a hand-off; the messages to them are in `emits`."""
        state = self._state
        turn = state.turns[state.turn_of_call(call_id)]
        inbound = state.messages[turn.started.message_id]
        forwarding = forward_targets(hand_off.to, sender=self._vp_id, roster=state.roster, names=self._names())
        if not forwarding.to:
            refusal = forwarding.refused[0]
            return _refused(refusal.code, refusal.detail)
        if problem := _problem(state, hand_off, inbound, self._limits, len(forwarding.to)):
            return _refused(*problem)
        if not self._throttle.permits("all" if forwarding.broadcast else forwarding.to[0]):
            return _refused("throttled", f"More than {THROTTLE_HITS} hand-offs within 5 seconds; answer yourself.")
        messages = tuple(_message(call_id, self._vp_id, target, hand_off, inbound) for target in forwarding.to)
        return ToolResult(text=_dispatched(forwarding), emits=messages)


def _problem(
    state: SessionState, args: RouteForward, inbound: MessagePosted, limits: HandoffLimits, wanted: int
) -> tuple[str, str] | None:
    if not args.text.strip():
        return "text_required", "Say what the peer is to do."
    if inbound.hops >= limits.depth:
        return "chain_depth_exceeded", f"This is hand-off number {inbound.hops}; answer yourself."
    turns = sum(message.kind == "forward" and message.root_id == inbound.root_id for message in state.messages.values())
    left = max(0, limits.turns_per_root - turns)
    if wanted > left:
        instead = "name fewer peers." if left else "answer with what you have."
        return "handoff_limit", f"Of {limits.turns_per_root} hand-offs for one question {left} are left; {instead}"
    return None


def _dispatched(forwarding: Forwarding) -> str:
    report = {
        "ok": True,
        "dispatched": list(forwarding.to),
        "broadcast": forwarding.broadcast,
        "truncatedAtFanOutCap": forwarding.truncated,
        "errors": [refused.detail for refused in forwarding.refused],
    }
    return msgspec.json.encode(report).decode()


def _message(call_id: str, sender: str, target: str, args: RouteForward, inbound: MessagePosted) -> MessagePosted:
    return MessagePosted(
        message_id=ids.carried_message_id(call_id, "forward", target),
        sender=f"vp:{sender}",
        to=(target,),
        kind="forward",
        text=args.text,
        root_id=inbound.root_id,
        hops=inbound.hops + 1,
        call_id=call_id,
    )


def _refused(error: str, detail: str) -> ToolResult:
    return ToolResult(text=msgspec.json.encode({"ok": False, "error": error, "detail": detail}).decode(), failed=True)
