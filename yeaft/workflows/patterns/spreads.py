"""The pattern `map`: the same is done with each of many things, such as files, some at a time."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from yeaft.kernel.errors import UsageError
from yeaft.workflows.patterns.pattern import MOST_ITEMS, MOST_MEMBERS, Budget, Words, limits, within
from yeaft.workflows.patterns.yaml_text import yaml_text

ANSWERS = "yeaft.workflows.patterns.answers"


class Map(Struct, frozen=True, kw_only=True):
    """`member` does the task with each of `items`, or of the files whose names fit the pattern `over`.

    `max_parallel` at a time, `max_items` in all; `collect` puts the results together if there is one.
    """

    member: str
    over: str = ""
    items: tuple[str, ...] = ()
    max_parallel: int = 4
    max_items: int = 100
    collect: str = ""
    budget: Budget = Budget()


def map_(wanted: Map, words: Words) -> str:
    """Return the graph. Raises `UsageError`."""
    if bool(wanted.over) == bool(wanted.items):
        raise UsageError("map needs either a pattern of file names (--over 'src/**/*.py') or things (--item).")
    within("max_parallel", wanted.max_parallel, MOST_MEMBERS)
    within("max_items", wanted.max_items, MOST_ITEMS)
    if len(wanted.items) > wanted.max_items:
        raise UsageError(f"There are {len(wanted.items)} things to go over; max_items allows {wanted.max_items}.")
    spread: dict[str, Any] = {"map": True, "max_parallel": wanted.max_parallel, "max_items": wanted.max_items}
    steps: list[dict[str, Any]] = []
    edges: list[dict[str, Any]] = []
    if wanted.over:
        args = {"pattern": wanted.over, "limit": wanted.max_items + 1}
        steps += [{"id": "find", "tool": "Glob", "args": args}, {"id": "list", "call": f"{ANSWERS}.listed"}]
        edges += [{"from": "start", "to": "find"}, {"from": "find", "to": "list"}]
        edges.append({"from": "list", "to": "do", **spread})
    else:
        edges.append({"from": "start", "to": "do", "transform": "params.items", **spread})
    steps.append({"id": "do", "agent": wanted.member, "prompt": words["map_do"], "on_error": "continue"})
    steps.append({"id": "all", "call": f"{ANSWERS}.gathered"})
    edges.append({"from": "do", "to": "all", "join": True, "transform": _RESULT.replace("ITEMS", _items(wanted))})
    if wanted.collect:
        steps.append({"id": "collect", "agent": wanted.collect, "prompt": words["map_collect"]})
        edges += [{"from": "all", "to": "collect"}, {"from": "collect", "to": "end"}]
    most = len(steps) + wanted.max_items
    params: dict[str, Any] = {"params": {"items": list(wanted.items)}} if wanted.items else {}
    graph: dict[str, Any] = {
        "name": "map",
        **params,
        "limits": {**limits(wanted.budget, most), "max_parallel": wanted.max_parallel},
        "steps": steps,
        "edges": edges,
    }
    return yaml_text(graph, words["about_map"])


_RESULT = "{'item': ITEMS[index], 'result': value}"


def _items(wanted: Map) -> str:
    return "steps.list" if wanted.over else "params.items"
