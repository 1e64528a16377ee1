"""Patterns that go round until it is good: `critic`, writer and critic, and `test-repair`, a command that judges."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from yeaft.kernel.errors import UsageError
from yeaft.workflows.patterns.pattern import MOST_ROUNDS, Budget, Words, endings, limits, within
from yeaft.workflows.patterns.yaml_text import yaml_text

ROUNDS = "yeaft.workflows.patterns.rounds"
MOST_COMMAND_S = 600
AGAIN = {"type": "match", "field": "state", "value": "again"}


class Critic(Struct, frozen=True, kw_only=True):
    """`writer` does a task and improves it until `critic` accepts it, `rounds` times at most.

    With `accept`, the import path of a function, that says of a review whether it accepts.
    """

    writer: str
    critic: str
    rounds: int = 3
    accept: str = ""
    budget: Budget = Budget()


class Repair(Struct, frozen=True, kw_only=True):
    """`coder` does a task and mends it until `command` succeeds, in `tries` tries at most of `timeout_s` each."""

    coder: str
    command: str
    tries: int = 5
    timeout_s: int = 120
    budget: Budget = Budget()


def critic(wanted: Critic, words: Words) -> str:
    """Return the graph. Raises `UsageError`."""
    within("rounds", wanted.rounds, MOST_ROUNDS)
    output = {"verdict": ["accept", "revise"], "issues": ["str"]}
    steps, ends = endings("critic", "weigh", words)
    graph: dict[str, Any] = {
        "name": "critic",
        "params": {"rounds": wanted.rounds},
        "limits": limits(wanted.budget, 3 * wanted.rounds + 1),
        "steps": [
            {"id": "draft", "agent": wanted.writer, "prompt": words["critic_draft"]},
            {"id": "review", "agent": wanted.critic, "prompt": words["critic_review"], "output": output},
            {"#": words["remark_weigh"], "id": "weigh", "call": f"{ROUNDS}.reviewed"},
            *steps,
        ],
        "edges": [
            {"from": "start", "to": "draft"},
            {"from": "draft", "to": "review"},
            *_reviewed(wanted.accept),
            {"#": words["remark_best"], "from": "weigh", "to": "end", "transform": "value.best"},
            {"from": "weigh", "to": "draft", "condition": AGAIN, "max_visits": MOST_ROUNDS},
            *ends,
        ],
    }
    return yaml_text(graph, words["about_critic"])


def _reviewed(accept: str) -> list[dict[str, Any]]:
    """The edges by which a review reaches what weighs it; a function of the user's has the last word on it."""
    given = (
        "{'review': value, 'draft': steps.draft, 'before': steps.weigh | default(none), 'rounds': params.roundsMORE}"
    )
    edge = {"from": "review", "to": "weigh"}
    if not accept:
        return [{**edge, "transform": given.replace("MORE", "")}]
    says = {"type": "callable", "predicate": accept}
    return [
        {**edge, "condition": says, "transform": given.replace("MORE", ", 'accepted': true")},
        {**edge, "else": True, "transform": given.replace("MORE", ", 'accepted': false")},
    ]


def repair(wanted: Repair, words: Words) -> str:
    """Return the graph. Raises `UsageError`."""
    within("tries", wanted.tries, MOST_ROUNDS)
    within("The time limit", wanted.timeout_s, MOST_COMMAND_S)
    if not wanted.command.strip():
        raise UsageError("test-repair needs the command that judges: --cmd 'pytest -q'.")
    given = (
        "{'output': value, 'report': steps.code, 'before': steps.weigh | default(none), "
        "'command': params.command, 'tries': params.tries}"
    )
    steps, ends = endings("repair", "weigh", words)
    args = {"command": "{{ params.command }}", "timeout_ms": wanted.timeout_s * 1000}
    graph: dict[str, Any] = {
        "name": "test-repair",
        "params": {"command": wanted.command, "tries": wanted.tries},
        "limits": limits(wanted.budget, 3 * wanted.tries + 1),
        "steps": [
            {"id": "code", "agent": wanted.coder, "prompt": words["repair_code"]},
            {"#": words["remark_rules"], "id": "test", "tool": "Bash", "args": args, "on_error": "continue"},
            {"#": words["remark_weigh"], "id": "weigh", "call": f"{ROUNDS}.tried"},
            *steps,
        ],
        "edges": [
            {"from": "start", "to": "code"},
            {"from": "code", "to": "test"},
            {"from": "test", "to": "weigh", "transform": given},
            {"#": words["remark_best"], "from": "weigh", "to": "end", "transform": "value.text"},
            {"from": "weigh", "to": "code", "condition": AGAIN, "max_visits": MOST_ROUNDS},
            *ends,
        ],
    }
    return yaml_text(graph, words["about_test_repair"])
