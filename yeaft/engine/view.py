"""What one VP sees of a conversation: its own turns as its own, everything else as labelled user-side text."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from yeaft.engine.cuts import NOTHING_CUT, Cuts
from yeaft.engine.manner import Manner
from yeaft.engine.memo import Memo, up_to
from yeaft.engine.pictures import Batch, attached_pictures, newest_pictures, pictures_of_message, pictures_of_turn
from yeaft.engine.said import added, words_of
from yeaft.engine.sent_copy import sent_message
from yeaft.engine.state import TurnState
from yeaft.engine.talk import Talk
from yeaft.events.history import AttachmentAdded
from yeaft.events.session import MessagePosted
from yeaft.kernel.messages import PromptMessage
from yeaft.kernel.pattern import Pattern
from yeaft.prompts.fill import fill

PHRASES = (
    "attachment_gone",
    "attachment_left_out",
    "attachment_omitted",
    "call_lost",
    "continue_after_break",
    "continue_after_limit",
    "image_gone",
    "image_left_out",
    "image_omitted",
    "message_cut",
    "repeated_call",
    "reply_broke_off",
    "reply_empty",
    "result_cut",
    "result_stubbed",
    "rounds_dropped",
    "steer",
    "stub_final",
    "stub_log",
    "stub_repeat",
    "turns_dropped",
    "turns_dropped_asked",
    "turns_dropped_search",
    "turns_summed",
    "turns_summed_search",
)
"""The phrases that may stand in a request; settings keep a copy of them."""

_ADDRESS = Pattern("[@\uff20]([A-Za-z0-9_-]+)[\\s,:\uff0c\uff1a]+")
_TAG = Pattern(r"<(?=\s*/?\s*message\b)", re.IGNORECASE)
_IN_ATTRIBUTE = {ord(char): entity for char, entity in (('"', "&quot;"), ("<", "&lt;"), (">", "&gt;"), ("\n", " "))}


class Posted(Struct, frozen=True, kw_only=True, gc=False):
    """A message that this VP was given or could read along, with the files that go with it."""

    message: MessagePosted
    attachments: tuple[AttachmentAdded, ...] = ()


class Told(Struct, frozen=True, kw_only=True, gc=False):
    """What another VP had said when its turn was over."""

    vp_id: str
    to: tuple[str, ...]
    text: str


class Own(Struct, frozen=True, kw_only=True, gc=False):
    """A turn of this VP, with its calls and results."""

    turn: TurnState


class Summed(Struct, frozen=True, kw_only=True, gc=False):
    """What a model has made of this VP's earliest `turns`; `asked` is what the user said in them, the newest first.

    It comes before all other units, and the window says it in front of what is left out.
    """

    text: str
    turns: int
    asked: tuple[str, ...] = ()


Unit = Posted | Told | Own | Summed


def prompt_messages(
    units: Sequence[Unit], manner: Manner, cuts: Cuts = NOTHING_CUT, memo: Memo | None = None
) -> tuple[PromptMessage, ...]:
    """Return the messages of a request.

    Every call is followed by its one result before anything else is said; the last message is the user's side. `memo`
    gives back what was written for an earlier request, where nothing has changed.
    """
    if cuts.pictured is None:
        stubbed = cuts.stubbed
        cuts = replace(cuts, pictured=newest_pictures(pictures_in(units, lambda turn: pictures_of_turn(turn, stubbed))))
    writer = _Writer(manner, cuts, memo or Memo())
    turns = [unit.turn for unit in units if isinstance(unit, Own)]
    question, place = _question(units), 0
    writer.talk.hear(cuts.before)
    for unit in units:
        match unit:
            case Posted():
                writer.hear_posted(unit, is_question=unit.message.message_id == question)
            case Told(vp_id=vp_id, to=to, text=text):
                writer.talk.hear(_labelled(vp_id, to, text, manner))
            case Own():
                writer.add_turn(turns, place)
                place += 1
            case Summed(text=text):
                writer.talk.hear(text)
    return writer.talk.messages()


def _question(units: Sequence[Unit]) -> str:
    last = units[-1] if units else None
    return last.turn.started.message_id if isinstance(last, Own) else ""


def pictures_in(units: Sequence[Unit], of_turn: Callable[[TurnState], Iterable[Batch]]) -> Iterator[Batch]:
    """All pictures of a request, the newest first; `of_turn` are those of an own turn."""
    for unit in reversed(units):
        match unit:
            case Posted(attachments=attachments):
                yield from pictures_of_message(attachments)
            case Told() | Summed():
                pass
            case Own(turn=turn):
                yield from of_turn(turn)


def message_block(text: str, *, sender: str, name: str = "", to: Sequence[str] = ()) -> str:
    """Return `text` in a block that names who spoke to whom; what looks like such a block in it is defused."""
    named = f' name="{name.translate(_IN_ATTRIBUTE)}"' if name not in ("", sender) else ""
    to_whom = " ".join("@" + vp for vp in to)
    addressed = f' to="{to_whom}"' if to_whom else ""
    return f'<message from="{sender}"{named}{addressed}>\n{defused(text)}\n</message>'


def defused(text: str) -> str:
    """`text` in which nothing opens or closes the block of a message."""
    return _TAG.sub("&lt;", text)


class _Writer:
    """Tells a VP what it sees, in `talk`."""

    def __init__(self, manner: Manner, cuts: Cuts, memo: Memo) -> None:
        self.talk = Talk()
        self._manner = manner
        self._cuts = cuts
        self._memo = memo

    def hear_posted(self, posted: Posted, *, is_question: bool) -> None:
        manner, cuts, message = self._manner, self._cuts, posted.message
        images, notes = attached_pictures(
            posted.attachments,
            manner.picture,
            manner.phrases,
            seen=manner.sees,
            still=cuts.pictured or frozenset(),
        )
        if is_question and cuts.question_bytes is not None:
            message = replace(message, text=sent_message(message.text, manner.phrases, cuts.question_bytes))
        self.talk.hear("\n\n".join((posted_text(message, manner), *notes)))
        self.talk.add(images)

    def add_turn(self, turns: Sequence[TurnState], place: int) -> None:
        told, first = up_to(turns, place), 0
        turn = told[-1]
        if place + 1 == len(turns):
            self.talk, first = self._memo.told(
                self.talk, told, self._manner, self._cuts, lambda talk, number: self._add_round(talk, told, number)
            )
        for number in range(first, len(turn.attempts)):
            self._add_round(self.talk, told, number)
        self._tell_left_out(self.talk, turn)
        for one in turn.unseen:
            self.talk.hear(added(one, self._manner))

    def _add_round(self, talk: Talk, turns: Sequence[TurnState], number: int) -> None:
        turn = turns[-1]
        is_out = turn.attempts[number].sent.request_id in self._cuts.left_out
        if not is_out:
            self._tell_left_out(talk, turn)
        talk.left_out += is_out
        talk.add(self._memo.pieces(turns, number, self._manner, self._cuts))

    def _tell_left_out(self, talk: Talk, turn: TurnState) -> None:
        """In a turn that is over nothing is said of it: what matters there is what it came to."""
        count, talk.left_out = talk.left_out, 0
        if count and turn.ended is None:
            talk.hear(fill(self._manner.phrases["rounds_dropped"], {"count": str(count)}))


def posted_text(message: MessagePosted, manner: Manner) -> str:
    """The text of a message as its VP is told it, with who said it to whom where that is not plain."""
    if message.kind in ("return", "continue", "notice"):
        return message.text
    text = words_of(message)
    if not manner.labelled:
        return _without_address(text, message.to)
    sender = message.sender.removeprefix("vp:")
    return _labelled(sender, message.to, text, manner)


def _without_address(text: str, to: Sequence[str]) -> str:
    """Return the text without the mentions it begins with: who is alone with the user need not be told who is meant."""
    while found := _ADDRESS.match(text):
        if found[1].lower() not in to or not text[found.end() :].strip():
            break
        text = text[found.end() :]
    return text


def _labelled(sender: str, to: Sequence[str], text: str, manner: Manner) -> str:
    return message_block(text, sender=sender, name=manner.names.get(sender, sender), to=to)
