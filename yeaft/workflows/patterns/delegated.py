"""Patterns in which one VP hands out work to others: `plan` decides first, `supervise` from one result to the next."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from yeaft.workflows.patterns.pattern import (
    MOST_MEMBERS,
    MOST_ROUNDS,
    Budget,
    Words,
    at_least,
    endings,
    limits,
    unlike,
    within,
)
from yeaft.workflows.patterns.yaml_text import yaml_text

ASSIGNING = "yeaft.workflows.patterns.assigning"
TAKEN = ("start", "end", "plan", "approve", "lead", "next", "stuck", "spent", "work", "did")
MOST_CHILDREN = 5 * MOST_MEMBERS
MOST_STEPS = 30
"""How many steps a plan may come to, new plans included."""


class Plan(Struct, frozen=True, kw_only=True):
    """`planner` makes a plan, `workers` do its steps, those that do not wait for others at once.

    With `approve` a human looks at each plan before it is carried out. After a failure there is a new plan,
    `replans` times at most.
    """

    planner: str
    workers: tuple[str, ...]
    approve: bool = False
    replans: int = 2
    max_steps: int = 12
    budget: Budget = Budget()


class Supervise(Struct, frozen=True, kw_only=True):
    """`lead` hands out work to `workers`, round after round, until it has an answer.

    At most `rounds` rounds, and `max_children` pieces of work in all.
    """

    lead: str
    workers: tuple[str, ...]
    rounds: int = 5
    max_children: int = 8
    budget: Budget = Budget()


def plan(wanted: Plan, words: Words) -> str:
    """Return the graph. Raises `UsageError`."""
    at_least(1, wanted.workers, "plan")
    if wanted.replans:
        within("replans", wanted.replans, MOST_ROUNDS)
    within("max_steps", wanted.max_steps, MOST_STEPS)
    step = {"id": "str", "vp": list(dict.fromkeys(wanted.workers)), "task": "str", "after": ["str"]}
    source = "approve" if wanted.approve else "plan"
    steps: list[dict[str, Any]] = [
        {"id": "plan", "agent": wanted.planner, "prompt": words["plan_plan"], "output": {"steps": [step]}}
    ]
    edges: list[dict[str, Any]] = [{"from": "start", "to": "plan"}]
    if wanted.approve:
        steps.append({"id": "approve", "approve": words["plan_approve"]})
        edges.append({"from": "plan", "to": "approve"})
    given = "{'plan': value, 'state': steps.next | default(none), 'replans': params.replans}"
    edges.append({"from": source, "to": "next", "transform": given})
    rounds = wanted.max_steps * (MOST_ROUNDS + 1)
    params = {"workers": list(wanted.workers), "replans": wanted.replans, "max_steps": wanted.max_steps}
    most = (2 + wanted.replans) * (3 + wanted.max_steps * 2)
    head = _Head(name="plan", params=params, limits=limits(wanted.budget, most), steps=steps, edges=edges)
    return _graph(head, wanted.workers, words, most_at_once=wanted.max_steps, rounds=rounds)


def supervise(wanted: Supervise, words: Words) -> str:
    """Return the graph. Raises `UsageError`."""
    at_least(1, wanted.workers, "supervise")
    within("rounds", wanted.rounds, MOST_ROUNDS)
    within("max_children", wanted.max_children, MOST_CHILDREN)
    assignment = {"vp": list(dict.fromkeys(wanted.workers)), "task": "str"}
    output = {"finished": "bool", "answer": "str", "assignments": [assignment]}
    steps: list[dict[str, Any]] = [
        {"id": "lead", "agent": wanted.lead, "prompt": words["supervise_lead"], "output": output}
    ]
    given = (
        "{'decision': value, 'state': steps.next | default(none), 'rounds': params.rounds, 'most': params.max_children}"
    )
    edges: list[dict[str, Any]] = [
        {"from": "start", "to": "lead"},
        {"from": "lead", "to": "next", "transform": given},
    ]
    params = {"workers": list(wanted.workers), "rounds": wanted.rounds, "max_children": wanted.max_children}
    most = 3 * (wanted.rounds + 1) + wanted.max_children + 1
    head = _Head(name="supervise", params=params, limits=limits(wanted.budget, most), steps=steps, edges=edges)
    return _graph(head, wanted.workers, words, most_at_once=MOST_CHILDREN, rounds=MOST_ROUNDS)


class _Head(Struct, frozen=True, kw_only=True):
    """The part of a graph in which one decides: its first step, and the `edges` that lead to the step `next`."""

    name: str
    params: dict[str, Any]
    limits: dict[str, Any]
    steps: list[dict[str, Any]]
    edges: list[dict[str, Any]]


def _graph(head: _Head, workers: tuple[str, ...], words: Words, *, most_at_once: int, rounds: int) -> str:
    """The whole graph; work is handed out in `rounds` rounds at most, however often that is decided anew."""
    members = list(dict.fromkeys(workers))
    ids = unlike(members, TAKEN)
    name, first = head.name, head.steps[0]["id"]
    function = "planned" if name == "plan" else "supervised"
    spread = {"map": True, "max_items": most_at_once, "max_visits": rounds}
    work = {"type": "match", "field": "state", "value": "work"}
    ask = {"type": "match", "field": "state", "value": "ask"}
    ending, ends = endings(name, "next", words)
    bound = ", 'replans': params.replans" if name == "plan" else ""
    graph = {
        "name": name,
        "params": head.params,
        "limits": head.limits,
        "steps": [
            *head.steps,
            {"#": words["remark_next"], "id": "next", "call": f"{ASSIGNING}.{function}"},
            *(
                {"id": step_id, "agent": member, "prompt": words["work"], "on_error": "continue"}
                for step_id, member in zip(ids, members, strict=True)
            ),
            *ending,
        ],
        "joins": [
            {"#": words["remark_work"], "id": "work", "inputs": ["next"], "reducer": "first"},
            {"id": "did", "inputs": ids, "reducer": "first", "partial": True},
        ],
        "edges": [
            *head.edges,
            {"#": words["remark_best"], "from": "next", "to": "end", "transform": "value.text"},
            {"from": "next", "to": "work", "condition": work, "transform": "value.ready", **spread},
            *(
                {"from": "work", "to": step_id, "condition": {"type": "match", "field": "vp", "value": member}}
                for step_id, member in zip(ids, members, strict=True)
            ),
            {
                "from": "did",
                "to": "next",
                "join": True,
                "transform": f"{{'result': value, 'state': steps.next{bound}}}",
            },
            {"from": "next", "to": first, "condition": ask, "max_visits": MOST_ROUNDS},
            *ends,
        ],
    }
    return yaml_text(graph, words[f"about_{name}"])
