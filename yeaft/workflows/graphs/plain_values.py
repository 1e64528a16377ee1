"""Tells mappings and lists apart among values that came out of JSON or YAML, whose keys are text."""

from __future__ import annotations

from typing import Any, TypeGuard

from yeaft.kernel.lists import is_list


def is_mapping(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a value is a mapping."""
    return isinstance(value, dict)


def mapping(value: Any) -> dict[str, Any]:
    """A value that should be a mapping, or an empty one in its place."""
    return value if is_mapping(value) else {}


def listing(value: Any) -> list[Any]:
    """A value that should be a list, or an empty one in its place."""
    return value if is_list(value) else []
