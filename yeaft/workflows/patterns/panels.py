"""Patterns in which several work on one task at once: `parallel` keeps every answer, `vote` counts them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct

from yeaft.kernel.errors import UsageError
from yeaft.workflows.patterns.pattern import MOST_MEMBERS, Budget, Words, at_least, limits, unlike, within
from yeaft.workflows.patterns.yaml_text import yaml_text

TAKEN = ("start", "end", "all", "merge", "count", "key")
ANSWERS = "yeaft.workflows.patterns.answers"


class Parallel(Struct, frozen=True, kw_only=True):
    """All members answer; their answers are kept with their names, and put together by `merge` if there is one."""

    members: tuple[str, ...]
    merge: str = ""
    budget: Budget = Budget()


class Vote(Struct, frozen=True, kw_only=True):
    """All members answer the same question, each of them `times` times; what most say counts.

    With `stop` it ends as soon as more than half of all say the same. `key` is the import path of a function that
    makes of an answer what is compared.
    """

    members: tuple[str, ...]
    times: int = 1
    stop: Literal["", "majority"] = ""
    key: str = ""
    budget: Budget = Budget()


def parallel(wanted: Parallel, words: Words) -> str:
    """Return the graph. Raises `UsageError`."""
    at_least(2, wanted.members, "parallel")
    ids = unlike(wanted.members, TAKEN)
    steps: list[dict[str, Any]] = [
        {"id": step_id, "agent": member, "on_error": "continue", "timeout": "30m"}
        for step_id, member in zip(ids, wanted.members, strict=True)
    ]
    edges = [{"from": "start", "to": ids}, *_signed(ids, wanted.members, "all")]
    if wanted.merge:
        steps.append({"id": "merge", "agent": wanted.merge, "prompt": words["parallel_merge"]})
        edges += [{"from": "all", "to": "merge"}, {"from": "merge", "to": "end"}]
    graph = {
        "name": "parallel",
        "limits": limits(wanted.budget, len(steps) + 1),
        "steps": steps,
        "joins": [{"id": "all", "inputs": ids, "reducer": f"{ANSWERS}.signed"}],
        "edges": edges,
    }
    return yaml_text(graph, words["about_parallel"])


def vote(wanted: Vote, words: Words) -> str:
    """Return the graph. Raises `UsageError`."""
    within("The number of votes", wanted.times, MOST_MEMBERS)
    members = [member for member in wanted.members for _ in range(wanted.times)]
    if len(members) > MOST_MEMBERS:
        raise UsageError(f"vote takes {MOST_MEMBERS} votes at most; there would be {len(members)}.")
    at_least(2, members, "vote")
    ids = unlike(members, TAKEN)
    output = {"answer": "str", "reason": "str"}
    on_error = "skip" if wanted.key else "continue"
    steps: list[dict[str, Any]] = [
        {"id": step_id, "agent": member, "prompt": words["vote"], "output": output, "on_error": on_error}
        for step_id, member in zip(ids, members, strict=True)
    ]
    inputs, edges = ids, list(_signed(ids, members, "count"))
    if wanted.key:
        inputs = [f"{step_id} key" for step_id in ids]
        steps += [{"id": step_id, "call": wanted.key} for step_id in inputs]
        edges = list(_keyed(ids, members))
    join: dict[str, Any] = {"id": "count", "inputs": inputs, "reducer": f"{ANSWERS}.counted"}
    if wanted.key or wanted.stop:
        join["initial"] = {"asked": len(ids), "stop": bool(wanted.stop)}
    if wanted.key:
        join["partial"] = True
    if wanted.stop:
        key = "answer.key" if wanted.key else "answer.answer"
        join |= {"#": words["remark_vote_stop"], "stop": wanted.stop, "key": key}
    graph = {
        "name": "vote",
        "limits": limits(wanted.budget, len(steps) + 1),
        "steps": steps,
        "joins": [join],
        "edges": [
            {"from": "start", "to": ids},
            *edges,
            {"# shown": words["remark_vote_end"], "from": "count", "to": "end", "transform": "value.text"},
        ],
    }
    return yaml_text(graph, words["about_vote"])


def _keyed(ids: list[str], members: list[str]) -> Iterator[dict[str, Any]]:
    """Edges over which an answer reaches the function that says what is compared of it, and goes on to be counted."""
    for step_id, member in zip(ids, members, strict=True):
        yield {"from": step_id, "to": f"{step_id} key", "transform": "value.answer", "priority": -1}
        answer = f"{{'answer': steps['{step_id}'].answer, 'key': value}}"
        yield {"from": f"{step_id} key", "to": "count", "transform": f"{{'vp': '{member}', 'answer': {answer}}}"}


def _signed(ids: list[str], members: list[str] | tuple[str, ...], target: str) -> list[dict[str, Any]]:
    """Edges that say whose answer it is that goes over them."""
    return [
        {"from": step_id, "to": target, "transform": f"{{'vp': '{member}', 'answer': value}}"}
        for step_id, member in zip(ids, members, strict=True)
    ]
