"""Who sees what: the units of a conversation from one VP's side, chosen by cause rather than by time of arrival."""

from itertools import islice

from msgspec import Struct

from yeaft.engine.state import TurnState
from yeaft.engine.view import Own, Posted, Summed, Told, Unit
from yeaft.engine.window.goals import MOST_LINES, asked_in
from yeaft.events.history import AttachmentAdded
from yeaft.events.session import MessagePosted
from yeaft.session.state import DELIVERED_KINDS, SessionState


class _Heard(Struct, frozen=True, gc=False):
    """A unit from outside, where it stands in the journal and which root it goes back to.

    `to_answer` is the id of a message that this VP answers in a turn of its own.
    """

    seq: int
    root_seq: int
    unit: Unit
    to_answer: str = ""


def units_for(state: SessionState, turn_id: str) -> tuple[Unit, ...]:
    """Return what the VP of this turn sees, oldest first, with the turn itself last; see `units_before`."""
    return (*units_before(state, turn_id), Own(turn=state.turns[turn_id]))


def units_before(state: SessionState, turn_id: str) -> tuple[Unit, ...]:
    """Return what the VP of this turn sees of what came before it, oldest first. It stays the same while the turn runs.

    A turn sees what was there when it started and goes back to its own root or an earlier one; what later roots
    caused is left out, so a slow VP never answers a question that it has not been asked yet. Own turns stay whole:
    what others said meanwhile stands before the own turn that could first see it, and what was said to this VP
    before the turn that answers it.
    """
    turn = state.turns[turn_id]
    return _units(state, turn.started.vp_id, state.started_at[turn_id], turn)


def units_next(state: SessionState, vp_id: str) -> tuple[Unit, ...]:
    """Return what a VP would see if it were given another message now, without that message."""
    return _units(state, vp_id, state.head + 1, None)


class _Sight:
    """How far a VP sees: what was there before `limit` and goes back to `root` or an earlier one, and is not void."""

    def __init__(self, state: SessionState, vp_id: str, limit: int, root: int) -> None:
        self.state = state
        self.vp_id = vp_id
        self.limit = limit
        self.root = root
        self._voids = state.past.voids
        self.has_voids = bool(self._voids.changes)

    def reaches(self, root_seq: int) -> bool:
        return root_seq <= self.root and not (self.has_voids and self.hides(root_seq))

    def hides(self, root_seq: int) -> bool:
        return self._voids.hide(root_seq, self.limit)


def _units(state: SessionState, vp_id: str, limit: int, turn: TurnState | None) -> tuple[Unit, ...]:
    """What `vp_id` sees before `turn`, which started at `limit`; None for one that is still to come."""
    sight = _Sight(state, vp_id, limit, state.root_seq(turn.started.message_id) if turn else limit)
    heard, place = _heard(sight), 0
    end = len(heard)
    pending: list[_Heard] = []
    units: list[Unit] = []
    for own_id in state.turns_of.get(vp_id, ()):
        own, own_limit = state.turns[own_id], state.started_at[own_id]
        message_id = own.started.message_id
        root_seq = state.root_seq(message_id)
        if own is not turn and (own_limit > limit or not sight.reaches(root_seq)):
            continue
        while place < end and heard[place].seq < own_limit:
            pending.append(heard[place])
            place += 1
        if len(pending) == 1 and pending[0].to_answer == message_id:  # as it mostly is
            units.append(pending.pop().unit)
        else:
            seen, pending = _parted(pending, message_id, root_seq)
            units += [one.unit for one in seen]
        units.append(Own(turn=own))
    if turn is None:
        return _summed_up(sight, (*units, *(one.unit for one in (*pending, *heard[place:]))))
    return _summed_up(sight, tuple(units[:-1]))


