"""The loop of one turn: look at the state, do the next thing, look again. All policy is in `decide`."""

from collections.abc import Awaitable
from typing import Protocol

from yeaft.engine.calls import Hands
from yeaft.engine.closing import Ending, closing_events
from yeaft.engine.decide import Admit, AskModel, Finish, Postpone, Rules, RunCalls, Switch, decide
from yeaft.engine.exchange import Mind, ask_model
from yeaft.engine.state import TurnState
from yeaft.engine.view import Unit
from yeaft.events.codec import Event, Transient
from yeaft.events.turn import ModelSwitched, RetryScheduled
from yeaft.kernel.clock import NowMs
from yeaft.llm.tokens import Factors


class TurnLog(Protocol):
    """One turn's place in the journal."""

    @property
    def state(self) -> TurnState:
        """The fold over all events posted so far, committed or on their way."""
        ...

    def units(self) -> tuple[Unit, ...]:
        """Return all that this turn's VP sees, oldest first; the turn itself comes last."""
        ...

    def factors(self, model: str) -> Factors:
        """Return what estimates for a model have to be multiplied by, as its provider's counts have taught."""
        ...

    def post(self, *events: Event, sync: bool = False) -> Awaitable[object]:
        """Fold events and hand them to the journal at once; the awaitable ends when they are committed.

        Whoever acts on an event awaits this first. `sync` waits for the disk.
        """
        ...

    def show(self, event: Transient) -> None:
        """Show an event that leaves no trace."""
        ...

    def spent_usd(self) -> float:
        """Return what this process has spent so far, over all VPs."""
        ...


async def run_turn(log: TurnLog, mind: Mind, hands: Hands, rules: Rules, now_ms: NowMs) -> None:
    """Go on with a turn until it has ended; it may be new or left open by an earlier process.

    Its end is recorded then; who needs it to be on disk waits for that. When cancelled, it stops between two events;
    whoever cancelled it closes the turn.
    """
    while True:
        turn_id, last = log.state.started.turn_id, log.state.last
        match decide(log.state, rules, log.spent_usd()):
            case AskModel() as ask:
                await ask_model(log, mind, ask, now_ms)
            case Admit(calls=calls):
                await hands.admit(log, calls)
            case RunCalls(calls=calls):
                await hands.run(log, calls)
            case Postpone(delay_s=delay_s, how=how, reason=reason):
                assert last is not None
                due_ms = now_ms() + round(delay_s * 1000)
                sent = last.sent
                log.post(
                    RetryScheduled(
                        turn_id=turn_id, round=sent.round, attempt=sent.attempt, due_ms=due_ms, reason=reason, how=how
                    )
                )
            case Switch(to_model=to_model, reason=reason):
                assert last is not None
                log.post(ModelSwitched(turn_id=turn_id, from_model=last.sent.model, to_model=to_model, reason=reason))
            case Finish(outcome=outcome, limit=limit, error=error):
                ending = Ending(outcome=outcome, limit=limit, error=error)
                log.post(*closing_events(log.state, ending, {}, mind.phrases), sync=True)
                return
