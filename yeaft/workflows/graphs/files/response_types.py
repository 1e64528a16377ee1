"""What agents of other programs must answer with: their short form of typed fields as JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from yeaft.workflows.graphs.plain_values import is_mapping, mapping

_TYPES = {
    "str": "string",
    "string": "string",
    "int": "integer",
    "integer": "integer",
    "float": "number",
    "number": "number",
    "bool": "boolean",
    "boolean": "boolean",
    "list": "array",
    "dict": "object",
}
_LIMITS = {
    "ge": "minimum",
    "le": "maximum",
    "gt": "exclusiveMinimum",
    "lt": "exclusiveMaximum",
    "min_length": "minLength",
    "max_length": "maxLength",
    "pattern": "pattern",
    "enum": "enum",
}
_LIST = re.compile(r"(?:list|set|tuple|List|Sequence)\[(.+?)(?:, *\.\.\.)?\]")
_MAPPING = re.compile(r"(?:dict|Dict|Mapping)\[.*\]")


def answer_schema(written: Any, responses: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the JSON Schema of a `result_type`, an `output_type` or a name in `responses`.

    None for text, and for what only a Python program could look up.
    """
    if isinstance(written, str):
        if written in responses:
            return answer_schema(responses[written], {})
        return {"type": _TYPES[written]} if _TYPES.get(written, "string") != "string" else None
    if not is_mapping(written):
        return None
    if is_mapping(written.get("response_schema")):
        return answer_schema(written["response_schema"], {})
    if is_mapping(fields := written.get("fields")):
        properties = {str(name): _field(field) for name, field in fields.items()}
        return {"type": "object", "properties": properties, "required": list(properties)}
    is_schema = written.get("type") in ("object", "array") and ("properties" in written or "items" in written)
    return written if is_schema else None


def is_unknown(written: Any, responses: Mapping[str, Any]) -> bool:
    """Whether an answer is to be of a type that cannot be known here, such as a class of a Python program."""
    is_text = written is None or (isinstance(written, str) and _TYPES.get(written, "") == "string")
    return not is_text and answer_schema(written, responses) is None


def _field(written: Any) -> dict[str, Any]:
    if not is_mapping(written):
        return _typed(str(written))
    found = _typed(str(written.get("type", "str")))
    if written.get("description"):
        found["description"] = str(written["description"])
    limits = mapping(written.get("constraints"))
    found |= {_LIMITS[name]: value for name, value in limits.items() if name in _LIMITS}
    if isinstance(written.get("values"), list):
        found["enum"] = written["values"]
    return found


def _typed(name: str) -> dict[str, Any]:
    plain = name.strip()
    if found := _LIST.fullmatch(plain):
        return {"type": "array", "items": _typed(found[1])}
    if _MAPPING.fullmatch(plain):
        return {"type": "object"}
    return {"type": _TYPES[plain]} if plain in _TYPES else {}
