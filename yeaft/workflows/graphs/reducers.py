"""What a join makes of its values: the built-in reducers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from yeaft.workflows.graphs.conditions import read_json, text_of
from yeaft.workflows.graphs.graph import Join


def reduced(join: Join, values: Sequence[Any]) -> Any:
    """Return what the values come to, in their order. Raises `ValueError` if they are not of the kind it takes."""
    initial = msgspec.json.decode(join.initial) if join.initial else None
    return REDUCERS[join.reducer](values, initial)


def _list(values: Sequence[Any], initial: Any) -> list[Any]:
    return [*(initial or ()), *values]


def _extend(values: Sequence[Any], initial: Any) -> list[Any]:
    lists = [_as(list, value) for value in values]
    return [*(initial or ()), *(item for one in lists for item in one)]


def _dict(values: Sequence[Any], initial: Any) -> dict[str, Any]:
    merged: dict[str, Any] = dict(initial or {})
    for value in values:
        merged.update(_as(dict, value))
    return merged


def _sum(values: Sequence[Any], initial: Any) -> float | int:
    total: float | int = initial or 0
    for value in values:
        total += _number(value)
    return total


def _number(value: Any) -> float | int:
    found = read_json(value) if isinstance(value, str) else value
    if isinstance(found, int | float) and not isinstance(found, bool):
        return found
    raise ValueError(f"{value!r} is no number to be summed")


def _text(values: Sequence[Any], initial: Any) -> str:
    return "\n\n".join([*([str(initial)] if initial else []), *map(text_of, values)])


def _first(values: Sequence[Any], initial: Any) -> Any:
    return values[0] if values else initial


def _last(values: Sequence[Any], initial: Any) -> Any:
    return values[-1] if values else initial


def _majority(values: Sequence[Any], initial: Any) -> dict[str, Any]:
    """What most say, the earliest among equals, and how many of all agree."""
    said = [folded(value) for value in values]
    if not said:
        return {"answer": initial, "agreement": 0.0, "votes": 0}
    counts = Counter(said)
    best = max(said, key=lambda one: (counts[one], -said.index(one)))
    return {"answer": values[said.index(best)], "agreement": counts[best] / len(said), "votes": len(said)}


def folded(value: Any) -> str:
    """What is compared of a value when votes are counted: its text without case, and without blanks around it."""
    return text_of(value).strip().casefold()


def _as(kind: type, value: Any) -> Any:
    found = read_json(value) if isinstance(value, str) else value
    if isinstance(found, kind):
        return found
    raise ValueError(f"{value!r} is no {'list' if kind is list else 'mapping'}")


REDUCERS: Mapping[str, Callable[[Sequence[Any], Any], Any]] = {
    "list": _list,
    "extend": _extend,
    "dict": _dict,
    "sum": _sum,
    "text": _text,
    "first": _first,
    "last": _last,
    "majority": _majority,
}
"""By name; a join without one gives the list."""
