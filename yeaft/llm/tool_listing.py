"""Tools as a model without tool calling reads of them: a line each, with what their schemas say in few words."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from yeaft.llm import wire_json
from yeaft.llm.prompt import ToolSpec

SILENT_DEFAULTS: tuple[object, ...] = ("", False, None, [], {})
"""What an argument that was left out is expected to be anyway."""
UNDERSTOOD = frozenset(
    {"type", "description", "default", "enum", "const", "items", "properties", "required", "$ref", "$defs", "anyOf"}
    | {"minimum", "maximum", "minItems", "additionalProperties", "title"}
)
"""A schema with any other word in it is shown as it is."""
DEEPEST = 6


def listed(tool: ToolSpec) -> str:
    """One line, and indented ones where the description has more: name, arguments and what the tool is for."""
    description = tool.description.strip().replace("\n", "\n  ")
    return f"- {tool.name}({_arguments(bytes(tool.schema))}): {description}"


@lru_cache(maxsize=512)
def _arguments(raw: bytes) -> str:
    try:
        schema = wire_json.decode_object(raw)
    except ValueError:
        return ""
    return ", ".join(_Shapes(_object_at(schema, "$defs")).fields(schema, 0))


class _Shapes:
    """Writes schemas that may refer to `parts`."""

    def __init__(self, parts: Mapping[str, Any]) -> None:
        self._parts = parts

    def fields(self, schema: Mapping[str, Any], depth: int) -> list[str]:
        required = _list_at(schema, "required")
        return [
            self._field(name, _object(value), depth, is_required=name in required)
            for name, value in _object_at(schema, "properties").items()
        ]

    def _field(self, name: str, schema: Mapping[str, Any], depth: int, *, is_required: bool) -> str:
        shape, default = self._shape(schema, depth), schema.get("default")
        said = name if is_required else f"{name}?"
        if shape != "string":
            said += f": {shape}"
        if default not in SILENT_DEFAULTS:
            said += f" = {_json(default)}"
        description = schema.get("description")
        return f"{said} ({description.strip()})" if isinstance(description, str) and description.strip() else said

    def _shape(self, schema: Mapping[str, Any], depth: int) -> str:
        if depth > DEEPEST or not UNDERSTOOD.issuperset(schema):
            return _json({key: value for key, value in schema.items() if key not in ("description", "default")})
        if isinstance(ref := schema.get("$ref"), str):
            return self._shape(_object(self._parts.get(ref.rpartition("/")[2])), depth + 1)
        if "enum" in schema or "const" in schema:
            return "|".join(map(_json, _list_at(schema, "enum") or [schema.get("const")]))
        if choices := _list_at(schema, "anyOf"):
            return "|".join(self._shape(_object(choice), depth + 1) for choice in choices)
        kind = schema.get("type")
        if isinstance(kind, list):
            return "|".join(map(str, cast("list[object]", kind)))
        if kind == "array":
            least = f" at least {schema['minItems']}" if "minItems" in schema else ""
            return f"[{self._shape(_object_at(schema, 'items'), depth + 1)}]{least}"
        if kind == "object":
            return self._object_shape(schema, depth)
        return f"{kind or 'any'}{_bounds(schema)}"

    def _object_shape(self, schema: Mapping[str, Any], depth: int) -> str:
        if "properties" in schema:
            return "{" + ", ".join(self.fields(schema, depth + 1)) + "}"
        others = _object_at(schema, "additionalProperties")
        return f"{{name: {self._shape(others, depth + 1)}}}" if others else "object"


def _bounds(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is None and most is None:
        return ""
    return f" {'' if least is None else least}..{'' if most is None else most}"


def _object_at(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return _object(schema.get(key))


def _object(value: object) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}  # keys of JSON objects are strings


def _list_at(schema: Mapping[str, Any], key: str) -> Sequence[object]:
    value = schema.get(key)
    return cast("list[object]", value) if isinstance(value, list) else []


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
