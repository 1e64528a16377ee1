"""How a run that ended at a limit of its own goes on: from which step, and with how much more."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from yeaft.interfaces.amounts import CENT_USD
from yeaft.workflows.graphs.runs.forking import kept_back

if TYPE_CHECKING:
    from yeaft.workflows.graphs.executor.execution import Execution
    from yeaft.workflows.graphs.graph import GraphLimits

TWICE = 2
MINUTE_S = 60


def more_words(limits: GraphLimits, execution: Execution) -> str:
    """Return what `yeaft graph retry RUN` is told so that the run goes on: a step, and twice as much as it had.

    Steps, money and tokens count from the beginning, so that twice what was used is named if that is more. It is empty
    for a run that has not ended at a limit of its own, or that no step would go on from.
    """
    steps, ended = kept_back(execution), execution.ended
    if not steps or ended is None:
        return ""
    match ended.limit:
        case "steps":
            more = f"--max-steps {TWICE * max(limits.max_steps, execution.steps)}"
        case "cost":
            more = f"--max-cost {_amount(TWICE * max(limits.cost_usd or CENT_USD, execution.cost_usd))}"
        case "tokens":
            used = execution.usage.sent + execution.usage.output
            more = f"--max-tokens {TWICE * max(limits.tokens or 1, used)}"
        case "minutes":
            more = f"--timeout {_duration(TWICE * (limits.minutes or 1) * MINUTE_S)}"
        case _:
            return ""
    return f"{quote(steps[0])} {more}"


def _amount(cost_usd: float) -> str:
    return f"{cost_usd:.2f}" if cost_usd >= CENT_USD else f"{cost_usd:.2g}"


def _duration(seconds: float) -> str:
    minutes = seconds / MINUTE_S
    return f"{minutes:.0f}m" if minutes.is_integer() else f"{seconds:g}s"
