"""Which place of its past a Session is to go back to: a message, a turn, a checkpoint, or the place before a rewind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.events.session import MessagePosted
from yeaft.kernel.errors import BadData, NotFound
from yeaft.kernel.nearness import nearest
from yeaft.session.past import Kept

if TYPE_CHECKING:
    from yeaft.session.past import Gone
    from yeaft.session.state import SessionState

LEAST_PREFIX = 4
NAME_CHARS = 60
ID_PREFIXES = ("m_", "t_", "x_")


class Target(Struct, frozen=True, kw_only=True):
    """A place to go back to: the conversation as it was up to `to_seq`, the files as they were from `files_from` on.

    `message` is the first message of the user that counts no more, if the place is before one.
    """

    to_seq: int
    files_from: int
    message: MessagePosted | None = None
    checkpoint: Kept | None = None


def target_of(state: SessionState, word: str) -> Target:
    """Return the place that `word` means, in the conversation as it counts now.

    It is the id of a message or turn or the beginning of one, the number of a message of the user (the first is 1), or
    the id or name of a checkpoint; empty means the last message of the user. Going back to a message means to before
    it. A checkpoint that was taken during a turn takes the conversation to before the message that turn goes back to.
    Raises `NotFound` or `BadData`.
    """
    if not word or word == "last":
        messages = said(state)
        if not messages:
            raise NotFound("Nothing has been said in this Session yet, so there is nothing to go back to.")
        return _before(state, messages[-1])
    if (kept := _checkpoint(state, word)) is not None:
        return _at(state, kept)
    return _before(state, message_of(state, word))


def message_of(state: SessionState, word: str) -> MessagePosted:
    """Return the message of the user that `word` leads to: its id, its number, or the id of anything it caused."""
    if word.isdecimal():
        messages = said(state)
        if not 1 <= int(word) <= len(messages):
            raise NotFound(f"There is no message {word}; you have sent {len(messages)} so far.")
        return messages[int(word) - 1]
    known = {message_id: message.root_id for message_id, message in state.messages.items()}
    for turn_id, turn in state.turns.items():
        known[turn_id] = known[turn.started.message_id]
    fitting = {root for key, root in known.items() if key == word}
    if not fitting and len(word) >= LEAST_PREFIX:
        fitting = {root for key, root in known.items() if key.startswith(word)}
    if len(fitting) > 1:
        raise NotFound(f"'{word}' fits {len(fitting)} messages; give more of the id.")
    if not fitting or (root_id := fitting.pop()) not in state.messages:
        names = [kept.event.name for kept in state.past.checkpoints if kept.event.name]
        near = nearest(word, names)
        remedy = f"Did you mean '{near}'?" if near else "`yeaft session show` lists messages, `checkpoints` the rest."
        raise NotFound(f"There is no message, turn or checkpoint '{word}' here. {remedy}")
    return state.messages[root_id]


def said(state: SessionState) -> list[MessagePosted]:
    """What the user has said, as far as it counts; their numbers are their places here, from 1."""
    return [m for m in state.messages.values() if m.kind == "user" and not state.is_void(m.message_id)]


def to_take_back(state: SessionState) -> Gone:
    """Return the rewind that `redo` takes back. Raises `BadData` if there is none."""
    if not state.past.rewinds:
        raise BadData(
            "There is no rewind to take back: none was made, or something was said since. "
            "`yeaft session checkpoints` lists what can still be gone back to."
        )
    return state.past.rewinds[-1]


def check_name(state: SessionState, name: str) -> None:
    """Raise `BadData` for what cannot be the name of a checkpoint, because it would be taken for something else."""
    if not name or name != name.strip() or len(name) > NAME_CHARS or not name.isprintable():
        seen = "characters that can be seen, and no space around them"
        raise BadData(f"The name of a checkpoint has 1 to {NAME_CHARS} {seen}.")
    if name.isdecimal() or name.startswith(ID_PREFIXES) or name == "last":
        raise BadData(f"'{name}' looks like a number or an id; give the checkpoint another name.")
    if any(kept.event.name == name for kept in state.past.checkpoints):
        raise BadData(f"There is a checkpoint '{name}' already; give this one another name.")


def _checkpoint(state: SessionState, word: str) -> Kept | None:
    kept = state.past.checkpoints
    fitting = [one for one in kept if word in (one.event.checkpoint_id, one.event.name)]
    if not fitting and word.startswith("x_") and len(word) >= LEAST_PREFIX:
        fitting = [one for one in kept if one.event.checkpoint_id.startswith(word)]
    if len(fitting) > 1:
        raise NotFound(f"'{word}' fits {len(fitting)} checkpoints; give more of the id.")
    return fitting[0] if fitting else None


def _before(state: SessionState, message: MessagePosted) -> Target:
    seq = state.posted_at[message.message_id]
    return Target(to_seq=seq - 1, files_from=seq, message=message)


def _at(state: SessionState, kept: Kept) -> Target:
    turn = state.turns.get(state.turn_of_call(kept.event.call_id))
    if turn is None:
        return Target(to_seq=kept.seq, files_from=kept.seq, checkpoint=kept)
    root = state.messages[state.messages[turn.started.message_id].root_id]
    to_seq = state.posted_at[root.message_id] - 1
    return Target(to_seq=to_seq, files_from=kept.seq, message=root, checkpoint=kept)
