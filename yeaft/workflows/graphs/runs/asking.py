"""The ids of what steps put to the human: the same for the same step, so that an answer is found again later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from yeaft.kernel import ids

if TYPE_CHECKING:
    from yeaft.session.state import SessionState


def tool_call_id(act_id: str, attempt: int) -> str:
    """Return the id of the call that one attempt at a step makes which is done by a tool."""
    return ids.derive("c_", act_id, "tool", attempt)


def put_before(state: SessionState, *place: str | int) -> Iterator[str]:
    """Yield the ids under which the question of this place was put so far, oldest first."""
    number = 0
    while (ask_id := _numbered(place, number)) in state.asked:
        yield ask_id
        number += 1


def open_ask_id(state: SessionState, *place: str | int) -> str:
    """Return the id of the question of this place: that of the one which is open, else a new one.

    A run that was left has withdrawn its questions, and nothing can be opened twice.
    """
    number = 0
    while (ask_id := _numbered(place, number)) in state.asked and ask_id not in state.open_asks:
        number += 1
    return ask_id


def _numbered(place: tuple[str | int, ...], number: int) -> str:
    return ids.derive("k_", *place, *((number,) if number else ()))
