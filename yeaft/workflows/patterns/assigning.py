"""What graphs that hand out work think between two rounds: what can be done next, what came of it, and is it over.

Functions that graphs call by their import path. Each gives a mapping with `state` (`work`, `ask`, `done`, `stuck` or
`spent`), `ready` (what is to be done now, each `{id, vp, task, context}`), `text` (what there is so far) and `why`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from yeaft.kernel.lists import is_list
from yeaft.workflows.graphs.conditions import text_of

TWICE = 2
MOST_CONTEXT_CHARS = 20_000


def planned(given: Any) -> dict[str, Any]:
    """Go on with a plan: given a new one (`{plan, state, replans}`), or what came of a round (`[{result, state}]`).

    Steps that are done stay so when a new plan comes. It is `stuck` when the same step fails twice.
    """
    if isinstance(given, list):
        round_ = cast("list[dict[str, Any]]", given)
        before = round_[0]["state"]
        most = round_[0].get("replans", before["most_replans"])
        return _after_work({**before, "most_replans": most}, [one["result"] for one in round_])
    new = cast("Mapping[str, Any]", given)
    earlier = _mapping(new.get("state"))
    state: dict[str, Any] = {
        "results": earlier.get("results", {}),
        "failures": earlier.get("failures", {}),
        "replans": earlier.get("replans", -1) + 1,
        "most_replans": new["replans"],
        "plan": _mapping(new["plan"]).get("steps", []),
        "problem": "",
    }
    problem = _mistake(state["plan"], state["results"])
    return _asked_again(state, problem) if problem else _next(state)


def supervised(given: Any) -> dict[str, Any]:
    """Go on with what a lead decided (`{decision, state, rounds, most}`), or what came of it (`[{result, state}]`).

    It is `stuck` when the lead hands out what it has handed out before, `spent` after `rounds` decisions or `most`
    pieces of work.
    """
    if isinstance(given, list):
        round_ = cast("list[dict[str, Any]]", given)
        return _reported(round_[0]["state"], [one["result"] for one in round_])
    new = cast("Mapping[str, Any]", given)
    before, decision = _mapping(new.get("state")), _mapping(new["decision"])
    done = list(before.get("work", []))
    number = int(before.get("round", 0)) + 1
    answer = str(decision.get("answer") or "")
    state: dict[str, Any] = {
        "work": done,
        "round": number,
        "text": answer or before.get("text") or _told(done),
        "left": new["most"] - len(done),
        "ready": [],
        "why": "",
    }
    if decision.get("finished"):
        return {**state, "state": "done"}
    wanted = [{"vp": str(one["vp"]), "task": str(one["task"])} for one in _mappings(decision.get("assignments"))]
    handed = {(one["vp"], one["task"]) for one in done}
    if not wanted or all((one["vp"], one["task"]) in handed for one in wanted):
        said = "hands out nothing new" if wanted else "neither hands out work nor finishes"
        return {**state, "state": "stuck", "why": f"no progress: in round {number} the lead {said}"}
    if state["left"] <= 0 or number > new["rounds"]:
        limit = f"{new['most']} pieces of work" if state["left"] <= 0 else f"{new['rounds']} rounds"
        return {**state, "state": "spent", "why": f"the lead has not finished within {limit}"}
    ready = [
        {"id": str(len(done) + place), "context": "", **one}
        for place, one in enumerate(wanted[: state["left"]], start=1)
    ]
    return {**state, "state": "work", "ready": ready}


def _reported(state: dict[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """The state of a lead's work with what came of a round of it."""
    new = [
        {"id": one["id"], "vp": one["vp"], "task": one["task"], "result": _shown(result)}
        for one, result in zip(state["ready"], results, strict=True)
    ]
    work = [*state["work"], *new]
    left = state["left"] - len(new)
    return {**state, "state": "ask", "work": work, "left": left, "ready": [], "text": _told(work)}


