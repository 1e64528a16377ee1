"""How a window says what a model has made of the turns that a conversation began with, in so many tokens."""

from msgspec.structs import replace

from yeaft.engine.manner import Manner
from yeaft.engine.view import Summed, defused
from yeaft.engine.window.goals import SEARCH, short_lines
from yeaft.engine.window.room import Room
from yeaft.kernel.text import head_bytes
from yeaft.llm.tokens import estimate
from yeaft.prompts.fill import fill

EARLIER_SHARE = 2
"""A summary may take half of what is for earlier turns; where that is more than half of all, a quarter of all."""
LESS_SHARE = 4
ASKED_SHARE = 4
"""What the user said may take a quarter of that, beside the summary."""
BYTES_PER_TOKEN = (4, 3, 2, 1)
"""Tried in this order; a token has at least one byte."""


def summary_tokens(room: Room) -> int:
    """How much a summary may take of `room`: the same for all requests of a turn, unless there is too little."""
    usual = room.earlier // EARLIER_SHARE
    return usual if usual <= room.limit // 2 else max(0, room.limit // LESS_SHARE)


def without(room: Room, tokens: int) -> Room:
    """The room beside a summary of so many tokens."""
    return replace(room, limit=room.limit - tokens, utmost=room.utmost - tokens, earlier=max(0, room.earlier - tokens))


def summary_text(summed: Summed, manner: Manner, limit_tokens: int) -> str:
    """The block that stands for the turns, within `limit_tokens`; it always says that it is a summary, and of what."""
    phrase = "turns_summed_search" if SEARCH in manner.offered else "turns_summed"
    head = fill(manner.phrases[phrase], {"count": str(summed.turns)})
    asked = manner.phrases["turns_dropped_asked"]
    left = limit_tokens - estimate(head) - estimate(asked)
    if left <= 0:
        return head
    lines = "\n".join(f"- {line}" for line in short_lines(summed.asked, left // ASKED_SHARE))
    text = shortened(summed.text, left - estimate(lines))
    return f"{head}\n{text}\n{asked}\n{lines}" if lines else f"{head}\n{text}"


def shortened(text: str, limit_tokens: int) -> str:
    """The beginning of `text`, in which nothing looks like the block of a message; all of it if it fits."""
    text = defused(text.strip())
    if estimate(text) <= limit_tokens:
        return text
    for bytes_per_token in BYTES_PER_TOKEN:
        beginning = head_bytes(text, max(0, limit_tokens) * bytes_per_token).rstrip() + "…"
        if estimate(beginning) <= limit_tokens:
            return beginning
    return "…"
