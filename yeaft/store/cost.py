"""What a Session has cost in all: a sum over every stream of its journal, kept there so that nobody has to count."""

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from yeaft.events.codec import Event, UnknownEvent
from yeaft.events.turn import ReplyCompleted
from yeaft.store.journal import SESSION_STREAM, Journal, Snapshot

PROJECTOR = "cost"
VERSION = 1


class Cost(Struct, frozen=True, kw_only=True):
    """US dollars for the replies whose price is known; `unpriced` are those without one, so that it is the least."""

    usd: float = 0.0
    unpriced: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(usd=self.usd + other.usd, unpriced=self.unpriced + other.unpriced)


NOTHING = Cost()


class _Kept(Struct, frozen=True, kw_only=True):
    """The sum as the owner with this `epoch` keeps it."""

    epoch: int
    cost: Cost


def cost_of(events: Iterable[Event | UnknownEvent]) -> Cost:
    """What the replies among `events` cost together."""
    costs = [event.cost_usd for event in events if isinstance(event, ReplyCompleted)]
    known = [cost for cost in costs if cost is not None]
    return Cost(usd=sum(known), unpriced=len(costs) - len(known)) if costs else NOTHING


def keep_cost(journal: Journal, epoch: int, cost: Cost) -> None:
    """Have the sum written with what was appended in this tick of the loop, in the same transaction.

    An owner does so with the first thing that it appends, and with every reply: then the sum that has the epoch of the
    journal is right wherever its owner was killed.
    """
    state = msgspec.json.encode(_Kept(epoch=epoch, cost=cost))
    # The sum is one over all streams, so no place in this one says how far it goes; the epoch in it does.
    journal.put_snapshot(SESSION_STREAM, Snapshot(projector=PROJECTOR, version=VERSION, seq=0, state=state))


def read_cost(journal: Journal) -> Cost:
    """What a Session has cost, its sub-agents, runs and summaries included. Raises `StoreFailed`.

    Where the last owner has kept no sum (an import, a copy that was cut or mended, a yeaft that knew of none), all
    streams are read.
    """
    kept = kept_cost(journal)
    if kept is not None:
        return kept
    return sum((cost_of(one.event for one in journal.read(stream)) for stream in journal.streams()), NOTHING)


def kept_cost(journal: Journal) -> Cost | None:
    """The sum that the last owner has kept; None if it has kept none. Raises `StoreFailed`."""
    kept = _kept(journal.get_snapshot(SESSION_STREAM, PROJECTOR))
    return kept.cost if kept is not None and kept.epoch == journal.epoch(SESSION_STREAM) else None


def _kept(snapshot: Snapshot | None) -> _Kept | None:
    if snapshot is None or snapshot.version != VERSION:
        return None
    try:
        return msgspec.json.decode(snapshot.state, type=_Kept)
    except msgspec.DecodeError:  # damaged, and there is something to make it from
        return None
