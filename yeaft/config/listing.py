"""All settings in force as flat rows, for `yeaft config ls --origin`; and which keys there can be."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, get_args, get_origin

import msgspec
from msgspec import Struct

from yeaft.config.layers import Loaded
from yeaft.config.settings import Config
from yeaft.config.tables import dotted

BUILT_IN = "built-in"
HIDDEN = "***"
UNSET = "-"
NOTHING = ("null", '""')
NAMED_BY_USERS = frozenset({"providers", "vps"})
"""Tables of entries that only users make; what such an entry leaves open is not listed."""
Node: TypeAlias = Struct | dict[str, "Node"] | tuple["Node", ...] | str | int | float | None
_SECRET_WORDS = ("key", "auth", "token", "secret", "cookie", "password")


class Setting(Struct, frozen=True, kw_only=True):
    """One key with its value as JSON would write it (secrets hidden), and the place that set it."""

    key: str
    value: str
    origin: str

    @property
    def is_set(self) -> bool:
        """Whether the value says anything; an empty text or none leaves it to yeaft."""
        return self.value not in NOTHING

    @property
    def shown(self) -> str:
        """The value as lists show it."""
        return self.value if self.is_set else UNSET


def settings(loaded: Loaded) -> tuple[Setting, ...]:
    """Every key of the configuration in the order of its declaration, those nobody set included."""
    rows = _rows(loaded.config, ())
    return tuple(Setting(key=key, value=value, origin=_origin(key, loaded)) for key, value in rows)


def is_key(parts: Sequence[str]) -> bool:
    """Whether a configuration can hold a value at the key with these parts, set or not."""
    kind: Any = Config
    for part in parts:
        if get_origin(kind) is dict:
            kind = get_args(kind)[1]
        elif isinstance(kind, type) and issubclass(kind, Struct):
            kind = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}.get(part)
        else:
            return False
    return kind is not None


def _origin(key: str, loaded: Loaded) -> str:
    """The origin of `key` or, for a part of a list or an inline table, of the setting that holds it."""
    while key:
        if key in loaded.origins:
            return loaded.origins[key]
        key = key[: max(key.rfind("."), key.rfind("["), 0)]
    return BUILT_IN


def _rows(value: Node, at: tuple[str | int, ...]) -> Iterator[tuple[str, str]]:
    match value:
        case Struct():
            for field, inner in zip(msgspec.structs.fields(value), msgspec.structs.astuple(value), strict=True):
                yield from _rows(inner, (*at, field.encode_name))
        case dict():
            for key, inner in sorted(value.items()):
                yield from _rows(inner, (*at, key))
        case tuple() if any(isinstance(inner, Struct) for inner in value):
            for index, inner in enumerate(value):
                yield from _rows(inner, (*at, index))
        case None if at[0] in NAMED_BY_USERS or at[:2] == ("mcp", "servers"):
            return
        case _:
            yield dotted(at), _shown(value, at)


def _shown(value: Node, at: tuple[str | int, ...]) -> str:
    if value and is_secret(at):
        return HIDDEN
    return msgspec.json.encode(value).decode()


def is_secret(at: Sequence[str | int]) -> bool:
    """Whether the value at a key is one to hide: keys and the like of a service, and what a server is given.

    The name of a variable that holds a key is no secret, nor is a command.
    """
    last = str(at[-1]).lower()
    if at[0] == "mcp":
        return "env" in at[2:] or "headers" in at[2:]
    if at[0] not in {"providers", "search"}:
        return False
    return last == "api_key" or ("headers" in at and any(word in last for word in _SECRET_WORDS))
