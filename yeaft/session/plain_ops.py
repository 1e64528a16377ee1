"""Ops that are done by recording one event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.events.ops import Rename, SetRoster, StoreArtifact
from yeaft.events.session import SessionRenamed
from yeaft.kernel.text import without_surrogates
from yeaft.session.addressing import chosen_roster

if TYPE_CHECKING:
    from yeaft.events.codec import Event
    from yeaft.vp.library import Library

PlainOp = Rename | SetRoster | StoreArtifact


def event_of(op: PlainOp, library: Library) -> Event:
    """Return the event that `op` asks for. Raises `YeaftError` for a roster with somebody whom nobody knows."""
    match op:
        case Rename(name=name):
            return SessionRenamed(name=without_surrogates(name))
        case SetRoster():
            return chosen_roster(op, library)
        case StoreArtifact(stored=stored):
            return stored
