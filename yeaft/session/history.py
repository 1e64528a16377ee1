"""Who sees what: the units of a conversation from one VP's side, chosen by cause rather than by time of arrival."""

from collections import deque
from collections.abc import Sequence

from msgspec import Struct

from yeaft.engine.state import TurnState
from yeaft.engine.view import Own, Posted, Told, Unit
from yeaft.events.session import MessagePosted
from yeaft.session.state import DELIVERED_KINDS, SessionState


class _Heard(Struct, frozen=True, kw_only=True):
    """A unit from outside, where it stands in the journal and which root it goes back to.

    `to_answer` is the id of a message that this VP answers in a turn of its own.
    """

    seq: int
    root_seq: int
    unit: Unit
    to_answer: str = ""


def units_for(state: SessionState, turn_id: str) -> tuple[Unit, ...]:
    """Return what the VP of this turn sees, oldest first, with the turn itself last.

    A turn sees what was there when it started and goes back to its own root or an earlier one; what later roots
    caused is left out, so a slow VP never answers a question that it has not been asked yet. Own turns stay whole:
    what others said meanwhile stands before the own turn that could first see it, and what was said to this VP
    before the turn that answers it.
    """
    turn = state.turns[turn_id]
    vp_id, limit = turn.started.vp_id, state.started_at[turn_id]
    root = state.root_seq(turn.started.message_id)
    mine = [
        own
        for own_id, own in state.turns.items()
        if own.started.vp_id == vp_id
        and state.started_at[own_id] <= limit
        and state.root_seq(own.started.message_id) <= root
    ]
    heard = deque(one for one in _heard(state, vp_id) if one.seq < limit and one.root_seq <= root)
    pending: list[_Heard] = []
    units: list[Unit] = []
    for own in mine:
        own_limit = state.started_at[own.started.turn_id]
        while heard and heard[0].seq < own_limit:
            pending.append(heard.popleft())
        seen, pending = _parted(pending, own.started.message_id, state.root_seq(own.started.message_id))
        units += [one.unit for one in seen]
        units.append(Own(turn=own))
    return tuple(units)


def _parted(pending: Sequence[_Heard], message_id: str, root_seq: int) -> tuple[list[_Heard], list[_Heard]]:
    """Part what stands before a turn that answers `message_id` and goes back to `root_seq` from what has to wait."""
    seen: list[_Heard] = []
    waiting: list[_Heard] = []
    for one in pending:
        is_seen = one.root_seq <= root_seq and one.to_answer in ("", message_id)
        (seen if is_seen else waiting).append(one)
    return seen, waiting


def _heard(state: SessionState, vp_id: str) -> list[_Heard]:
    found = [
        _Heard(
            seq=state.posted_at[m.message_id],
            root_seq=state.root_seq(m.message_id),
            unit=Posted(message=m),
            to_answer=m.message_id if vp_id in m.to and m.kind in DELIVERED_KINDS else "",
        )
        for m in state.messages.values()
        if _reaches(m, vp_id)
    ]
    for turn_id, seq in state.ended_at.items():
        told = _told(state, state.turns[turn_id], vp_id)
        if told is not None:
            root_seq = state.root_seq(state.turns[turn_id].started.message_id)
            found.append(_Heard(seq=seq, root_seq=root_seq, unit=told))
    return sorted(found, key=lambda one: one.seq)


def _reaches(message: MessagePosted, vp_id: str) -> bool:
    if message.turn_id or message.sender == f"vp:{vp_id}":
        return False  # what came in during a turn stands inside that turn
    return message.kind not in ("return", "continue", "notice") or vp_id in message.to


def _told(state: SessionState, turn: TurnState, vp_id: str) -> Told | None:
    started = turn.started
    text = turn.final_text
    if started.vp_id == vp_id or not text.strip():
        return None
    asker, asking_turn_id = _asked_by(state, turn)
    if asker == vp_id and state.return_to(asking_turn_id) is not None:
        return None  # it comes back in the one combined answer
    return Told(vp_id=started.vp_id, to=(asker,) if asker else (), text=text)


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
