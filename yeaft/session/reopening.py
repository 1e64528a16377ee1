"""What became of calls whose end was not recorded, and how turns of a dead process are closed or taken up again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from yeaft.engine.changed import with_change
from yeaft.engine.closing import Ending, Known, closing_events
from yeaft.events.call import CallFinished, CallStarted, Facts, FileFact, Intent
from yeaft.events.turn import TurnEnded, TurnStarted
from yeaft.kernel import ids
from yeaft.prompts.fill import fill

if TYPE_CHECKING:
    from yeaft.engine.state import TurnState
    from yeaft.events.codec import Event
    from yeaft.session.state import SessionState

AGAIN = ("read", "local")
"""The guards of calls that may simply be run again."""
ENDED_BY_SIGNAL = 128
"""Exit codes above this say that a signal has ended a command."""
Probe = Callable[[str], Known | None]
"""Tells what the command of a call of Bash (by its id) left behind; None if nothing can be known."""


class Inquiry:
    """Finds out what it can about started calls: the files they leave, the hashes they announced."""

    def __init__(self, probe: Probe, phrases: Mapping[str, str]) -> None:
        self._probe = probe
        self._phrases = phrases

    def about(self, turn: TurnState, *, stopped: bool = False) -> dict[str, Known]:
        """Return what is known of the turn's open calls, by id; calls with nothing to find out are left out.

        `stopped` says that this process itself has just ended them: then a command that was found ended was killed,
        and only a file that demonstrably was written counts as done.
        """
        found: dict[str, Known] = {}
        for state in turn.open_calls:
            known = self._known(state.started) if state.started else None
            if known is None or state.started is None:
                continue
            found[state.call.call_id] = self._as_stopped(state.started, known) if stopped else known
        return found

    def of_call(self, started: CallStarted) -> Known | None:
        """Return what became of a started call that no turn has made; None if it is to be run, again or for once."""
        if started.guard in AGAIN:
            return None
        known = self._known(started) or Known(status="unknown", text=self._phrases["call_unknown"])
        if (known.facts.exit_code or 0) > ENDED_BY_SIGNAL:  # ended with its owner, not by itself: how far did it come?
            text = "\n".join(filter(None, (self._phrases["call_unknown"], known.output)))
            known = Known(status="unknown", text=text, output=known.output, facts=known.facts)
        return None if known.status in ("not_run", "lost") else known

    def _as_stopped(self, started: CallStarted, known: Known) -> Known:
        if known.status == "not_run" or (known.status == "ok" and started.guard == "verify"):
            return known
        text = self._phrases["call_cancelled"] + (f"\n{known.output}" if known.output else "")
        return Known(status="cancelled", text=text, facts=known.facts)

    def _known(self, started: CallStarted) -> Known | None:
        if started.tool == "Bash":
            return self._probe(started.call_id)
        if started.guard == "verify" and started.intents:
            return self._compared(started.intents)
        return None

    def _compared(self, intents: tuple[Intent, ...]) -> Known:
        now = {intent.path: _sha256(Path(intent.path)) for intent in intents}
        facts = Facts(files=tuple(FileFact(path=path, sha256=sha, written=True) for path, sha in now.items()))
        names = ", ".join(now)
        if all(now[intent.path] == intent.post for intent in intents):
            return Known(status="ok", text=fill(self._phrases["call_found_written"], {"files": names}), facts=facts)
        if all(now[intent.path] == intent.pre for intent in intents):
            return Known(status="lost", text=fill(self._phrases["call_found_unwritten"], {"files": names}))
        return Known(status="unknown", text=self._phrases["call_unknown"])


def losses(state: SessionState, inquiry: Inquiry, phrases: Mapping[str, str]) -> list[tuple[str, tuple[Event, ...]]]:
    """Return the events that close every turn which a dead process left open or never began, each with its root."""
    ending = Ending(outcome="lost", stopped="lost")
    closed = [
        (state.messages[turn.started.message_id].root_id, closing_events(turn, ending, inquiry.about(turn), phrases))
        for turn in state.open_turns()
    ]
    return [*closed, *(one for vp_id in state.waiting for one in unstarted(state, vp_id, ending))]


def unstarted(state: SessionState, vp_id: str, ending: Ending) -> list[tuple[str, tuple[Event, ...]]]:
    """Return the events that close, without having done anything, the turns that still wait for a VP."""
    found: list[tuple[str, tuple[Event, ...]]] = []
    for message_id in state.waiting.get(vp_id, ()):
        turn_id = ids.turn_id(message_id, vp_id)
        started = TurnStarted(turn_id=turn_id, message_id=message_id, vp_id=vp_id, mode="")
        ended = TurnEnded(turn_id=turn_id, vp_id=vp_id, outcome=ending.outcome, limit=ending.limit)
        found.append((state.messages[message_id].root_id, (started, ended)))
    return found


def resumptions(turn: TurnState, inquiry: Inquiry, phrases: Mapping[str, str]) -> tuple[Event, ...]:
    """Return what must be recorded before an open turn goes on.

    Calls with effects that may have happened get a result that says what is known; they are never run again.
    Reads, local effects, and writes that demonstrably did not happen stay open and run again.
    """
    known = inquiry.about(turn)
    events: list[Event] = []
    for call in turn.open_calls:
        if call.started is None or call.started.guard in AGAIN:
            continue
        found = known.get(call.call.call_id) or Known(status="unknown", text=phrases["call_unknown"])
        if call.started.guard == "verify" and found.status == "lost":
            continue
        events.append(
            CallFinished(
                call_id=call.call.call_id,
                turn_id=turn.started.turn_id,
                tool=call.call.tool,
                status=found.status,
                text=with_change(found.text, call, phrases),
                facts=found.facts,
            )
        )
    return tuple(events)


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
