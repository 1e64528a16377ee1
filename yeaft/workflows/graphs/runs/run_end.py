"""How a run ends, told by what its events add up to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw

from yeaft.events.graph import GraphEnded, GraphOutcome
from yeaft.workflows.graphs.graph import END

if TYPE_CHECKING:
    from yeaft.workflows.graphs.executor.execution import Execution

DEADLINE = "deadline"
"""Who cancels a run that has had all the time it may take."""


def end_of(execution: Execution) -> GraphEnded:
    """Return the end of a run in which nothing is left to do."""
    outcome, error, limit = _outcome(execution)
    return GraphEnded(
        run_id=execution.run_id,
        outcome=outcome,
        value=Raw(msgspec.json.encode(execution.result() if execution.has_result else execution.last_output)),
        error=error,
        limit=limit,
        usage=execution.usage,
        cost_usd=execution.known_cost_usd,
        steps=execution.steps,
    )


def _outcome(execution: Execution) -> tuple[GraphOutcome, str, str]:
    if execution.cancelled is not None:
        by = execution.cancelled.by
        return ("limit", "", "minutes") if by == DEADLINE else ("cancelled", execution.cancelled.reason, "")
    if execution.failure:
        is_limit = bool(execution.declared_limit)
        return "limit" if is_limit else "failed", execution.failure, execution.declared_limit
    if execution.limit:
        return "limit", "", execution.limit
    leads_to_end = any(edge.target == END for edge in execution.topology.graph.edges)
    if leads_to_end and not execution.has_result:
        return "failed", f"nothing reached the end: {execution.dead_end or 'every way was left'}", ""
    return "completed", "", ""
