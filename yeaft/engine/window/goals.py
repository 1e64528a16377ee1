"""What stands for turns that were left out: how many they were, and what the user asked in them, in short."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from yeaft.engine.manner import Manner
from yeaft.engine.said import words_of
from yeaft.engine.view import Own, Posted, Unit, defused
from yeaft.engine.window.costs import UNIT_TOKENS
from yeaft.events.session import MessagePosted
from yeaft.kernel.text import head_bytes
from yeaft.llm.tokens import estimate
from yeaft.prompts.fill import fill

SEARCH = "HistorySearch"
LEAST_LINE_TOKENS, MOST_LINES = 16, 40
FIRST_SHARE = 4
"""The newest message may take a quarter of the room, each older one three quarters of what the one after it could."""
BYTES_PER_TOKEN = 3


def words_for(
    units: Sequence[Unit], kept: AbstractSet[int], left_out: AbstractSet[str], manner: Manner, limit_tokens: int
) -> str:
    """The text for the units that are not at the places `kept`, and for the requests `left_out`; empty without any.

    It stays below `limit_tokens`, but always says how many turns are missing.
    """
    count = dropped_turns(units, kept)
    if not count and not left_out:
        return ""
    phrase = "turns_dropped_search" if SEARCH in manner.offered else "turns_dropped"
    asked = manner.phrases["turns_dropped_asked"]
    text = fill(manner.phrases[phrase], {"count": str(max(count, 1))})
    texts = asked_in(units, kept, left_out)
    lines = short_lines(texts, limit_tokens - estimate(text) - estimate(asked) - UNIT_TOKENS)
    return f"{text}\n{asked}\n" + "\n".join(f"- {line}" for line in lines) if lines else text


def dropped_turns(units: Sequence[Unit], kept: AbstractSet[int]) -> int:
    """How many turns a reader would say are missing: one for each message that is, and never none."""
    if len(kept) == len(units):
        return 0
    posted = [type(unit) for unit in units].count(Posted)
    return max(1, posted - sum(isinstance(units[place], Posted) for place in kept))


def asked_in(units: Sequence[Unit], kept: AbstractSet[int], left_out: AbstractSet[str]) -> Iterator[str]:
    """What the user asked of this VP in what is missing, the newest first."""
    for place in reversed(range(len(units))):
        unit = units[place]
        if isinstance(unit, Own):
            yield from _steers(unit, left_out, is_gone=place not in kept)
        elif isinstance(unit, Posted) and place not in kept and _is_users(unit.message):
            yield words_of(unit.message)


def _steers(own: Own, left_out: AbstractSet[str], *, is_gone: bool) -> Iterator[str]:
    if own.turn.ended is None:
        return  # what was added to the current turn stays in it
    for attempt in reversed(own.turn.attempts):
        if is_gone or attempt.sent.request_id in left_out:
            yield from (words_of(steer) for steer in reversed(attempt.steers) if steer.kind == "steer")


def _is_users(message: MessagePosted) -> bool:
    return message.sender == "user" and message.kind == "user"


def short_lines(texts: Iterable[str], limit_tokens: int) -> list[str]:
    """One line for each text, oldest first, as many of the newest as there is room for."""
    lines: list[str] = []
    allowance = limit_tokens // FIRST_SHARE
    for text in texts:
        allowance = max(allowance, LEAST_LINE_TOKENS)
        line = _line(text, allowance)
        if not line:
            continue
        cost = estimate(line) + 2
        if cost > limit_tokens or len(lines) == MOST_LINES:
            break
        lines.append(line)
        limit_tokens -= cost
        allowance = allowance * 3 // 4
    return lines[::-1]


def _line(text: str, limit_tokens: int) -> str:
    """The beginning of `text` on one line; what looks like the block of a message in it is defused."""
    limit_bytes = limit_tokens * BYTES_PER_TOKEN
    beginning = head_bytes(text[: 4 * limit_bytes], 4 * limit_bytes)
    line = defused(" ".join(beginning.split()))
    if len(line.encode()) <= limit_bytes and len(beginning) == len(text):
        return line
    return head_bytes(line, limit_bytes).rstrip() + "…"
