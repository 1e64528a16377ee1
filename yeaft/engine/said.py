"""How one request of a VP's own turn and what came of it are told to its model again."""

from yeaft.engine.cuts import Cuts
from yeaft.engine.manner import Manner
from yeaft.engine.pictures import shown_pictures
from yeaft.engine.sent_copy import SENT_BYTES, sent_copy
from yeaft.engine.state import Attempt, CallState, TurnState, partial_text
from yeaft.engine.stubs import stub_text
from yeaft.events.session import MessagePosted
from yeaft.events.turn import ReplyCompleted
from yeaft.kernel.effort_prefix import effort_in, without_effort
from yeaft.kernel.messages import AssistantMessage, OpaqueItem, ResultPart, TextItem, TextPart, text_of
from yeaft.prompts.fill import fill

Piece = TextPart | ResultPart | AssistantMessage
"""What stands in a row between the texts of others: something heard, a result, or something said."""


def pieces_of(turn: TurnState, number: int, manner: Manner, cuts: Cuts, note: str = "") -> list[Piece]:
    """What the `number`-th request of `turn` adds to what its model is told; `note` is what is said of its calls."""
    attempt = turn.attempts[number]
    request_id = attempt.sent.request_id
    if request_id in cuts.left_out:
        steers = [] if turn.ended else [one for one in attempt.steers if one.kind == "steer"]
        return [_heard(added(one, manner)) for one in steers]
    heard = [added(one, manner) for one in attempt.steers]
    pieces: list[Piece] = [_heard(text) for text in heard if text.strip()]
    if attempt.reply is None:
        return [*pieces, *_unfinished(turn, number, manner)]
    if request_id in cuts.bare:
        return [*pieces, *_bare(attempt.reply)]
    pieces += _reply(turn, number, manner, cuts)
    notes = [note]
    if not attempt.calls and goes_on(turn, number) and _stopped_short(attempt, attempt.reply, manner):
        notes.append(manner.phrases["continue_after_limit"])
    return [*pieces, *(_heard(note) for note in notes if note.strip())]


def added(message: MessagePosted, manner: Manner) -> str:
    """What came in while the turn was running; a notice speaks for itself."""
    return message.text if message.kind == "notice" else fill(manner.phrases["steer"], {"text": words_of(message)})


def words_of(message: MessagePosted) -> str:
    """What a message says; the effort that the user asks for in it is for its request and not for its model."""
    return without_effort(message.text) if _may_ask(message) else message.text


def effort_of(message: MessagePosted) -> str:
    """The effort that the user asks for in a message; empty for none."""
    return effort_in(message.text) if _may_ask(message) else ""


def _may_ask(message: MessagePosted) -> bool:
    return message.sender == "user" and not message.verbatim


def goes_on(turn: TurnState, number: int) -> bool:
    """Whether the `number`-th request was not, or need not be, the turn's last."""
    return number + 1 < len(turn.attempts) or turn.ended is None


def _heard(text: str) -> TextPart:
    return TextPart(text=text)


def _bare(reply: ReplyCompleted) -> list[Piece]:
    """Only the words, in a form that any model takes: without its thinking a reply is not what its provider knows."""
    text = text_of(reply.items)
    return [AssistantMessage(items=(TextItem(text=text),))] if text.strip() else []


def _reply(turn: TurnState, number: int, manner: Manner, cuts: Cuts) -> list[Piece]:
    attempt = turn.attempts[number]
    reply = attempt.reply
    assert reply is not None
    has_text = any(isinstance(item, TextItem) and item.text.strip() for item in reply.items)
    if not attempt.calls and not has_text and reply.stop != "pause":
        # it only thought: there is nothing that a later request could carry
        return [_heard(manner.phrases["reply_empty"])] if goes_on(turn, number) else []
    origin = reply.model if attempt.sent.protocol == manner.protocol else ""  # the user may have changed the protocol
    said = AssistantMessage(items=reply.items, calls=reply.calls, origin=origin)
    return [said, *(_result(call, manner, cuts) for call in attempt.calls)]


def _unfinished(turn: TurnState, number: int, manner: Manner) -> list[Piece]:
    """A reply that broke off: its text stays, followed by what the next request is to make of it."""
    text = partial_text(turn.attempts[number])
    if not text.strip():
        return []
    going_on = number + 1 < len(turn.attempts)
    if going_on and turn.attempts[number + 1].sent.how != "continue":
        return []
    if not going_on and turn.ended is None and not _continues(turn.attempts[number]):
        return []
    phrase = "continue_after_break" if turn.ended is None or going_on else "reply_broke_off"
    return [AssistantMessage(items=(TextItem(text=text.rstrip()),)), _heard(manner.phrases[phrase])]


def _stopped_short(attempt: Attempt, reply: ReplyCompleted, manner: Manner) -> bool:
    """Whether a reply has to be asked to go on; one paused within its provider's own tool goes back as it is."""
    if reply.stop != "pause":
        return reply.stop == "max_tokens"
    is_own = (reply.model, attempt.sent.protocol) == (manner.model, manner.protocol)
    return not is_own or not reply.items or not isinstance(reply.items[-1], OpaqueItem)


def _continues(attempt: Attempt) -> bool:
    return attempt.switched or (attempt.retry is not None and attempt.retry.how == "continue")


def _result(state: CallState, manner: Manner, cuts: Cuts) -> ResultPart:
    finished = state.finished
    if finished is None:  # only in a journal that was cut: the second belt for "every call has one result"
        return ResultPart(call_id=state.call.call_id, text=manner.phrases["call_lost"], failed=True)
    failed = finished.status != "ok"
    if finished.call_id in cuts.stubbed:
        text = stub_text(state, manner.phrases, manner.offered)
        return ResultPart(call_id=finished.call_id, text=text, failed=failed)
    still = cuts.pictured is not None and finished.call_id in cuts.pictured
    images, notes = shown_pictures(finished, manner.picture, manner.phrases, seen=manner.sees, still=still)
    limit_bytes = cuts.shorter.get(finished.call_id, SENT_BYTES)
    text = "\n".join((sent_copy(finished.text, finished.tool, manner.phrases, limit_bytes), *notes))
    return ResultPart(call_id=finished.call_id, text=text, failed=failed, images=images)
