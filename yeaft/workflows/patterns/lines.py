"""Patterns in which each task takes one way: `chain`, one VP after another, and `route`, the one that fits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from msgspec import Struct

from yeaft.kernel.errors import UsageError
from yeaft.workflows.patterns.pattern import Budget, Words, at_least, limits, unlike
from yeaft.workflows.patterns.yaml_text import yaml_text

TAKEN = ("start", "end", "choose")


class Chain(Struct, frozen=True, kw_only=True):
    """VPs do a task one after another, each with what the one before gave.

    `names` are what their parts are called; with `approve` a human looks at each result before it goes on.
    """

    members: tuple[str, ...]
    names: tuple[str, ...] = ()
    approve: bool = False
    gate: str = ""
    budget: Budget = Budget()


class Route(Struct, frozen=True, kw_only=True):
    """One of several VPs does a task: `choices` are kinds of tasks with the VP for each, `other` does all else.

    The VP `by` says of what kind it is; without one it is the kind whose name stands in the task.
    """

    choices: tuple[tuple[str, str], ...]
    other: str
    by: str = ""
    budget: Budget = Budget()


def chain(wanted: Chain, words: Words) -> str:
    """Return the graph. Raises `UsageError`."""
    at_least(1, wanted.members, "chain")
    ids = unlike(wanted.names or wanted.members, TAKEN[:2])
    steps: list[dict[str, Any]] = []
    for number, (step_id, member) in enumerate(zip(ids, wanted.members, strict=True)):
        key = "chain_next" if number else "chain_first"
        steps.append({"id": step_id, "agent": member, "prompt": words[key].replace("{{part}}", step_id)})
        if wanted.approve and number + 1 < len(ids):
            steps.append({"id": f"look at {step_id}", "approve": "{{ input }}"})
    graph: dict[str, Any] = {"name": "chain", "limits": limits(wanted.budget, len(steps)), "steps": steps}
    if wanted.gate:
        graph["edges"] = list(_gated(steps, set(ids[:-1]), wanted.gate))
        steps.append({"id": "closed", "fail": words["chain_closed"]})
        graph["limits"] = limits(wanted.budget, 2 * len(steps))
    return yaml_text(graph, words["about_chain"])


def _gated(steps: list[dict[str, Any]], members: set[str], gate: str) -> Iterator[dict[str, Any]]:
    """The edges of a line in which what each of `members` gave goes on only if the function `gate` says so."""
    ids = ["start", *(step["id"] for step in steps), "end"]
    for source, target in pairwise(ids):
        if source in members:
            yield {"from": source, "to": target, "condition": {"type": "callable", "predicate": gate}}
            yield {"from": source, "to": "closed", "else": True, "transform": f"{{'step': '{source}', 'gave': value}}"}
        else:
            yield {"from": source, "to": target}


def route(wanted: Route, words: Words) -> str:
    """Return the graph. Raises `UsageError`."""
    at_least(1, [vp for _, vp in wanted.choices], "route")
    kinds = [kind for kind, _ in wanted.choices]
    if len(set(kinds)) < len(kinds):
        raise UsageError("route has the same kind of task twice.")
    ids = unlike([*kinds, "other"], TAKEN)
    prompt = words["route_do"]
    steps: list[dict[str, Any]] = [
        {"id": step_id, "agent": member, "prompt": prompt}
        for step_id, member in zip(ids, [*(vp for _, vp in wanted.choices), wanted.other], strict=True)
    ]
    source = "choose" if wanted.by else "start"
    edges: list[dict[str, Any]] = []
    if wanted.by:
        shown = ", ".join([*kinds, "other"])
        asked = words["route_choose"].replace("{{kinds}}", shown)
        output = {"kind": [*kinds, "other"], "reason": "str"}
        steps.insert(0, {"id": "choose", "agent": wanted.by, "prompt": asked, "output": output})
        edges.append({"from": "start", "to": "choose"})
    for kind, step_id in zip(kinds, ids, strict=False):
        if wanted.by:
            condition: dict[str, Any] = {"type": "match", "field": "kind", "value": kind}
        else:
            condition = {"type": "contains", "words": [kind], "whole_word": True}
        edges.append({"from": source, "to": step_id, "condition": condition})
    edges.append({"from": source, "to": ids[-1], "else": True})
    edges += [{"from": step_id, "to": "end"} for step_id in ids]
    most = len(steps) if not wanted.by else 1 + len(steps)
    graph = {"name": "route", "limits": limits(wanted.budget, most), "steps": steps, "edges": edges}
    return yaml_text(graph, words["about_route"])
