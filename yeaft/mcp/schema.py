"""Makes the JSON Schema of a server's tool one that every provider takes, whatever the server sent.

One schema that a provider refuses makes it refuse the whole request, so only what is known to be accepted is kept: an
object at the top, known keywords with values of the right kind, no references. Arguments are judged by the server
alone, so what is lost here costs a model a hint, never a call.
"""

import re
from collections.abc import Callable, Mapping

import msgspec
from msgspec import Raw

from yeaft.mcp.json_value import Json, JsonObject, object_in, object_of, objects, strings
from yeaft.mcp.plain import one_line

MOST_DEPTH = 8
MOST_PROPERTIES = 64
MOST_CHOICES = 64
MOST_NODES = 400
LIMIT_BYTES = 8 * 1024
TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
ANY_OBJECT: JsonObject = {"type": "object", "properties": {}}
_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


def clean_schema(raw: Raw) -> Raw:
    """The schema to tell a model; that of any object if nothing can be made of the server's."""
    document = object_of(raw)
    for describes in (True, False):
        clean = _Cleaner(document, describes=describes).top()
        encoded = msgspec.json.encode(clean)
        if len(encoded) <= LIMIT_BYTES:
            return Raw(encoded)
    return Raw(msgspec.json.encode(ANY_OBJECT))


def _is_count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_FITS: Mapping[str, Callable[[Json], bool]] = {
    "minimum": _is_number,
    "maximum": _is_number,
    "exclusiveMinimum": _is_number,
    "exclusiveMaximum": _is_number,
    "minLength": _is_count,
    "maxLength": _is_count,
    "minItems": _is_count,
    "maxItems": _is_count,
    "uniqueItems": lambda value: isinstance(value, bool),
    "format": lambda value: isinstance(value, str) and len(value) <= MOST_CHOICES,
}


class _Cleaner:
    """Cleans one document; it counts what it has made, because references can make a small document huge."""

    def __init__(self, document: JsonObject, *, describes: bool) -> None:
        self._document = document
        self._describes = describes
        self._nodes = 0

    def top(self) -> JsonObject:
        """The whole document as the schema of an object."""
        merged = self._merged(self._document, depth=0, following=())
        clean = self._object(merged, depth=0, following=())
        if description := merged.get("description"):
            clean = {**self._said(description), **clean}
        return clean

    def _merged(self, node: JsonObject, *, depth: int, following: tuple[str, ...]) -> JsonObject:
        """A schema with the properties of its alternatives and parts; no provider takes those at the top."""
        node, following = self._followed(node, following)
        if depth > MOST_DEPTH:
            return node
        properties = dict(object_in(node, "properties"))
        required = list(strings(node.get("required")))
        for key in ("allOf", "anyOf", "oneOf"):
            for part in objects(node.get(key)):
                inner = self._merged(part, depth=depth + 1, following=following)
                properties = {**object_in(inner, "properties"), **properties}
                if key == "allOf":
                    required += strings(inner.get("required"))
        found: JsonObject = {"properties": properties, "required": list(required)}
        return {**node, **{key: value for key, value in found.items() if value}}

    def _node(self, node: Json, *, depth: int, following: tuple[str, ...]) -> JsonObject:
        self._nodes += 1
        if not isinstance(node, dict) or depth > MOST_DEPTH or self._nodes > MOST_NODES:
            return {}
        node, following = self._followed(node, following)
        if parts := [self._followed(part, following)[0] for part in objects(node.get("allOf"))]:
            beside: JsonObject = {key: value for part in parts for key, value in part.items() if key != "allOf"}
            node = {**beside, **self._merged(node, depth=depth, following=following)}
        clean = self._said(node.get("description"))
        kind = _type_of(node)
        if kind is not None:
            clean["type"] = kind
        clean |= self._values(node)
        clean |= {key: node[key] for key, fits in _FITS.items() if key in node and fits(node[key])}
        kinds = kind if isinstance(kind, list) else [kind]
        if "object" in kinds:
            clean |= self._object(node, depth=depth, following=following) | ({"type": kind} if len(kinds) > 1 else {})
        if "array" in kinds:
            items = node.get("items")
            clean["items"] = self._node(items, depth=depth + 1, following=following)
        choices = [*objects(node.get("anyOf")), *objects(node.get("oneOf"))][:MOST_CHOICES]
        if choices:
            clean["anyOf"] = [self._node(choice, depth=depth + 1, following=following) for choice in choices]
        return clean

    def _object(self, node: JsonObject, *, depth: int, following: tuple[str, ...]) -> JsonObject:
        named = {name: value for name, value in object_in(node, "properties").items() if _PROPERTY.fullmatch(name)}
        properties: JsonObject = {
            name: self._node(value, depth=depth + 1, following=following)
            for name, value in list(named.items())[:MOST_PROPERTIES]
        }
        clean: JsonObject = {"type": "object", "properties": properties}
        required = [name for name in dict.fromkeys(strings(node.get("required"))) if name in properties]
        if required:
            clean["required"] = list(required)
        more = node.get("additionalProperties")
        if isinstance(more, bool):
            clean["additionalProperties"] = more
        elif isinstance(more, dict):
            clean["additionalProperties"] = self._node(more, depth=depth + 1, following=following)
        return clean

    def _said(self, description: Json) -> JsonObject:
        if not self._describes or not isinstance(description, str) or not (line := one_line(description)):
            return {}
        return {"description": line}

    def _values(self, node: JsonObject) -> JsonObject:
        values = [node["const"]] if "const" in node else node.get("enum")
        if not isinstance(values, list):
            return {}
        plain = {repr(value): value for value in values if not isinstance(value, dict | list)}
        unique: list[Json] = list(plain.values())
        return {"enum": unique} if unique and len(unique) <= MOST_CHOICES else {}

    def _followed(self, node: JsonObject, following: tuple[str, ...]) -> tuple[JsonObject, tuple[str, ...]]:
        """What a node refers to, with what stands beside the reference; any object if it leads into itself."""
        while isinstance(ref := node.get("$ref"), str):
            if ref in following or len(following) >= MOST_DEPTH:
                return {"type": "object"}, following
            target = self._target(ref)
            following = (*following, ref)
            node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
        return node, following

    def _target(self, ref: str) -> JsonObject:
        found: Json = self._document
        if not ref.startswith("#"):
            return {}
        for part in ref[1:].split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            found = found.get(key) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else {}


def _type_of(node: JsonObject) -> str | list[Json] | None:
    """The type of a node, as it is said or else as it follows from the rest; None if it can be anything."""
    said = node.get("type")
    if isinstance(said, str) and said in TYPES:
        return said
    if isinstance(said, list):
        known: list[Json] = [one for one in dict.fromkeys(strings(said)) if one in TYPES]
        if known:
            return known if len(known) > 1 else str(known[0])
    if "properties" in node:
        return "object"
    if "items" in node:
        return "array"
    values = node.get("enum", [node["const"]] if "const" in node else None)
    if isinstance(values, list) and values:
        kinds = {_kind(value) for value in values}
        return kinds.pop() if len(kinds) == 1 else None
    return None


def _kind(value: Json) -> str:
    kinds: dict[type, str] = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
    return "object" if isinstance(value, dict) else kinds.get(type(value), "null")
