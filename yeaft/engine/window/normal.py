"""The last gate before a request is encoded: whatever came before it, the messages are such as every provider takes."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from yeaft.kernel.grown import Grown
from yeaft.kernel.messages import (
    AssistantMessage,
    CallItem,
    OpaqueItem,
    Part,
    PromptMessage,
    ResultPart,
    TextItem,
    TextPart,
    ThinkingItem,
    UserMessage,
)

MISSING = "The result of this call is not known."
NOTHING_SAID = "(nothing was said)"


class Reading:
    """Messages read one after the other: whether nothing in them has to be mended so far."""

    def __init__(self) -> None:
        self.is_sound = True
        self._seen: set[str] = set()
        self._waiting: list[str] = []
        self._was_user = False

    def add(self, message: PromptMessage) -> None:
        """Read another message."""
        self.is_sound = self.is_sound and self.takes(message)
        self._was_user = isinstance(message, UserMessage)
        self._waiting = [] if isinstance(message, UserMessage) else [call.call_id for call in message.calls]
        self._seen.update(self._waiting)

    def takes(self, message: PromptMessage) -> bool:
        """Whether a message may come next as it is."""
        if isinstance(message, UserMessage):
            return not self._was_user and bool(message.parts) and _are_answers(message.parts, self._waiting)
        call_ids = [call.call_id for call in message.calls]
        are_new = len(set(call_ids)) == len(call_ids) and self._seen.isdisjoint(call_ids)
        return not self._waiting and are_new and (bool(call_ids) or _has_words(message))


def normalised(messages: tuple[PromptMessage, ...], known: Grown[Reading] | None = None) -> tuple[PromptMessage, ...]:
    """The messages with every call followed by its one result before anything else, and the user's side last.

    Results without a call, second results, calls that repeat an id and replies with nothing but thinking go, as do
    empty messages; a call without a result gets one that says so; what the user's side says in a row becomes one
    message. Sound messages come back as they are; doing it twice is doing it once. `known` is what was read before.
    """
    if is_sound(messages, known):
        return messages
    sound: list[PromptMessage] = []
    seen: set[str] = set()
    waiting: dict[str, None] = {}
    for message in messages:
        if isinstance(message, UserMessage):
            parts = tuple(_parts(message.parts, waiting))
            _add_user(sound, parts if parts != message.parts else message.parts, message)
            continue
        said = _said(message, seen)
        if said is None:
            continue
        _answer(sound, waiting)
        sound.append(said)
        waiting.update((call.call_id, None) for call in said.calls)
        seen.update(call.call_id for call in said.calls)
    _answer(sound, waiting)
    if not sound or (isinstance(sound[-1], AssistantMessage) and not _is_paused(sound[-1])):
        sound.append(UserMessage(parts=(TextPart(text=NOTHING_SAID),)))
    return tuple(sound)


def is_sound(messages: tuple[PromptMessage, ...], known: Grown[Reading] | None = None) -> bool:
    """Whether nothing has to be mended."""
    if not messages:
        return False
    last = messages[-1]
    reading = (known or Grown()).of(messages[:-1], Reading, lambda reading, place: reading.add(messages[place]))
    return reading.is_sound and reading.takes(last) and (isinstance(last, UserMessage) or _is_paused(last))


def _are_answers(parts: Sequence[Part], waiting: Sequence[str]) -> bool:
    """Whether the results that are waited for come first, each once, and nothing else is blank or a result."""
    count = len(waiting)
    answered = {part.call_id for part in parts[:count] if isinstance(part, ResultPart)}
    return (
        len(answered) == count
        and answered.issuperset(waiting)
        and not any(
            isinstance(part, ResultPart) or (isinstance(part, TextPart) and not part.text.strip())
            for part in parts[count:]
        )
    )


def _has_words(message: AssistantMessage) -> bool:
    return any(
        isinstance(item, OpaqueItem) or (isinstance(item, TextItem) and item.text.strip()) for item in message.items
    )


def _parts(parts: Sequence[Part], waiting: dict[str, None]) -> Iterator[Part]:
    """The results that calls wait for, then those that do not come, then everything else that is not blank."""
    for part in parts:
        if isinstance(part, ResultPart) and part.call_id in waiting:
            del waiting[part.call_id]
            yield part
    yield from _missing(waiting)
    for part in parts:
        if not isinstance(part, ResultPart) and not (isinstance(part, TextPart) and not part.text.strip()):
            yield part


def _missing(waiting: dict[str, None]) -> list[Part]:
    lost: list[Part] = [ResultPart(call_id=call_id, text=MISSING, failed=True) for call_id in waiting]
    waiting.clear()
    return lost


def _answer(sound: list[PromptMessage], waiting: dict[str, None]) -> None:
    """Give the calls of the last reply the results that never came."""
    if waiting:
        sound.append(UserMessage(parts=tuple(_missing(waiting))))


def _add_user(sound: list[PromptMessage], parts: tuple[Part, ...], message: UserMessage) -> None:
    last = sound[-1] if sound else None
    if not parts:
        return
    if isinstance(last, UserMessage):
        sound[-1] = UserMessage(parts=(*last.parts, *parts))
    else:
        sound.append(message if parts == message.parts else UserMessage(parts=parts))


def _said(message: AssistantMessage, seen: set[str]) -> AssistantMessage | None:
    """A reply as it can go back; None if there is nothing in it."""
    ids = [call.call_id for call in message.calls]
    if len(set(ids)) < len(ids) or not seen.isdisjoint(ids):
        message = _without_repeats(message, seen)
    return message if message.calls or _has_words(message) else None


def _without_repeats(message: AssistantMessage, seen: set[str]) -> AssistantMessage:
    """The reply without calls whose id was there before; the places of the others are counted anew."""
    known = set(seen)
    places: dict[int, int] = {}
    for index, call in enumerate(message.calls):
        if call.call_id not in known:
            places[index] = len(places)
            known.add(call.call_id)
    items = (
        replace(item, index=places[item.index]) if isinstance(item, CallItem) else item
        for item in message.items
        if not isinstance(item, CallItem) or item.index in places
    )
    return replace(message, items=tuple(items), calls=tuple(message.calls[index] for index in places))


def _is_paused(message: AssistantMessage) -> bool:
    """Whether a provider paused within a tool of its own, so that the reply goes back as it is."""
    items = [item for item in message.items if not isinstance(item, ThinkingItem)]
    return bool(items) and isinstance(items[-1], OpaqueItem) and not message.calls
