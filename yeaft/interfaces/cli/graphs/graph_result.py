"""What a process that drove a run reports at its end, in every JSON format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw, Struct

from yeaft.interfaces.cli.exit_codes import exit_code_of_failure
from yeaft.interfaces.cli.result import Question, flags, question
from yeaft.interfaces.cli.terminal_text import terminal_columns
from yeaft.kernel.outcome import (
    EXIT_ANSWERED,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_LIMIT,
    EXIT_NEEDS_HUMAN,
)
from yeaft.kernel.usage import Usage
from yeaft.workflows.graphs.conditions import text_of
from yeaft.workflows.graphs.runs.known_runs import short

if TYPE_CHECKING:
    from yeaft.events.call import AskOpened
    from yeaft.events.graph import GraphEnded, GraphStarted
    from yeaft.events.turn import Failure
    from yeaft.workflows.graphs.executor.execution import Execution

STDOUT = 1
EXIT_CODES = {
    "completed": EXIT_ANSWERED,
    "failed": EXIT_FAILED,
    "cancelled": EXIT_INTERRUPTED,
    "limit": EXIT_LIMIT,
    "needs_human": EXIT_NEEDS_HUMAN,
}


class GraphResult(Struct, frozen=True, kw_only=True):
    """The end of a process that drove a run of a graph.

    `value` is the result of the run as JSON or, if nothing reached the end, what a step gave last; `text` is the same
    as text. `questions` are what only a human can decide; then the run can go on. `usage` and `cost` are those of the
    whole run.
    """

    type: str = "result"
    exit_code: int
    outcome: str
    text: str
    value: Raw = Raw(b"null")
    session: str
    run: str = ""
    graph: str = ""
    forked_from: str = ""
    steps: int = 0
    usage: Usage = Usage()
    cost: float | None = None
    questions: tuple[Question, ...] = ()
    limit: str = ""
    error: str = ""


def ended_result(
    session_id: str, started: GraphStarted | None, ended: GraphEnded, failure: Failure | None
) -> GraphResult:
    """Sum up a run that is over; `failure` is why the turn failed that it failed with, if it was one."""
    code = EXIT_CODES[ended.outcome]
    if ended.outcome == "failed":
        code = exit_code_of_failure(failure)
    value = msgspec.json.decode(ended.value)
    return GraphResult(
        exit_code=code,
        outcome=ended.outcome,
        text="" if value is None else text_of(value),
        value=ended.value,
        session=session_id,
        run=ended.run_id,
        graph=started.name if started else "",
        forked_from=started.forked_from if started else "",
        steps=ended.steps,
        usage=ended.usage,
        cost=ended.cost_usd,
        limit=ended.limit,
        error=ended.error,
    )


def waiting_result(session_id: str, execution: Execution, asks: Sequence[AskOpened], text: str) -> GraphResult:
    """Sum up a run that waits for a human who is not there; `text` is for what."""
    run = short(execution.run_id)
    questions = tuple(question(ask, next_command(run, (ask,))) for ask in asks)
    return GraphResult(
        exit_code=EXIT_NEEDS_HUMAN,
        outcome="needs_human",
        text="",
        session=session_id,
        run=execution.run_id,
        graph=execution.topology.graph.name,
        forked_from=execution.started.forked_from if execution.started else "",
        steps=execution.steps,
        usage=execution.usage,
        cost=execution.known_cost_usd,
        questions=questions,
        error=text,
    )


def printed(result: GraphResult, *, as_json: bool) -> bytes:
    """Return what standard output gets of a result: all of it, or the text that the run gave.

    A terminal is shown a table as one.
    """
    if as_json:
        return msgspec.json.encode(result) + b"\n"
    if result.text.startswith("[{") and (columns := terminal_columns(STDOUT)) is not None:
        from yeaft.interfaces.cli.graphs.result_table import lines_of_table

        if (lines := lines_of_table(bytes(result.value), columns)) is not None:
            return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    return result.text.rstrip("\n").encode("utf-8", "replace") + b"\n" if result.text else b""


def next_command(run: str, asks: Sequence[AskOpened]) -> str:
    """Return the command by which a run goes on: with flags that allow its calls, and an answer to each of its asks."""
    answers = ['--answer "your answer"' if ask.kind != "approval" else "--answer yes" for ask in asks if not ask.flag]
    return " ".join(("yeaft graph resume", run, *flags(asks), *answers))