def _after_work(state: dict[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """The state of a plan with what came of a round of it."""
    kept, failures = dict(state["results"]), dict(state["failures"])
    problems: list[str] = []
    for one, result in zip(state["ready"], results, strict=True):
        error = _error(result)
        if error:
            failures[one["id"]] = [*failures.get(one["id"], []), error]
            problems.append(f"step {one['id']!r} (@{one['vp']}): {error}")
        else:
            kept[one["id"]] = {"vp": one["vp"], "task": one["task"], "result": text_of(result)}
    state = {**state, "results": kept, "failures": failures}
    twice = next((one for one, errors in failures.items() if len(errors) >= TWICE and one not in kept), "")
    if problems and twice:
        why = f"no progress: step {twice!r} has failed twice: {failures[twice][-1]}"
        return {**state, "state": "stuck", "ready": [], "text": _told_of(kept), "why": why}
    return _asked_again(state, "; ".join(problems)) if problems else _next(state)


def _asked_again(state: dict[str, Any], problem: str) -> dict[str, Any]:
    """The state of a plan that cannot be gone on with: another is asked for, unless there were enough."""
    state = {**state, "ready": [], "problem": problem, "text": _told_of(state["results"]), "why": ""}
    if state["replans"] < state["most_replans"]:
        return {**state, "state": "ask"}
    return {**state, "state": "spent", "why": f"{state['most_replans']} new plans were not enough: {problem}"}


def _next(state: dict[str, Any]) -> dict[str, Any]:
    """The state of a plan with the steps that can be done now."""
    results = state["results"]
    left = [one for one in state["plan"] if one["id"] not in results]
    ready = [
        {"id": one["id"], "vp": one["vp"], "task": one["task"], "context": _context(one, results)}
        for one in left
        if all(name in results for name in one["after"])
    ]
    return {**state, "state": "work" if left else "done", "ready": ready, "text": _told_of(results), "why": ""}


def _mistake(plan: Sequence[Mapping[str, Any]], results: Mapping[str, Any]) -> str:
    """Say what is wrong with a plan; empty for nothing."""
    ids = [one["id"] for one in plan]
    if not plan:
        return "the plan has no steps"
    if len(set(ids)) < len(ids):
        return "two steps of the plan have the same id"
    done = set(results)
    for one in plan:
        unknown = [name for name in one["after"] if name not in ids and name not in results]
        if unknown:
            return f"step {one['id']!r} waits for {unknown[0]!r}, which is no step"
    left = [one for one in plan if one["id"] not in done]
    while left:
        ready = [one["id"] for one in left if all(name in done for name in one["after"])]
        if not ready:
            return f"the steps {', '.join(one['id'] for one in left)} wait for one another"
        done.update(ready)
        left = [one for one in left if one["id"] not in done]
    return ""


def _context(one: Mapping[str, Any], results: Mapping[str, Any]) -> str:
    parts = [f"## {name} (@{results[name]['vp']})\n\n{results[name]['result']}" for name in one["after"]]
    return "\n\n".join(parts)[:MOST_CONTEXT_CHARS]


def _told_of(results: Mapping[str, Any]) -> str:
    return "\n\n".join(f"## {name} (@{one['vp']})\n\n{one['result']}" for name, one in results.items())


def _told(work: Sequence[Mapping[str, Any]]) -> str:
    return "\n\n".join(f"## {one['id']}. @{one['vp']}: {one['task']}\n\n{one['result']}" for one in work)


def _error(result: Any) -> str:
    found = _mapping(result)
    return str(found["error"] or found["status"]) if set(found) == {"error", "status", "step"} else ""


def _shown(result: Any) -> str:
    error = _error(result)
    return f"(failed: {error})" if error else text_of(result)


def _mappings(value: Any) -> list[dict[str, Any]]:
    return [_mapping(one) for one in value] if is_list(value) else []


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
