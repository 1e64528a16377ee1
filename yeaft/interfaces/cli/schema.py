"""`--schema`: an answer that must be JSON of a given shape."""

import re
from pathlib import Path
from typing import Any

import msgspec

from yeaft.kernel.errors import BadData, NotFound

_FENCE = re.compile(r"\A\s*```[a-zA-Z]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)


def read_schema(given: str) -> dict[str, Any]:
    """Return the JSON Schema that `given` is, or that the file it names holds.

    Raises `NotFound` for a missing file and `BadData` for what is not a JSON Schema.
    """
    is_inline = given.lstrip().startswith("{")
    try:
        text = given if is_inline else Path(given).read_text(encoding="utf-8")
    except OSError as error:
        raise NotFound(f"--schema: {given} cannot be read: {error.strerror}.") from error
    place = "--schema" if is_inline else f"--schema {given}"
    try:
        schema = msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise BadData(f"{place} is not a JSON object: {error}.") from error
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise BadData(f"{place} is not a JSON Schema: {error.message} at {error.json_path}.") from error
    return schema


def unfenced(text: str) -> str:
    """Return `text` without the Markdown code fence that models like to put around JSON."""
    found = _FENCE.match(text)
    return found[1] if found else text.strip()


def problem_with(answer: str, schema: dict[str, Any]) -> str:
    """Say why an answer does not satisfy the schema; empty if it does."""
    try:
        value = msgspec.json.decode(unfenced(answer))
    except msgspec.DecodeError as error:
        return f"The answer is not JSON ({error}), so it cannot satisfy --schema."
    from jsonschema import Draft202012Validator, ValidationError, validate

    try:
        validate(value, schema, cls=Draft202012Validator)
    except ValidationError as error:
        return f"The answer does not satisfy --schema at {error.json_path}: {error.message}."
    return ""
