"""Record, apply, show for one run of a graph: its events get their envelope, are committed, and only then acted on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from yeaft.events.codec import Event, Recorded
from yeaft.kernel.errors import StoreFailed
from yeaft.session.ledger import in_envelopes

if TYPE_CHECKING:
    from yeaft.kernel.clock import NowMs
    from yeaft.store.journal import Append, Journal, Outcome
    from yeaft.workflows.graphs.executor.execution import Execution

STREAM = "graph/"
"""What the names of the streams begin with in which runs are kept; the rest is the run's id."""


class RunLedger:
    """The one writer of a run's stream. `execution` is what its events add up to.

    `failure` is why nothing can be written any more; `on_failure` is called when that has come to be.
    """

    def __init__(self, journal: Journal, execution: Execution, epoch: int, now_ms: NowMs) -> None:
        self.execution = execution
        self.epoch = epoch
        self.journal = journal
        self.stream = STREAM + execution.run_id
        self.failure: StoreFailed | None = None
        self.on_failure: Callable[[], None] = _nothing
        self._now_ms = now_ms
        self._head = 0
        self._loaded_epoch = epoch
        self._listeners: list[Callable[[Recorded], None]] = []

    @property
    def is_inherited(self) -> bool:
        """Whether another owner of the Session wrote last in this run."""
        return self._loaded_epoch < self.epoch

    def listen(self, listener: Callable[[Recorded], None]) -> None:
        """Let `listener` hear every event once it is committed."""
        self._listeners.append(listener)

    def load(self) -> None:
        """Fold what the journal has of the run."""
        for recorded in self.journal.read(self.stream, self._head):
            self._head = recorded.seq
            self._loaded_epoch = recorded.epoch
            self.execution.apply(recorded)

    def post(self, *events: Event, src: str = "engine", cause: str = "", sync: bool = False) -> Append:
        """Fold events and hand them to the journal at once; awaiting what this returns waits for them to be there.

        Commits keep their order, and many may be one; see `Journal.append`. Raises `StoreFailed` after a failed write.
        """
        if self.failure is not None:
            raise self.failure
        before, stream, epoch, run_id = self._head, self.stream, self.epoch, self.execution.run_id
        recorded = in_envelopes(events, before, epoch, self._now_ms(), stream=stream, src=src, cause=cause, corr=run_id)
        self._head += len(recorded)
        self._loaded_epoch = epoch
        for one in recorded:
            self.execution.apply(one)
        append = self.journal.append(stream, before, epoch, recorded, sync=sync)
        append.listen(partial(self._heard_back, recorded))
        return append

    def fail(self, error: StoreFailed) -> None:
        """Let nothing be written any more, because it would be refused."""
        self.failure = self.failure or error
        self.on_failure()

    def _heard_back(self, recorded: Sequence[Recorded], outcome: Outcome) -> None:
        if isinstance(outcome, StoreFailed):
            self.fail(outcome)
            return
        for one in recorded:
            for listener in self._listeners:
                listener(one)


def _nothing() -> None:
    """Do nothing."""
