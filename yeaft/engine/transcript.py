"""A conversation as plain text for whoever is to sum it up: who said what, and a line for each call."""

from collections.abc import Iterator, Mapping, Sequence

from yeaft.engine.said import words_of
from yeaft.engine.sent_copy import sent_message
from yeaft.engine.state import Attempt, CallState, TurnState, partial_text
from yeaft.engine.stubs import preview
from yeaft.engine.view import Own, Posted, Summed, Told, Unit, message_block
from yeaft.kernel.messages import text_of
from yeaft.llm.tokens import estimate

LEAST_BYTES = 1024
BETWEEN = "\n\n"


def spoken(units: Sequence[Unit], vp_id: str) -> Iterator[str]:
    """Yield what was said, oldest first, with what `vp_id` did. Results are told by how they began."""
    for unit in units:
        match unit:
            case Posted(message=message):
                yield message_block(words_of(message), sender=message.sender.removeprefix("vp:"), to=message.to)
            case Told():
                yield message_block(unit.text, sender=unit.vp_id, to=unit.to)
            case Own(turn=turn):
                yield from _of_turn(turn, vp_id)
            case Summed(text=text):
                yield text


def packed(texts: Sequence[str], limit_tokens: int, most: int, phrases: Mapping[str, str]) -> tuple[list[str], bool]:
    """Put `texts` in order into pieces of at most `limit_tokens`, and say whether all of it is there.

    What is too long is shortened, the more the longer all of it is; if it still takes more than `most` pieces, the
    oldest are left out.
    """
    limit_bytes = 2 * limit_tokens  # two bytes are a token at worst
    while True:
        pieces = _pieces([sent_message(text, phrases, limit_bytes) for text in texts], limit_tokens)
        if len(pieces) <= most:
            return pieces, True
        if limit_bytes <= LEAST_BYTES:
            return pieces[-most:], False
        limit_bytes = max(LEAST_BYTES, limit_bytes // 4)


def _pieces(texts: Sequence[str], limit_tokens: int) -> list[str]:
    pieces: list[list[str]] = []
    left = 0
    for text in texts:
        tokens = estimate(text) + 1
        if tokens > left:
            pieces.append([])
            left = limit_tokens
        pieces[-1].append(text)
        left -= tokens
    return [BETWEEN.join(piece) for piece in pieces]


def _of_turn(turn: TurnState, vp_id: str) -> Iterator[str]:
    for attempt in turn.attempts:
        yield from (message_block(words_of(one), sender=one.sender) for one in attempt.steers)
        lines = [_words(attempt).strip(), *map(_line, attempt.calls)]
        text = "\n".join(line for line in lines if line)
        if text:
            yield message_block(text, sender=vp_id)
    yield from (message_block(words_of(one), sender=one.sender) for one in turn.unseen)


def _words(attempt: Attempt) -> str:
    return text_of(attempt.reply.items) if attempt.reply else partial_text(attempt)


def _line(state: CallState) -> str:
    finished = state.finished
    came = f"{finished.status}: {preview(finished.text)}" if finished else "?"
    return f"[{state.call.tool} {preview(state.call.args_raw)} -> {came}]"
