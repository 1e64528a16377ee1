"""A VP's place in a Session: one turn at a time, and whatever happens to it, the turn is closed."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from yeaft.engine.calls import Hands
from yeaft.engine.closing import Ending, closing_events
from yeaft.engine.turn import run_turn
from yeaft.engine.view import Own
from yeaft.events.call import CallFinished, TodoChanged
from yeaft.events.session import MessagePosted
from yeaft.events.turn import Failure, ReplyCheckpointed, ReplyCompleted
from yeaft.kernel.cancelling import is_being_cancelled
from yeaft.kernel.errors import StoreFailed, YeaftError
from yeaft.session.history import units_before

if TYPE_CHECKING:
    from yeaft.engine.decide import Rules
    from yeaft.engine.state import TurnState
    from yeaft.engine.view import Unit
    from yeaft.events.codec import Event, Transient
    from yeaft.events.ops import SetModel
    from yeaft.kernel.clock import NowMs
    from yeaft.llm.tokens import Factors
    from yeaft.session.ledger import Ledger
    from yeaft.session.minds import VpMind
    from yeaft.session.reopening import Inquiry
    from yeaft.store.journal import Append

logger = logging.getLogger(__name__)


class SeatLog:
    """One turn's place in the Session's ledger; see `engine.turn.TurnLog`."""

    def __init__(self, ledger: Ledger, turn_id: str) -> None:
        self._ledger = ledger
        self._turn_id = turn_id
        self._before: tuple[Unit, ...] | None = None

    @property
    def state(self) -> TurnState:
        """The turn's fold."""
        return self._ledger.state.turns[self._turn_id]

    def units(self) -> tuple[Unit, ...]:
        """Return what the turn's VP sees; what came before the turn is looked for once."""
        if self._before is None:
            self._before = units_before(self._ledger.state, self._turn_id)
        return (*self._before, Own(turn=self.state))

    def factors(self, model: str) -> Factors:
        """Return what estimates for a model have to be multiplied by."""
        return self._ledger.state.factors(self._turn_id, model)

    def post(self, *events: Event, sync: bool = False) -> Append:
        """Record events of this turn."""
        started = self.state.started
        corr = self._ledger.state.messages[started.message_id].root_id
        src = _source(events[0], started.vp_id) if events else "engine"
        return self._ledger.post(events, src=src, cause=started.message_id, corr=corr, sync=sync)

    def show(self, event: Transient) -> None:
        """Show a transient event."""
        self._ledger.show(event)

    def spent_usd(self) -> float:
        """Return what the Session has spent."""
        return self._ledger.spent_usd()


class Seat:
    """Runs the turns of one VP, one after another."""

    def __init__(
        self, *, ledger: Ledger, mind: VpMind, hands: Hands, rules: Rules, inquiry: Inquiry, now_ms: NowMs
    ) -> None:
        self._ledger = ledger
        self._mind = mind
        self._hands = hands
        self._rules = rules
        self._inquiry = inquiry
        self._now_ms = now_ms
        self._turn: asyncio.Task[None] | None = None
        self._stop = Ending(outcome="aborted")

    def interrupt(self, ending: Ending) -> bool:
        """Stop the running turn at once; False if there is none."""
        if self._turn is None or self._turn.done():
            return False
        self._stop = ending
        self._turn.cancel()
        return True

    def change_model(self, op: SetModel) -> None:
        """Use another model or effort from the next request on."""
        self._mind.change(op)

    async def work(self, turn_id: str) -> None:
        """Carry one started turn to its end. Never raises for what goes wrong in it, so that peers go on.

        An interrupt and a bug end the turn; cancelling this coroutine does too, and is passed on.
        """
        log = SeatLog(self._ledger, turn_id)
        if log.state.ended is not None:
            return
        self._stop = Ending(outcome="aborted")
        self._turn = asyncio.create_task(
            run_turn(log, self._mind, self._hands, self._rules, self._now_ms), name=f"turn:{turn_id}"
        )
        try:
            await self._turn
        except asyncio.CancelledError:
            await self._close(log, self._stop)
            if is_being_cancelled():
                raise
        except StoreFailed:
            raise  # nothing can be recorded any more: the Session itself has failed
        except YeaftError as error:
            failure = Failure(kind=type(error).__name__, message=str(error))
            await self._close(log, Ending(outcome="failed", error=failure))
        except Exception as error:  # a bug in one VP's turn must not cancel its peers in the Session's group
            logger.exception("Turn %s failed", turn_id)
            failure = Failure(kind="bug", message=f"Internal error: {error!r}")
            await self._close(log, Ending(outcome="failed", error=failure))

    async def _close(self, log: SeatLog, ending: Ending) -> None:
        if log.state.ended is not None:
            return
        known = self._inquiry.about(log.state, stopped=True)
        await log.post(*closing_events(log.state, ending, known, self._mind.phrases), sync=True)


def _source(event: Event, vp_id: str) -> str:
    match event:
        case CallFinished(tool=tool):
            return f"tool:{tool}"
        case ReplyCompleted() | ReplyCheckpointed() | TodoChanged():
            return f"vp:{vp_id}"
        case MessagePosted(sender=sender):
            return sender
        case _:
            return "engine"
