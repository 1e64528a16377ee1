"""What a sub-agent may use: read from what the model wrote, and compared with what was used."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from yeaft.events.agent import Budget
from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.outcome import Limit
from yeaft.session.agents.agent_liveness import Pulse

Excess = Literal["max_tokens", "max_turns", "wall_time_ms", "max_cost_usd"]
LIMITS: Mapping[Excess, Limit] = {
    "max_tokens": "tokens",
    "max_turns": "rounds",
    "wall_time_ms": "time",
    "max_cost_usd": "cost",
}


def budget_of(written: Mapping[str, float]) -> Budget:
    """Return the budget that a model wrote. Raises `ToolFailed` for unknown limits and those that are not positive."""
    unknown = [name for name in written if name not in LIMITS]
    if unknown:
        raise ToolFailed(f"budget has no limit {unknown[0]!r}; there are {', '.join(LIMITS)}.")
    for name, value in written.items():
        if value <= 0:
            raise ToolFailed(f"budget: {name} must be positive, not {value:g}. Leave it out for no limit.")
    try:
        return msgspec.convert(dict(written), Budget, strict=False)
    except msgspec.ValidationError as error:
        raise ToolFailed(f"budget: {error}.") from error


def excess(budget: Budget, pulse: Pulse) -> Excess | None:
    """Return the first limit that is reached, if any; time is watched by a clock."""
    if budget.max_turns is not None and pulse.rounds >= budget.max_turns:
        return "max_turns"
    if budget.max_tokens is not None and pulse.tokens >= budget.max_tokens:
        return "max_tokens"
    if budget.max_cost_usd is not None and (pulse.cost_usd or 0.0) >= budget.max_cost_usd:
        return "max_cost_usd"
    return None


def told_budget(budget: Budget) -> dict[str, float]:
    """Return the limits that a budget has, by the names that the model wrote."""
    limits: dict[str, float | None] = {
        "max_tokens": budget.max_tokens,
        "max_turns": budget.max_turns,
        "wall_time_ms": budget.wall_time_ms,
        "max_cost_usd": budget.max_cost_usd,
    }
    return {name: value for name, value in limits.items() if value is not None}
