"""What one run of the command line has come to: the turns it caused, what nobody could answer, what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from yeaft.events.call import AskOpened, AskWithdrawn
from yeaft.events.codec import Recorded, Transient
from yeaft.events.session import MessagePosted
from yeaft.events.turn import TurnStarted
from yeaft.interfaces.cli.result import Result, failure, result_of
from yeaft.kernel.errors import BadData, YeaftError
from yeaft.kernel.outcome import EXIT_FAILED, EXIT_LIMIT, worst_exit_code

if TYPE_CHECKING:
    from yeaft.engine.state import TurnState
    from yeaft.session.state import SessionState
    from yeaft.store.journal import Journal
    from yeaft.workflows.graphs.runs.known_runs import KnownRun

OUT_OF_TIME = "The time limit was over before all was done; what there is was printed. Raise --timeout to go on."


class Findings:
    """Listens to a Session and adds up what its process must report. `is_out_of_time` is set by whoever times it.

    `say` tells the user at once what went wrong.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self.is_out_of_time = False
        self._say = say
        self._roots: set[str] = set()
        self._turns: list[str] = []
        self._asked: dict[str, AskOpened] = {}
        self._unmet: list[AskOpened] = []
        self._problems: list[YeaftError] = []
        self._flows: tuple[KnownRun, ...] = ()

    def hear(self, heard: Recorded | Transient) -> None:
        """Take in one event."""
        event = heard.event if isinstance(heard, Recorded) else heard
        match event:
            case MessagePosted(kind="user", message_id=message_id):
                self._roots.add(message_id)
            case TurnStarted(turn_id=turn_id) if isinstance(heard, Recorded) and heard.corr in self._roots:
                self._turns.append(turn_id)  # and not what a dead process had left waiting, which only ends here
            case AskOpened():
                self._asked[event.ask_id] = event
            case AskWithdrawn(ask_id=ask_id, reason="headless") if ask_id in self._asked:
                self._unmet.append(self._asked[ask_id])
            case _:
                pass

    def take_up(self, open_asks: Iterable[AskOpened]) -> None:
        """Know the questions that an earlier process put and nobody has answered: they may be withdrawn here."""
        self._asked.update((ask.ask_id, ask) for ask in open_asks)

    def take_over(self, state: SessionState) -> None:
        """Count the turns that an earlier process left open as our own."""
        self._turns += [turn.started.turn_id for turn in state.open_turns()]
        self._roots.update(state.unsettled_roots())

    def note_flows(self, state: SessionState, journal: Journal) -> None:
        """Know what the flows have come to that VPs began; their runs have streams of their own in the journal."""
        from yeaft.session.catalogue import RUN_FLOW

        tools = {call.call.tool for turn in self._own(state) for attempt in turn.attempts for call in attempt.calls}
        if RUN_FLOW.name in tools:  # else no other run of the Session is read
            from yeaft.workflows.graphs.runs.known_runs import known_runs

            self._flows = tuple(run for run in known_runs(journal) if run.call_id)

    def refuse(self, error: YeaftError) -> None:
        """Say at once what went wrong besides the turns, and let it count in the exit code."""
        self._say(str(error))
        self._problems.append(error)

    def result(self, state: SessionState | None, *, stdin: str, is_asked: bool) -> Result:
        """Sum up the turns; `state` is None if there is no Session. If something `is_asked`, it must be answered."""
        if state is None:
            return Result(exit_code=EXIT_FAILED, outcome="failed", text="", session="", stdin=stdin)
        result = result_of(state, self._own(state), self._unmet, stdin, self._flows)
        if self.is_out_of_time and result.exit_code == 0:
            self._say(OUT_OF_TIME)
            return replace(result, exit_code=EXIT_LIMIT, outcome="limit", error=OUT_OF_TIME)
        if is_asked and not result.vps:
            return replace(result, exit_code=EXIT_FAILED, outcome="failed")
        return result

    def _own(self, state: SessionState) -> list[TurnState]:
        return [state.turns[turn_id] for turn_id in dict.fromkeys(self._turns) if turn_id in state.turns]

    def by_schema(self, result: Result, schema: dict[str, Any], timeout_s: float | None) -> Result:
        """Hold the answers against a JSON Schema; a single one that meets it is freed from its code fence.

        `timeout_s` is what may be spent on each, if there is a limit.
        """
        from yeaft.interfaces.cli.schema import problem_with, unfenced

        if result.exit_code:
            return result
        newest = {vp.vp: vp.text for vp in result.vps if vp.outcome == "answered"}  # after what its sub-agents brought
        answers = list(newest.values())
        problem = next((found for text in answers if (found := problem_with(text, schema, timeout_s))), "")
        if problem:
            self.refuse(BadData(problem))
        elif len(answers) == 1:
            return replace(result, text=unfenced(result.text))
        return result

    def with_problems(self, result: Result, signal_code: int | None) -> Result:
        """Let problems and a signal count, the signal most; without any turn a problem is all there is."""
        if self._problems:
            codes = [problem.exit_code for problem in self._problems]
            if result.vps:
                codes.append(result.exit_code)
            outcome = result.outcome if result.exit_code else "failed"
            error = failure(self._problems[0]).error
            result = replace(result, exit_code=worst_exit_code(codes), outcome=outcome, error=error)
        if signal_code is not None:
            result = replace(result, exit_code=signal_code, outcome="aborted")
        return result
