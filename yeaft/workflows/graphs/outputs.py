"""What a step gives: its type, and the JSON Schema of what it must look like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from yeaft.kernel.lists import is_list
from yeaft.workflows.graphs import bounded_judge
from yeaft.workflows.graphs.bounded_regexes import MOST_CPU_S, TooSlow, is_quick_schema, misfits_apart
from yeaft.workflows.graphs.graph import OutType, Step, VpTask
from yeaft.workflows.graphs.plain_values import MOST_NESTED, is_mapping, is_nested_too_deep, listing, mapping

OUT_TYPES: tuple[OutType, ...] = ("text", "json", "list", "table", "image", "diff", "file", "url", "model")
SPREADABLE: tuple[OutType, ...] = ("text", "json", "list", "table")
"""What can hold a list; a text may be JSON."""
MOST_MISTAKES = 5
_TYPES = {
    "str": "string",
    "text": "string",
    "int": "integer",
    "float": "number",
    "number": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
    "json": "object",
    "any": "",
}


def output_schema(written: Any) -> dict[str, Any]:
    """Return the JSON Schema that a short form stands for; one that is a schema already is taken as it is.

    `{verdict: [accept, revise], issues: [str], score: float}`: a list of several is a choice, a list of one type a
    list of that. Raises `ValueError` for what is none of these.
    """
    if is_mapping(written) and ("$schema" in written or written.get("type") == "object"):
        _check_schema(written)
        return written
    return _schema(written)


def _check_schema(schema: Mapping[str, Any]) -> None:
    """Raise `ValueError` for what is no JSON Schema, or speaks of another one, which nobody fetches."""
    from jsonschema import Draft202012Validator, SchemaError

    for reference in _references(schema):
        if not reference.startswith("#"):
            raise ValueError(f"{reference!r} is not in this schema, and nothing is fetched")
    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError as error:
        place = ".".join(map(str, error.path))
        raise ValueError(f"it is no JSON Schema: {place + ': ' if place else ''}{error.message}") from error


def _references(written: Any) -> Iterator[str]:
    for key, value in mapping(written).items():
        if key in ("$ref", "$dynamicRef") and isinstance(value, str):
            yield value
        yield from _references(value)
    for one in listing(written):
        yield from _references(one)


def fields_of(step: Step) -> Mapping[str, Any]:
    """The schemas by name of all that a step gives, if it must give a mapping of just these; else nothing."""
    if not isinstance(step.task, VpTask) or not step.task.schema:
        return {}
    schema = msgspec.json.decode(step.task.schema, type=dict[str, Any])
    fields = mapping(schema.get("properties"))
    is_open = schema.get("type") != "object" or "additionalProperties" in schema or "patternProperties" in schema
    return {} if is_open else fields


def misfits(value: Any, schema: Mapping[str, Any]) -> list[str]:
    """Return in words what of a value does not fit a schema; nothing if it does.

    Blocks for a while, but not for ever, where the schema has a regular expression that may take long.
    """
    if is_nested_too_deep(value):
        return [f"value: it is nested more than {MOST_NESTED} deep."]
    if is_quick_schema(schema):
        return bounded_judge.misfits(value, schema, MOST_MISTAKES)
    try:
        return misfits_apart(value, schema, MOST_MISTAKES)
    except TooSlow:
        return [
            f"value: to hold it against the schema takes more than {MOST_CPU_S} s; a pattern there may be too slow."
        ]


def schema_type(schema: Mapping[str, Any]) -> OutType:
    """The type of what such a schema describes."""
    return "list" if schema.get("type") == "array" else "json"


def _schema(written: Any) -> dict[str, Any]:
    if isinstance(written, str) and written in _TYPES:
        return {"type": _TYPES[written]} if _TYPES[written] else {}
    if is_list(written) and written:
        if len(written) == 1 and (is_mapping(written[0]) or (isinstance(written[0], str) and written[0] in _TYPES)):
            return {"type": "array", "items": _schema(written[0])}
        if all(isinstance(one, str | int | float | bool) for one in written):
            return {"enum": written}
    if is_mapping(written) and written:
        properties = {name: _schema(one) for name, one in written.items()}
        return {"type": "object", "properties": properties, "required": list(properties)}
    raise ValueError(f"{str(written)!r} says no type; there are {', '.join(_TYPES)}, lists and mappings of them")
