"""Graphs as the YAML that would be written for them; read again, it is the same graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

import msgspec
from msgspec.structs import replace

from yeaft.workflows.graphs.files.agents import HUMAN
from yeaft.workflows.graphs.files.checking import uncertain_joins
from yeaft.workflows.graphs.files.plain import is_implicit, plain
from yeaft.workflows.graphs.files.written_conditions import written_condition
from yeaft.workflows.graphs.files.yaml_text import yaml_text
from yeaft.workflows.graphs.graph import (
    Agent,
    AskTask,
    CodeTask,
    Edge,
    FailTask,
    Graph,
    GraphLimits,
    GraphTask,
    Join,
    JudgeTask,
    Retries,
    Step,
    ToolTask,
    VpTask,
)

_MAX_ITEMS = 100


def file_text(graphs: Mapping[str, Graph], agents: Mapping[str, Agent], main: str = "") -> str:
    """Return a file with these graphs and agents; `main` is the graph that is meant where none is named."""
    found: dict[str, Any] = {}
    if agents:
        found["agents"] = {name: _agent(agent) for name, agent in agents.items()}
    others = {name: written_graph(graph) for name, graph in graphs.items() if name != main}
    if main:
        found["graph"] = written_graph(replace(graphs[main], name=main))
    if others:
        found["graphs"] = others
    return yaml_text(found)


def written_graph(graph: Graph) -> dict[str, Any]:
    """Return a graph as plain values in the form of its YAML."""
    shown = plain(graph)
    partial = {join.id for join, _, _ in uncertain_joins(graph)}
    joins = {join.id: join for join in shown.joins if is_implicit(join)}
    found: dict[str, Any] = {"name": graph.name}
    if graph.input:
        found["input"] = msgspec.json.decode(graph.input)
    if graph.params:
        found["params"] = graph.params
    if graph.limits != GraphLimits():
        found["limits"] = _limits(graph.limits)
    if graph.on_end != "wait":
        found["on_end"] = graph.on_end
    found["steps"] = [_step(step) for step in shown.steps]
    if len(joins) < len(shown.joins):
        found["joins"] = [_join(join, partial) for join in shown.joins if not is_implicit(join)]
    edges = list(_edges(shown, joins, partial))
    if edges:
        found["edges"] = edges
    return found


def _agent(agent: Agent) -> dict[str, Any]:
    return _filled(
        {
            "type": HUMAN if agent.kind == HUMAN else "",
            "description": agent.description,
            "model": agent.model,
            "system_prompt": agent.persona,
            "output_type": msgspec.json.decode(agent.schema) if agent.schema else "",
        }
    )


def _limits(limits: GraphLimits) -> dict[str, Any]:
    usual = GraphLimits()
    values = {
        "max_steps": limits.max_steps if limits.max_steps != usual.max_steps else None,
        "max_parallel": limits.max_parallel if limits.max_parallel != usual.max_parallel else None,
        "cost": limits.cost_usd,
        "tokens": limits.tokens,
        "minutes": limits.minutes,
    }
    return {key: value for key, value in values.items() if value is not None}


def _step(step: Step) -> dict[str, Any]:
    found = {"id": step.id, **_task(step), "label": step.label}
    retries = step.retries
    if retries != Retries():
        reasons = list(retries.on) if retries.on != Retries().on else []
        found["retries"] = _filled({"max": retries.max, "delay": _seconds(retries.delay_ms), "on": reasons})
    found["timeout"] = _seconds(step.timeout_ms)
    if step.on_error != "fail":
        found["on_error"] = f"route:{step.error_step}" if step.error_step else step.on_error
    return _filled(found)


def _task(step: Step) -> dict[str, Any]:
    match step.task:
        case VpTask() as task:
            out = step.out if step.keep and not task.schema else ""
            return {
                "agent": task.vp_id,
                "prompt": task.prompt,
                "shared_prompt": task.shared,
                "template_vars": task.extra,
                "model": task.model,
                "effort": task.effort,
                "mcp_servers": list(task.mcp_servers),
                "output": msgspec.json.decode(task.schema) if task.schema else "",
                "out": out,
                "workspace": task.workspace if task.workspace != "shared" else "",
            }
        case ToolTask() as task:
            return {"tool": task.tool, "args": msgspec.json.decode(task.args), "out": step.out if step.keep else ""}
        case AskTask() as task:
            key = "approve" if task.kind == "approval" else "ask"
            return {key: task.text, "options": list(task.options), "out": step.out if step.keep else ""}
        case GraphTask() as task:
            return {"graph": task.graph, "prompt": task.prompt, "shared_prompt": task.shared}
        case CodeTask() as task:
            return {"call": task.path, "out": step.out if step.keep else ""}
        case FailTask() as task:
            return {"fail": task.text, "limit": task.limit}
        case JudgeTask():
            return {}


def _join(join: Join, partial: set[str]) -> dict[str, Any]:
    found = _filled({"id": join.id, "inputs": list(join.inputs), "reducer": join.reducer, "first": join.first})
    found |= _filled({"stop": join.stop, "key": join.key})
    if join.initial:
        found["initial"] = msgspec.json.decode(join.initial)
    if not (join.first or join.stop) and (join.id in partial or f"{join.id}~in" in partial):
        found["partial"] = True
    return found


def _edges(shown: Graph, joins: Mapping[str, Join], partial: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the edges, those that were written as one as one again, and none that a join implies."""
    inputs = {join.id: join.inputs for join in shown.joins}
    kept = [edge for edge in shown.edges if not (edge.source in inputs.get(edge.target, ()) and _is_bare(edge))]
    for _, group in groupby(kept, key=lambda edge: (edge.source, edge.group, _edge(edge))):
        edges = list(group)
        source = joins.get(edges[0].source)
        targets = [edge.target for edge in edges]
        found = {
            "from": edges[0].source if source is None else list(source.inputs),
            "to": targets[0] if len(targets) == 1 else targets,
            **_edge(edges[0]),
        }
        if source is not None and source.id in partial:
            found["partial"] = True
        yield found


def _is_bare(edge: Edge) -> bool:
    return not _edge(edge)


def _edge(edge: Edge) -> dict[str, Any]:
    """What is said of an edge besides where it leads from and to."""
    found: dict[str, Any] = {"label": edge.label}
    if edge.condition is not None:
        found["condition"] = written_condition(edge.condition)
    if edge.stop_condition is not None:
        found["stop_condition"] = written_condition(edge.stop_condition)
    found |= {
        "else": edge.is_else,
        "transform": edge.transform,
        "mode": edge.mode if edge.mode != "run" else "",
        "async": edge.detached,
        "map": edge.map,
        "join": edge.collect,
        "max_parallel": edge.max_parallel,
        "max_items": edge.max_items if edge.map and edge.max_items != _MAX_ITEMS else 0,
        "max_visits": edge.max_visits,
        "priority": edge.priority,
        "delay": _seconds(edge.delay_ms),
        "result_of": edge.result_of,
    }
    return _filled(found)


def _seconds(time_ms: int) -> float | int:
    return time_ms // 1000 if time_ms % 1000 == 0 else time_ms / 1000


def _filled(values: Mapping[str, Any]) -> dict[str, Any]:
    """Those values that say anything."""
    return {key: value for key, value in values.items() if value not in ("", 0, False, [], {}, None)}
