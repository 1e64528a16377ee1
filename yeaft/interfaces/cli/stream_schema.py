"""The JSON Schema of stream-json, made from the structs that write it; `scripts/schema` keeps the published copy."""

from collections.abc import Mapping
from typing import Any, get_args

from msgspec import inspect

from yeaft.events.codec import Event, Transient
from yeaft.interfaces.cli.graphs.graph_result import GraphResult
from yeaft.interfaces.cli.json_screen import STREAM_JSON_VERSION, Line
from yeaft.interfaces.cli.result import Result

PUBLISHED = f"schema/stream-json.v{STREAM_JSON_VERSION}.json"
"""Its place in the templates folder."""
_PLAIN: Mapping[type[inspect.Type], str] = {
    inspect.StrType: "string",
    inspect.IntType: "integer",
    inspect.FloatType: "number",
    inspect.BoolType: "boolean",
    inspect.NoneType: "null",
}
ABOUT = (
    "One line of `yeaft --output-format stream-json`. `data` is the event that `type` names; the last line, and only "
    "that, is a `result`, which is also what `--output-format json` prints. Readers must ignore types and fields they "
    "do not know: new ones may come without a new version."
)


def stream_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12) of any line; `$defs` holds one definition per type of event."""
    events: tuple[Any, ...] = (*get_args(Event), *get_args(Transient))
    definitions: dict[str, Any] = {}
    kinds = {str(event.__struct_config__.tag): event for event in events} | {"result": Result}
    data = {kind: _schema(inspect.type_info(cls), definitions) for kind, cls in sorted(kinds.items())}
    data["result"] = {"anyOf": [data["result"], _schema(inspect.type_info(GraphResult), definitions)]}
    line = _definition(inspect.type_info(Line), definitions)
    line["properties"]["v"] = {"const": STREAM_JSON_VERSION}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"yeaft stream-json, version {STREAM_JSON_VERSION}",
        **line,
        "description": ABOUT,
        "allOf": [
            {"if": {"properties": {"type": {"const": kind}}}, "then": {"properties": {"data": reference}}}
            for kind, reference in data.items()
        ],
        "$defs": dict(sorted(definitions.items())),
    }


def _schema(info: inspect.Type, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type; structs are defined once. msgspec's own generator cannot show a default `Raw`."""
    match info:
        case inspect.StructType(cls=cls):
            if cls.__name__ not in definitions:
                definitions[cls.__name__] = {}  # a struct that holds itself ends here
                definitions[cls.__name__] = _definition(info, definitions)
            return {"$ref": f"#/$defs/{cls.__name__}"}
        case inspect.UnionType(types=types):
            return {"anyOf": [_schema(one, definitions) for one in types]}
        case inspect.VarTupleType(item_type=item):
            return {"type": "array", "items": _schema(item, definitions)}
        case inspect.DictType(value_type=value):
            return {"type": "object", "additionalProperties": _schema(value, definitions)}
        case inspect.LiteralType(values=values):
            return {"enum": list(values)}
        case inspect.RawType():
            return {}
        case _:
            return {"type": _PLAIN[type(info)]}


def _definition(info: inspect.Type, definitions: dict[str, Any]) -> dict[str, Any]:
    assert isinstance(info, inspect.StructType)
    properties: dict[str, Any] = {info.tag_field: {"const": info.tag}} if info.tag_field else {}
    properties |= {field.encode_name: _schema(field.type, definitions) for field in info.fields}
    may_be_left_out = {
        field.encode_name for field in info.fields if not field.required and info.cls.__struct_config__.omit_defaults
    }
    return {
        "description": " ".join((info.cls.__doc__ or "").split()),
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in may_be_left_out],
    }
