"""What each VP that is at work does right now, told from the Session's state and what streams in."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from msgspec import Raw

from yeaft.engine.state import TurnState
from yeaft.interfaces.cli.call_lines import call_line
from yeaft.interfaces.tui.blocks import Lane, LaneState
from yeaft.interfaces.tui.panels.plain_snippet import LEFT_OUT, plain
from yeaft.llm.tokens import estimate

if TYPE_CHECKING:
    from yeaft.interfaces.tui.scene import Scene
    from yeaft.session.state import SessionState

MOST_ABOUT_CHARS = 200
MARK = re.compile(r"\s*(?:(?:[-*+>]|\d+[.)])\s+)+")
"""What a line of a list or of something quoted begins with."""
SENTENCE = re.compile(r"[.!?]\s+(?=\S)|[。！？](?=\S)")
ESTIMATED_CHARS = 4_000
"""What streams in is estimated by this much of its end; a lane is drawn many times a second."""


def lanes(state: SessionState, scene: Scene) -> tuple[Lane, ...]:
    """Return one lane for each turn that runs, oldest first, and one for each VP with a message that waits for it."""
    turns = scene.open_turns()
    return (*(_lane(state, scene, turn) for turn in turns), *_waiting(state, {turn.started.vp_id for turn in turns}))


def _waiting(state: SessionState, at_work: Container[str]) -> Iterator[Lane]:
    for vp_id, queue in state.waiting.items():
        if queue and vp_id not in at_work:
            yield Lane(vp_id=vp_id, turn_id="", state="waiting")


def _lane(state: SessionState, scene: Scene, turn: TurnState) -> Lane:
    vp_id, turn_id = turn.started.vp_id, turn.started.turn_id
    streaming = scene.streaming(vp_id)
    doing, about = _doing(turn, streaming.text, streaming.thinking)
    last = turn.last
    is_open = last is not None and last.is_open
    coming = _estimated(streaming.text) + _estimated(streaming.thinking) if is_open else 0
    lane = Lane(
        vp_id=vp_id,
        turn_id=turn_id,
        state=doing,
        about=about,
        started_ms=state.began_ms.get(turn_id, 0),
        tokens=turn.usage.output + coming,
        cost_usd=turn.cost_usd,
    )
    wait = scene.waits.get(vp_id)
    if wait is None:
        return lane
    failure = last.failure.error if last and last.failure else None
    return Lane(
        vp_id=vp_id,
        turn_id=turn_id,
        state="retrying",
        about=wait.reason,
        started_ms=lane.started_ms,
        tokens=lane.tokens,
        cost_usd=lane.cost_usd,
        left_s=wait.left_s,
        due_ms=last.retry.due_ms if last and last.retry else 0,
        failed=failure.kind if failure else "",
        status=(failure.status or 0) if failure else 0,
        model=last.sent.model if last else "",
    )


def _doing(turn: TurnState, text: str, thinking: str) -> tuple[LaneState, str]:
    last = turn.last
    if last is None:
        return "waiting", ""
    if last.is_open:
        return ("speaking", _newest(text)) if text.strip() else ("thinking", _newest(thinking))
    for call in last.calls:
        if call.finished is None:
            args = Raw(call.call.args_raw.encode("utf-8", "replace"))
            line = call_line(call.call.tool, args, columns=MOST_ABOUT_CHARS)
            return ("asking" if call.ask else "calling"), line.strip().removeprefix("· ")
    return "thinking", ""


def _estimated(text: str) -> int:
    """Estimate the tokens of a text by its end."""
    if len(text) <= ESTIMATED_CHARS:
        return estimate(text)
    return estimate(text[-ESTIMATED_CHARS:]) * len(text) // ESTIMATED_CHARS


def _newest(text: str) -> str:
    """Return the newest sentence without signs of Markdown: it begins with the same words for as long as it grows."""
    lines = plain(text[-2 * MOST_ABOUT_CHARS :]).replace(LEFT_OUT, "").splitlines()
    told = (MARK.sub("", f"{line} ", count=1).strip() for line in reversed(lines))
    return SENTENCE.split(next(filter(None, told), ""))[-1][-MOST_ABOUT_CHARS:]
