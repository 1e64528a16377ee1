"""What a run asks of whoever does its steps, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec import Struct

from yeaft.events.graph import StepStatus
from yeaft.kernel.usage import Usage
from yeaft.store.journal import Append
from yeaft.workflows.graphs.executor.activation import Activation
from yeaft.workflows.graphs.graph import RetryReason, Step

Pay = Callable[[Usage, float | None], None]
"""Takes note of what something has used, and what it has cost in US dollars if that is known."""


def _never() -> bool:
    return False


def _nowhere(usage: Usage, cost_usd: float | None) -> None:
    del usage, cost_usd


class Work(Struct, frozen=True, kw_only=True):
    """One attempt at one visit of a step. `names` is what its templates can speak of.

    `stream` is where in the journal what happens is kept; with `is_resumed` an earlier process has begun there.
    `cost_left_usd` is what it may cost, None for no limit. `artifacts` are those of the steps before it.
    `is_unwanted` says whether nobody waits for it any more, `pay` takes what an attempt has cost that is cut short.
    `begun` is the record that it began, which has to be on disk before anything is done that could not be done again.
    """

    run_id: str
    act: Activation
    step: Step
    attempt: int
    stream: str
    names: Mapping[str, Any]
    is_resumed: bool = False
    cost_left_usd: float | None = None
    artifacts: tuple[str, ...] = ()
    is_unwanted: Callable[[], bool] = _never
    pay: Pay = _nowhere
    begun: Append | None = None

    async def has_begun(self) -> None:
        """Wait until it is on disk that this began. Raises `StoreFailed`."""
        if self.begun is not None:
            await self.begun


class Done(Struct, frozen=True, kw_only=True):
    """What came of an attempt. `reason` says why it failed, as far as that matters for trying again.

    What `may_have_happened` though it failed is never tried again. `left_out_bytes` is how much of what a command
    printed is not in the value, but in the file `log`.
    """

    status: StepStatus = "ok"
    value: Any = None
    error: str = ""
    reason: RetryReason = "any"
    artifacts: tuple[str, ...] = ()
    usage: Usage = Usage()
    cost_usd: float | None = None
    may_have_happened: bool = False
    left_out_bytes: int = 0
    log: str = ""


class NeedsHuman(Exception):
    """Nobody is there to answer what a step asks; the run can go on once somebody is."""


class Doer(Protocol):
    """Does steps. Cancelling what it does ends it in good order."""

    async def do(self, work: Work) -> Done:
        """Do what a step is for; whether it `has_begun` is to be awaited first. Raises `NeedsHuman`, `StoreFailed`."""
        ...
