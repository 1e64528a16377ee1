"""Looks into JSON from strangers without trusting its shape."""

from typing import Any, cast

import msgspec
from msgspec import Raw

Json = dict[str, "Json"] | list["Json"] | str | float | bool | None
JsonObject = dict[str, Json]


def object_of(raw: Raw) -> JsonObject:
    """The object that `raw` is, an empty one if it is anything else."""
    try:
        found: Any = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return cast("JsonObject", found) if isinstance(found, dict) else {}  # JSON objects have string keys


def object_in(node: JsonObject, key: str) -> JsonObject:
    """The object under `key`, an empty one if there is none."""
    value = node.get(key)
    return value if isinstance(value, dict) else {}


def objects(value: Json) -> tuple[JsonObject, ...]:
    """The objects in a list; nothing for anything else."""
    return tuple(one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()


def strings(value: Json) -> tuple[str, ...]:
    """The strings in a list; nothing for anything else."""
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
