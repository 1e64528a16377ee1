"""Conditions as they would be written in YAML."""

from __future__ import annotations

from typing import Any

from yeaft.workflows.graphs.conditions import (
    Condition,
    Contains,
    Cost,
    Count,
    Elapsed,
    Every,
    Expr,
    Match,
    Not,
    Outside,
    Some,
    Tokens,
)


def written_condition(condition: Condition) -> dict[str, Any]:
    """Return a condition as plain values in the form of its YAML."""
    match condition:
        case Match():
            return _match(condition)
        case Contains():
            found: dict[str, Any] = {"type": "contains", "words": list(condition.words)}
            found |= {"mode": "all"} if condition.every else {}
            found |= {"whole_word": True} if condition.whole_word else {}
            return found | ({"case_sensitive": True} if condition.case_sensitive else {})
        case Expr(text=text):
            return {"type": "expr", "expr": text}
        case Count(max=most, scope=scope):
            return {"type": "count", "max": most, **_scope(scope)}
        case Cost(max_usd=most, scope=scope):
            return {"type": "cost", "max": most, **_scope(scope)}
        case Tokens(max=most, scope=scope, count=count):
            return {"type": "tokens", "max": most, **_scope(scope)} | (
                {} if count == "total" else {"count_type": count}
            )
        case Elapsed(max_ms=most, scope=scope):
            return {"type": "elapsed", "max": most / 1000, **_scope(scope)}
        case Outside(path=path, vp_id=vp_id, question=question):
            if path:
                return {"type": "callable", "predicate": path}
            return {"type": "judge", "vp": vp_id, "question": question}
        case Every(conditions=conditions):
            return {"type": "and", "conditions": [written_condition(one) for one in conditions]}
        case Some(conditions=conditions):
            return {"type": "or", "conditions": [written_condition(one) for one in conditions]}
        case Not(condition=inner):
            return {"type": "not", "condition": written_condition(inner)}


def _match(condition: Match) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "match"}
    if condition.field:
        found["field"] = condition.field
    if condition.has_value:
        found["value"] = condition.value
    if condition.within:
        found["in"] = list(condition.within)
    if condition.regex:
        found["regex"] = condition.regex
    return found | {key: value for key, value in (("gt", condition.gt), ("lt", condition.lt)) if value is not None}


def _scope(scope: str) -> dict[str, Any]:
    return {} if scope == "edge" else {"scope": scope}