def _summed_up(sight: _Sight, units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """The same with the newest summary that holds in place of what it was made of."""
    if not sight.state.past.compactions:
        return units
    places = {unit.turn.started.turn_id: place for place, unit in enumerate(units) if isinstance(unit, Own)}
    for one in sight.state.past.compactions_of(sight.vp_id, sight.limit):
        place = places.get(one.turn_ids[-1])
        if place is not None:  # else it is about later causes than this turn goes back to
            asked = tuple(islice(asked_in(units[: place + 1], frozenset(), frozenset()), MOST_LINES))
            return (Summed(text=one.text, turns=len(one.turn_ids), asked=asked), *units[place + 1 :])
    return units


def _parted(pending: list[_Heard], message_id: str, root_seq: int) -> tuple[list[_Heard], list[_Heard]]:
    """Part what stands before a turn that answers `message_id` and goes back to `root_seq` from what has to wait."""
    seen: list[_Heard] = []
    waiting: list[_Heard] = []
    for one in pending:
        is_seen = one.root_seq <= root_seq and one.to_answer in ("", message_id)
        (seen if is_seen else waiting).append(one)
    return seen, waiting


def _heard(sight: _Sight) -> list[_Heard]:
    """What came from outside as far as it can be seen, oldest first."""
    state, vp_id, limit, root = sight.state, sight.vp_id, sight.limit, sight.root
    posted_at, root_at, has_voids = state.posted_at, state.root_at, sight.has_voids
    found: list[_Heard] = []
    for key, message in state.messages.items():  # there may be tens of thousands: what can be is asked without a call
        seq, root_seq = posted_at[key], root_at[key]
        if seq >= limit or root_seq > root or (has_voids and sight.hides(root_seq)):
            continue
        if (message.kind != "user" or message.turn_id) and not _reaches(message, vp_id):
            continue
        attached = _attached(state, message) if message.attachments else ()
        to_answer = key if vp_id in message.to and message.kind in DELIVERED_KINDS else ""
        found.append(_Heard(seq, root_seq, Posted(message=message, attachments=attached), to_answer))
    from_peers = _from_peers(sight)
    return sorted((*found, *from_peers), key=lambda one: one.seq) if from_peers else found


def _from_peers(sight: _Sight) -> list[_Heard]:
    state, found = sight.state, list[_Heard]()
    for vp_id, turn_ids in state.turns_of.items():
        for turn_id in turn_ids if vp_id != sight.vp_id else ():
            turn, seq = state.turns[turn_id], state.ended_at.get(turn_id, sight.limit)
            root_seq = state.root_seq(turn.started.message_id)
            if seq < sight.limit and sight.reaches(root_seq) and (told := _told(sight, turn)) is not None:
                found.append(_Heard(seq, root_seq, told))
    return found


def _attached(state: SessionState, message: MessagePosted) -> tuple[AttachmentAdded, ...]:
    found = (state.attachments.get(one) for one in message.attachments)
    return tuple(one for one in found if one is not None)


def _reaches(message: MessagePosted, vp_id: str) -> bool:
    if message.turn_id or message.sender == f"vp:{vp_id}":
        return False  # what came in during a turn stands inside that turn
    return message.kind not in ("return", "continue", "notice") or vp_id in message.to


def _told(sight: _Sight, turn: TurnState) -> Told | None:
    text = turn.final_text
    if not text.strip():
        return None
    state = sight.state
    asker, asking_turn_id = _asked_by(state, turn)
    back = state.return_to(asking_turn_id) if asker == sight.vp_id else None
    if back is not None and state.posted_at[back.message_id] < sight.limit:
        return None  # it has come back in the one combined answer
    return Told(vp_id=turn.started.vp_id, to=(asker,) if asker else (), text=text)


def _asked_by(state: SessionState, turn: TurnState) -> tuple[str, str]:
    """Return the VP that handed this on, past returns from further hand-offs, and its turn; empty for the user."""
    message = state.messages[turn.started.message_id]
    while message.kind == "return":
        handing_on = state.turns.get(state.turn_of_call(message.call_id))
        if handing_on is None:
            return "", ""  # lost with a damaged part of the journal
        message = state.messages[handing_on.started.message_id]
    if message.kind != "forward":
        return "", ""
    return message.sender.removeprefix("vp:"), state.turn_of_call(message.call_id)
