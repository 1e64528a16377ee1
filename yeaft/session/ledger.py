"""Record, apply, show: the one place where the events of a stream are made, in the one order they have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from yeaft.events.codec import Event, Recorded, Transient, id_of
from yeaft.kernel.errors import StoreFailed
from yeaft.store.cost import NOTHING, Cost, cost_of, keep_cost, kept_cost
from yeaft.store.journal import SESSION_STREAM, Append

if TYPE_CHECKING:
    from yeaft.kernel.clock import NowMs
    from yeaft.session.state import SessionState
    from yeaft.store.journal import Journal, Outcome

Listener = Callable[[Recorded | Transient], None]
Reaction = Callable[[Sequence[Recorded]], None]


def nothing(_: Sequence[Recorded] | StoreFailed) -> None:
    """React to nothing."""


def in_envelopes(
    events: Sequence[Event], after: int, epoch: int, ts: int, *, stream: str, src: str, cause: str, corr: str
) -> list[Recorded]:
    """Return events as they are written down at `ts` in a stream whose last one so far has the number `after`."""
    return [
        Recorded(
            id=id_of(event, stream, ts),
            stream=stream,
            seq=seq,
            ts=ts,
            src=src,
            cause=cause,
            corr=corr,
            epoch=epoch,
            event=event,
        )
        for seq, event in enumerate(events, start=after + 1)
    ]


class Purse:
    """What a Session has cost, over all streams of its journal: `before` this process came, and by it."""

    def __init__(self, before: Cost = NOTHING) -> None:
        self._before = before
        self._spent = NOTHING
        self._is_kept = False

    @property
    def cost(self) -> Cost:
        """What the Session has cost in all."""
        return self._before + self._spent

    @property
    def spent_usd(self) -> float:
        """What this process has spent of it, in US dollars; limits are about that."""
        return self._spent.usd

    def pay(self, events: Sequence[Event], journal: Journal, epoch: int) -> None:
        """Take in what replies among `events` cost, which have just been appended; keep the sum if it is another."""
        paid = cost_of(events)
        if self._is_kept and paid == NOTHING:
            return
        if not self._is_kept:  # who owned the Session until this append may have gone on since it was opened here
            self._before = kept_cost(journal) or self._before
            self._is_kept = True
        self._spent += paid
        keep_cost(journal, epoch, self.cost)


class Ledger:
    """Gives events their envelope, folds them and hands them to the journal, all in one step.

    So the state always equals the journal plus what is on its way to it, and two requests built one after the other
    have seen exactly the events with lower `seq`. What is irreversible waits for the commit: callers await it before
    they act, and screens hear of an event only then. `on_failure` hears once why nothing can be written any more.
    """

    def __init__(
        self,
        journal: Journal,
        state: SessionState,
        now_ms: NowMs,
        epoch: int,
        *,
        purse: Purse,
        stream: str = SESSION_STREAM,
    ) -> None:
        self.state = state
        self.epoch = epoch
        self.purse = purse
        self.react: Reaction = nothing
        self.on_failure: Callable[[StoreFailed], None] = nothing
        self._journal = journal
        self._now_ms = now_ms
        self._stream = stream
        self._listeners: list[Listener] = []
        self._failure: StoreFailed | None = None
        self._newest = Append.of_nothing(state.head)

    def listen(self, listener: Listener) -> None:
        """Let `listener` hear every event once it is committed, and every transient one."""
        self._listeners.append(listener)

    def post(self, events: Sequence[Event], *, src: str, cause: str = "", corr: str = "", sync: bool = False) -> Append:
        """Fold `events` and hand them to the journal at once. Raises `StoreFailed` after a failed write."""
        if self._failure is not None:
            raise self._failure
        before, stream, epoch = self.state.head, self._stream, self.epoch
        if not events:
            return Append.of_nothing(before)
        recorded = in_envelopes(events, before, epoch, self._now_ms(), stream=stream, src=src, cause=cause, corr=corr)
        for one in recorded:
            self.state.apply(one)
        append = self._newest = self._journal.append(stream, before, epoch, recorded, sync=sync)
        self.purse.pay(events, self._journal, epoch)
        append.listen(partial(self._heard_back, recorded))
        self.react(recorded)
        return append

    async def flushed(self) -> None:
        """Wait until all that was posted so far is committed; commits keep their order."""
        await self._newest

    def spent_usd(self) -> float:
        """Return what this process has spent so far, over all VPs and their sub-agents."""
        return self.purse.spent_usd

    def show(self, event: Transient) -> None:
        """Let screens see a transient event."""
        for listener in self._listeners:
            listener(event)

    def _heard_back(self, recorded: Sequence[Recorded], outcome: Outcome) -> None:
        if isinstance(outcome, StoreFailed):
            if self._failure is None:
                self._failure = outcome
                self.on_failure(outcome)
            return
        for one in recorded:
            for listener in self._listeners:
                listener(one)
