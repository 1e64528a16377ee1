"""What one VP sees of a conversation: its own turns as its own, everything else as labelled user-side text."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from yeaft.engine.pictures import Look, newest_pictures, nothing_kept, shown_pictures
from yeaft.engine.repeats import repeat_note
from yeaft.engine.sent_copy import sent_copy
from yeaft.engine.state import Attempt, CallState, TurnState, partial_text
from yeaft.events.session import MessagePosted
from yeaft.events.turn import ReplyCompleted
from yeaft.kernel.messages import (
    AssistantMessage,
    OpaqueItem,
    Part,
    PromptMessage,
    ResultPart,
    TextItem,
    TextPart,
    UserMessage,
)
from yeaft.llm.model import WireProtocol
from yeaft.prompts.fill import fill

PHRASES = (
    "call_lost",
    "continue_after_break",
    "continue_after_limit",
    "image_gone",
    "image_left_out",
    "image_omitted",
    "repeated_call",
    "reply_broke_off",
    "reply_empty",
    "result_cut",
    "result_stubbed",
    "steer",
    "turns_dropped",
)
"""The phrases that may stand in a request; settings keep a copy of them."""

_ADDRESS = re.compile("[@\uff20]([A-Za-z0-9_-]+)[\\s,:\uff0c\uff1a]+")
_TAG = re.compile(r"<(?=\s*/?\s*message\b)", re.IGNORECASE)
_IN_ATTRIBUTE = {ord(char): entity for char, entity in (('"', "&quot;"), ("<", "&lt;"), (">", "&gt;"), ("\n", " "))}


class Posted(Struct, frozen=True, kw_only=True):
    """A message that this VP was given or could read along."""

    message: MessagePosted


class Told(Struct, frozen=True, kw_only=True):
    """What another VP had said when its turn was over."""

    vp_id: str
    to: tuple[str, ...]
    text: str


class Own(Struct, frozen=True, kw_only=True):
    """A turn of this VP, with its calls and results."""

    turn: TurnState


Unit = Posted | Told | Own


class Manner(Struct, frozen=True, kw_only=True):
    """How a VP is told things: who it is, what others are called, and the texts that stand between the turns.

    `model` (`provider/model`) is who is told. What was said over another `protocol` goes without its opaque parts.
    `labelled` is False while the VP is alone with the user: then the user's words go as they are. `picture` finds the
    pictures of results; a model that takes none (`sees` is False) is told so instead.
    """

    vp_id: str
    names: Mapping[str, str]
    phrases: Mapping[str, str]
    model: str
    protocol: WireProtocol
    labelled: bool = False
    picture: Look = nothing_kept
    sees: bool = True


class _Left(Struct, frozen=True, kw_only=True):
    """What the results still hold: the calls of which only a line is left, and those whose pictures go along."""

    stubbed: frozenset[str]
    pictured: frozenset[str]


def prompt_messages(
    units: Sequence[Unit], manner: Manner, stubbed: frozenset[str] = frozenset(), dropped_turns: int = 0
) -> tuple[PromptMessage, ...]:
    """Return the messages of a request. Results of calls in `stubbed` are replaced by a line that says so.

    Every call is followed by its one result before anything else is said; the last message is the user's side.
    """
    writer = _Writer()
    turns = [unit.turn for unit in units if isinstance(unit, Own)]
    left = _Left(stubbed=stubbed, pictured=newest_pictures(turns, stubbed))
    if dropped_turns:
        writer.hear(fill(manner.phrases["turns_dropped"], {"count": str(dropped_turns)}))
    for unit in units:
        match unit:
            case Posted(message=message):
                writer.hear(_posted_text(message, manner))
            case Told(vp_id=vp_id, to=to, text=text):
                writer.hear(_labelled(vp_id, to, text, manner))
            case Own(turn=turn):
                _write_turn(writer, turn, turns, manner, left)
    return writer.messages()


def message_block(text: str, *, sender: str, name: str = "", to: Sequence[str] = ()) -> str:
    """Return `text` in a block that names who spoke to whom; what looks like such a block in it is defused."""
    named = f' name="{name.translate(_IN_ATTRIBUTE)}"' if name not in ("", sender) else ""
    to_whom = " ".join("@" + vp for vp in to)
    addressed = f' to="{to_whom}"' if to_whom else ""
    return f'<message from="{sender}"{named}{addressed}>\n{_TAG.sub("&lt;", text)}\n</message>'


class _Writer:
    """Collects messages; what is heard in a row becomes one user message."""

    def __init__(self) -> None:
        self._done: list[PromptMessage] = []
        self._heard: list[Part] = []

    def hear(self, text: str) -> None:
        if text.strip():
            self._heard.append(TextPart(text=text))

    def get_results(self, results: Sequence[ResultPart]) -> None:
        self._heard.extend(results)

    def say(self, message: AssistantMessage) -> None:
        if self._heard:
            self._done.append(UserMessage(parts=tuple(self._heard)))
            self._heard = []
        self._done.append(message)

    def messages(self) -> tuple[PromptMessage, ...]:
        if self._heard:
            return (*self._done, UserMessage(parts=tuple(self._heard)))
        return tuple(self._done)


def _write_turn(writer: _Writer, turn: TurnState, turns: list[TurnState], manner: Manner, left: _Left) -> None:
    for number, attempt in enumerate(turn.attempts):
        for added in attempt.steers:
            writer.hear(_added(added, manner))
        if attempt.reply is None:
            _write_unfinished(writer, turn, number, manner)
            continue
        _write_reply(writer, turn, number, manner, left)
        writer.hear(repeat_note(turns, turn, attempt, manner.phrases))
        if not attempt.calls and _goes_on(turn, number) and _stopped_short(attempt, attempt.reply, manner):
            writer.hear(manner.phrases["continue_after_limit"])
    for added in turn.unseen:
        writer.hear(_added(added, manner))


def _write_reply(writer: _Writer, turn: TurnState, number: int, manner: Manner, left: _Left) -> None:
    attempt = turn.attempts[number]
    reply = attempt.reply
    assert reply is not None
    has_text = any(isinstance(item, TextItem) and item.text.strip() for item in reply.items)
    if not attempt.calls and not has_text and reply.stop != "pause":
        if _goes_on(turn, number):
            writer.hear(manner.phrases["reply_empty"])
        return  # it only thought: there is nothing that a later request could carry
    origin = reply.model if attempt.sent.protocol == manner.protocol else ""  # the user may have changed the protocol
    writer.say(AssistantMessage(items=reply.items, calls=reply.calls, origin=origin))
    if attempt.calls:
        writer.get_results([_result(call, manner, left) for call in attempt.calls])


def _write_unfinished(writer: _Writer, turn: TurnState, number: int, manner: Manner) -> None:
    """Write a reply that broke off: its text stays, followed by what the next request is to make of it."""
    text = partial_text(turn.attempts[number])
    if not text.strip():
        return
    going_on = number + 1 < len(turn.attempts)
    if going_on and turn.attempts[number + 1].sent.how != "continue":
        return
    if not going_on and turn.ended is None and not _continues(turn.attempts[number]):
        return
    writer.say(AssistantMessage(items=(TextItem(text=text.rstrip()),)))
    writer.hear(manner.phrases["continue_after_break" if turn.ended is None or going_on else "reply_broke_off"])


def _stopped_short(attempt: Attempt, reply: ReplyCompleted, manner: Manner) -> bool:
    """Whether a reply has to be asked to go on; one paused within its provider's own tool goes back as it is."""
    if reply.stop != "pause":
        return reply.stop == "max_tokens"
    is_own = (reply.model, attempt.sent.protocol) == (manner.model, manner.protocol)
    return not is_own or not reply.items or not isinstance(reply.items[-1], OpaqueItem)


