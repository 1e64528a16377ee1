"""Nested tables as TOML has them: dotted keys, and laying one table over another."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

Value: TypeAlias = str | int | float | bool | list["Value"] | dict[str, "Value"]
Table: TypeAlias = dict[str, Value]

RULE_LISTS = ("allow", "ask", "deny")
"""Lists of permission rules: they grow from layer to layer, while every other list replaces the one below."""


class Layer(Struct, frozen=True, kw_only=True):
    """The settings of one place, unchecked. `path` and `text` are there only for a file."""

    origin: str
    table: Table
    path: Path | None = None
    text: str = ""


class Stack:
    """Layers laid over each other from the weakest to the strongest, and where each setting came from."""

    def __init__(self) -> None:
        self.layers: list[Layer] = []
        self.table: Table = {}
        self.origins: dict[str, str] = {}

    def add(self, layer: Layer) -> None:
        """Lay `layer` over what is there."""
        self.layers.append(layer)
        self.table = self._over(self.table, layer.table, layer.origin, ())

    def _over(self, below: Table, above: Table, origin: str, at: tuple[str, ...]) -> Table:
        merged = dict(below)
        for key, value in above.items():
            here = (*at, key)
            old = merged.get(key)
            if isinstance(value, dict):
                merged[key] = self._over(old if isinstance(old, dict) else {}, value, origin, here)
            else:
                merged[key] = self._leaf(here, old, value, origin)
        return merged

    def _leaf(self, parts: tuple[str, ...], old: Value | None, value: Value, origin: str) -> Value:
        key = dotted(parts)
        if is_rule_list(parts) and isinstance(old, list) and isinstance(value, list):
            self.origins[key] = f"{self.origins[key]} + {origin}"
            return [*old, *(rule for rule in value if rule not in old)]
        self.origins[key] = origin
        return value


def is_rule_list(parts: Sequence[str]) -> bool:
    """Whether the key with these parts holds permission rules, of everybody or of one VP."""
    match tuple(parts):
        case ("permissions", last) | ("vps", _, last):
            return last in RULE_LISTS
        case _:
            return False


def dotted(parts: Sequence[str | int]) -> str:
    """The parts of a key joined as TOML would write them; positions in a list become `[0]`."""
    joined = ""
    for part in parts:
        if isinstance(part, int):
            joined += f"[{part}]"
        else:
            joined += ("." if joined else "") + (part if _is_bare(part) else '"' + part.replace('"', '\\"') + '"')
    return joined


def nested(parts: Sequence[str], value: Value) -> Table:
    """A table that holds only `value`, at the key with these parts (at least one)."""
    for part in reversed(parts[1:]):
        value = {part: value}
    return {parts[0]: value}


def leaves(table: Table, at: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Value]]:
    """All values that are not tables, with the parts of their keys."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from leaves(value, (*at, key))
        else:
            yield (*at, key), value


def _is_bare(part: str) -> bool:
    return bool(part) and part.isascii() and part.replace("-", "").replace("_", "").isalnum()
