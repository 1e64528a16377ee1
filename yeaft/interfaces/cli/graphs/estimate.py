"""What a run may cost and whether its models can be reached at all: found out before anything is begun."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import Struct

from yeaft.interfaces.amounts import money
from yeaft.kernel.errors import ConfigError
from yeaft.kernel.usage import Usage
from yeaft.workflows.graphs.conditions import Condition, Cost, Every, Not, Some, read_json
from yeaft.workflows.graphs.graph import START, Edge, Graph, GraphTask, Step, VpTask

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options
    from yeaft.llm.router import Route
    from yeaft.workflows.graphs.runs.session_runs import Frozen

REQUEST_TOKENS = 5000
"""What a request is taken to send besides its prompt: persona, tools, what was said before."""
REPLY_TOKENS = 800
CHARS_PER_TOKEN = 4
EXPECTED_ITEMS = 10
"""How long a list is taken to be that is not known yet."""
DEEPEST = 8
_ELSEWHERE = re.compile(r"\b(?:value|steps|index)\b")
"""What an expression speaks of that is not known before a run."""


class Estimate(Struct, frozen=True, kw_only=True):
    """What a run may cost, in requests and US dollars; None where the price of a model is not known."""

    requests: int
    cost_usd: float | None


def check_affordable(desk: Desk, options: Options, frozen: Frozen, given: Any, *, yes: bool) -> None:
    """Let a run begin only if its models can be reached and, above a limit of the user's, only if they agree.

    Raises `ConfigError`, `NotFound` or `NoCredentials` as its first step would, and `NotConfirmed`.
    """
    from yeaft.interfaces.cli.commands.consent import need_consent

    estimate = estimated(desk, options, frozen, given)
    limits = (frozen.graph.limits.cost_usd, desk.config.graphs.confirm_usd)
    limit = min((one for one in limits if one is not None), default=None)
    if estimate.cost_usd is None and not options.quiet and _looks_at_cost(frozen.graph):
        desk.note("graph_run.cost_unknown")
    if limit is None or estimate.cost_usd is None:
        return
    if estimate.cost_usd > limit:
        need_consent(desk, "graph_run.estimate_above", yes=yes, cost=money(estimate.cost_usd), limit=money(limit))
    desk.note("graph_run.estimate", cost=money(estimate.cost_usd), requests=estimate.requests)


def estimated(desk: Desk, options: Options, frozen: Frozen, given: Any) -> Estimate:
    """Estimate a run: every step once, lists by their length. Raises as `check_affordable`."""
    requests, cost = 0, 0.0
    is_priced = True
    routes: dict[tuple[str, str], Route] = {}
    for step, count in _visits(frozen.graph, given):
        task = step.task
        if not isinstance(task, VpTask):
            continue
        key = (task.vp_id, task.model)
        if key not in routes:
            routes[key] = _route(desk, options, frozen, step, task)
        price = routes[key].entry.price
        requests += count
        is_priced &= price is not None
        if price is not None:
            sent = REQUEST_TOKENS + len(task.prompt) // CHARS_PER_TOKEN
            cost += count * price.cost_usd(Usage(input=sent, output=REPLY_TOKENS))
    if not is_priced and frozen.graph.limits.cost_usd is not None:
        from yeaft.session.expectations import unknown_price

        entry = next(route.entry for route in routes.values() if route.entry.price is None)
        raise ConfigError(unknown_price(entry))
    return Estimate(requests=requests, cost_usd=cost if is_priced else None)


def _looks_at_cost(graph: Graph) -> bool:
    """Whether what is done depends on what it costs, in the graph or one within it."""
    conditions = [one for edge in graph.edges for one in (edge.condition, edge.stop_condition)]
    return any(map(_is_of_cost, conditions)) or any(map(_looks_at_cost, graph.graphs.values()))


def _is_of_cost(condition: Condition | None) -> bool:
    match condition:
        case Every(conditions=parts) | Some(conditions=parts):
            return any(map(_is_of_cost, parts))
        case Not(condition=inner):
            return _is_of_cost(inner)
        case _:
            return isinstance(condition, Cost)


def _visits(graph: Graph, given: Any, times: int = 1, depth: int = 0) -> Iterator[tuple[Step, int]]:
    """Yield each step with how often it is done, those of graphs within it too."""
    counts = _counts(graph, given)
    for step in graph.steps:
        count = times * counts.get(step.id, 1)
        yield step, count
        if isinstance(step.task, GraphTask) and depth < DEEPEST and (inner := graph.graphs.get(step.task.graph)):
            yield from _visits(msgspec.structs.replace(inner, graphs=graph.graphs), None, count, depth + 1)


def _counts(graph: Graph, given: Any) -> dict[str, int]:
    """How often each step is done because it lies within lists that are spread."""
    found = {START: 1}
    left = [START]
    while left:
        node = left.pop(0)
        for edge in graph.edges:
            if edge.source != node or edge.target in found:
                continue
            count = found[node]
            if edge.map:
                known = _length(_spread(graph, edge, given))
                count *= min(known, edge.max_items or known)
            found[edge.target] = 1 if edge.collect else count
            left.append(edge.target)
    return found


def _spread(graph: Graph, edge: Edge, given: Any) -> Any:
    """What an edge spreads, as far as that can be known before a run; else None."""
    from yeaft.workflows.graphs.expressions import evaluated

    value = given if edge.source == START else None
    if not edge.transform or (value is None and _ELSEWHERE.search(edge.transform)):
        return value
    try:
        return evaluated(edge.transform, {"value": value, "input": given, "params": graph.params, "steps": {}})
    except ValueError:
        return None


def _length(given: Any) -> int:
    """How many elements a list has; a guess for what is none."""
    items = read_json(given) if isinstance(given, str) else given
    return len(cast("Sequence[Any]", items)) if isinstance(items, list) else EXPECTED_ITEMS


def _route(desk: Desk, options: Options, frozen: Frozen, step: Step, task: VpTask) -> Route:
    from yeaft.llm.catalogue import read_catalogue
    from yeaft.llm.choice import choose_model
    from yeaft.llm.embedded_files import status
    from yeaft.llm.router import resolve
    from yeaft.prompts.find import templates_dir

    agent = frozen.agents.get(task.vp_id)
    vp = desk.library.get(task.vp_id) if agent is None else None
    catalogue = read_catalogue(templates_dir())
    chosen = choose_model(
        desk.config,
        desk.environ,
        catalogue,
        flag=task.model or options.model,
        vp_id=task.vp_id,
        vp_model=agent.model if agent else vp.model if vp else "",
        embedded=status(desk.home).is_ready,
    )
    named_by = f"line {step.line}, step {step.id!r}" if task.model else chosen.named_by
    return resolve(desk.config, desk.environ, catalogue, chosen.ref, named_by=named_by)
