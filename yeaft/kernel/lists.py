"""Tells lists among values of any kind, such as those of JSON."""

from typing import Any, TypeGuard


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether a value is a list; what is in it may be anything."""
    return isinstance(value, list)