def _continues(attempt: Attempt) -> bool:
    return attempt.switched or (attempt.retry is not None and attempt.retry.how == "continue")


def _goes_on(turn: TurnState, number: int) -> bool:
    return number + 1 < len(turn.attempts) or turn.ended is None


def _result(state: CallState, manner: Manner, left: _Left) -> ResultPart:
    finished = state.finished
    if finished is None:  # only in a journal that was cut: the second belt for "every call has one result"
        return ResultPart(call_id=state.call.call_id, text=manner.phrases["call_lost"], failed=True)
    failed = finished.status != "ok"
    if finished.call_id in left.stubbed:
        size = str(len(finished.text.encode()))
        text = fill(manner.phrases["result_stubbed"], {"tool": finished.tool, "bytes": size})
        return ResultPart(call_id=finished.call_id, text=text, failed=failed)
    still = finished.call_id in left.pictured
    images, notes = shown_pictures(finished, manner.picture, manner.phrases, seen=manner.sees, still=still)
    text = "\n".join((sent_copy(finished.text, finished.tool, manner.phrases), *notes))
    return ResultPart(call_id=finished.call_id, text=text, failed=failed, images=images)


def _posted_text(message: MessagePosted, manner: Manner) -> str:
    if message.kind in ("return", "continue", "notice"):
        return message.text
    if not manner.labelled:
        return _without_address(message)
    sender = message.sender.removeprefix("vp:")
    return _labelled(sender, message.to, message.text, manner)


def _without_address(message: MessagePosted) -> str:
    """Return the text without the mentions it begins with: who is alone with the user need not be told who is meant."""
    text = message.text
    while found := _ADDRESS.match(text):
        if found[1].lower() not in message.to or not text[found.end() :].strip():
            break
        text = text[found.end() :]
    return text


def _added(message: MessagePosted, manner: Manner) -> str:
    """What came in while the turn was running; a notice speaks for itself."""
    return message.text if message.kind == "notice" else fill(manner.phrases["steer"], {"text": message.text})


def _labelled(sender: str, to: Sequence[str], text: str, manner: Manner) -> str:
    return message_block(text, sender=sender, name=manner.names.get(sender, sender), to=to)
