"""Tells mappings and lists apart among values that came out of JSON or YAML, whose keys are text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeGuard

from yeaft.kernel.lists import is_list

MOST_NESTED = 200
"""No value may be nested deeper: what reads and writes it would come to the end of Python's stack, now or later."""


def is_mapping(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a value is a mapping."""
    return isinstance(value, dict)


def mapping(value: Any) -> dict[str, Any]:
    """A value that should be a mapping, or an empty one in its place."""
    return value if is_mapping(value) else {}


def listing(value: Any) -> list[Any]:
    """A value that should be a list, or an empty one in its place."""
    return value if is_list(value) else []


def is_nested_too_deep(value: Any) -> bool:
    """Whether there are more than `MOST_NESTED` lists and mappings within one another."""
    level = [value]
    for _ in range(MOST_NESTED):
        level = [one for outer in level for one in _inner(outer) if isinstance(one, list | dict)]
        if not level:
            return False
    return True


def _inner(value: Any) -> Iterable[Any]:
    return value.values() if is_mapping(value) else listing(value)
