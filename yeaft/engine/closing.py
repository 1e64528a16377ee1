"""How an open turn is closed, after an abort as after a crash: each open call gets its result, the turn its end."""

from collections.abc import Mapping

from msgspec import Struct

from yeaft.engine.changed import with_change
from yeaft.engine.state import CallState, TurnState
from yeaft.events.call import AskWithdrawn, CallFinished, Facts
from yeaft.events.codec import Event
from yeaft.events.turn import Failure, RequestFailed, TurnEnded
from yeaft.kernel.outcome import CallStatus, Limit, TurnOutcome


class Ending(Struct, frozen=True, kw_only=True):
    """Why the turn is closed. `stopped` is what the last request failed with if it was open: cancelled or lost."""

    outcome: TurnOutcome
    stopped: str = "cancelled"
    limit: Limit | None = None
    error: Failure | None = None


class Known(Struct, frozen=True, kw_only=True):
    """What could be found out about a started call whose end was not recorded; `output` is the end of its output."""

    status: CallStatus
    text: str
    output: str = ""
    facts: Facts = Facts()


def closing_events(
    state: TurnState, ending: Ending, known: Mapping[str, Known], phrases: Mapping[str, str]
) -> tuple[Event, ...]:
    """Return the events that close `state`; nothing if it has ended. `known` is by call id."""
    if state.ended is not None:
        return ()
    events: list[Event] = []
    last = state.last
    if last is not None and last.is_open:
        failure = Failure(kind=ending.stopped, message=phrases["request_" + ending.stopped])
        events.append(
            RequestFailed(
                request_id=last.sent.request_id,
                turn_id=state.started.turn_id,
                error=failure,
                text_so_far=last.checkpoint,
            )
        )
    for call in state.open_calls:
        if call.ask is not None:
            events.append(AskWithdrawn(ask_id=call.ask.ask_id, reason="aborted"))
        events.append(_close_call(state, call, ending, known, phrases))
    events.append(
        TurnEnded(
            turn_id=state.started.turn_id,
            vp_id=state.started.vp_id,
            outcome=ending.outcome,
            error=ending.error,
            limit=ending.limit,
            usage=state.usage,
            cost_usd=state.cost_usd,
            rounds=state.rounds,
        )
    )
    return tuple(events)


def _close_call(
    state: TurnState, call: CallState, ending: Ending, known: Mapping[str, Known], phrases: Mapping[str, str]
) -> CallFinished:
    found = known.get(call.call.call_id) or _assumed(call, ending, phrases)
    return CallFinished(
        call_id=call.call.call_id,
        turn_id=state.started.turn_id,
        tool=call.call.tool,
        status=found.status,
        text=with_change(found.text, call, phrases),
        facts=found.facts,
    )


def _assumed(call: CallState, ending: Ending, phrases: Mapping[str, str]) -> Known:
    if call.started is None:
        return Known(status="not_run", text=phrases["call_not_run"])
    if ending.stopped == "cancelled":
        return Known(status="cancelled", text=phrases["call_cancelled"])
    if call.started.guard in ("read", "local"):
        return Known(status="lost", text=phrases["call_lost"])
    return Known(status="unknown", text=phrases["call_unknown"])
