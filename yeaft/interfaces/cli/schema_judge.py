"""The process that judges JSON Schemas and answers: what hangs, crashes or eats memory here harms nobody else.

`python -P schema_judge.py` reads `{"schema": TEXT, "answer": TEXT or null}` from its standard input and prints
`{"schema": PROBLEM, "answer": PROBLEM}`, each empty if there is none. It is a process of its own because a regular
expression cannot be stopped from outside, and a file that imports nothing of yeaft because it must start fast.
"""

import json
import resource
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from jsonschema import Draft202012Validator, SchemaError, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

MEMORY_BYTES = 2**30
CPU_S = 10  # should whoever asked be killed
MESSAGE_CHARS = 500
IN_PLACE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")
"""Keywords whose schemas are held against the same value, so that a way back to the start never ends."""

OFFLINE: Registry[Any] = import_module("jsonschema_specifications").REGISTRY  # which carries no types
"""The published meta-schemas and no way to fetch anything else."""


class Elsewhere(Exception):
    """A reference, the text of this error, leads out of the schema or nowhere."""


class Node:
    """A schema inside the schema: where its references lead, and which schemas judge the same value."""

    def __init__(self, schema: dict[str, Any], resolver: Any) -> None:
        self.inside = [
            _within(resolver, part) for part in DRAFT202012.subresources_of(schema) if isinstance(part, dict)
        ]
        in_place = {id(part) for part in _in_place(schema)}
        self.same_value = [found for found in self.inside if id(found[0]) in in_place]
        for keyword in ("$ref", "$dynamicRef"):
            if keyword in schema:
                resolved = _found(resolver, schema[keyword])
                if resolved[0] not in (True, False):
                    self.inside.append(resolved)
                    self.same_value.append(resolved)


def main() -> None:
    """Judge what stands on standard input."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    asked: dict[str, Any] = json.load(sys.stdin)
    found = {"schema": _schema_problem(asked["schema"]), "answer": ""}
    if asked["answer"] is not None and not found["schema"]:
        found["answer"] = _answer_problem(asked["answer"], json.loads(asked["schema"]))
    json.dump(found, sys.stdout)


def _schema_problem(text: str) -> str:
    try:
        schema = json.loads(text)
        Draft202012Validator.check_schema(schema)
        return _reference_problem(schema)
    except SchemaError as error:
        return f"is not a JSON Schema: {_short(error.message)} at {_short(error.json_path)}"
    except RecursionError:
        return "is nested too deeply to be checked"


def _answer_problem(text: str, schema: Any) -> str:
    try:
        validator: Any = Draft202012Validator(schema, registry=OFFLINE)
        validator.validate(json.loads(text))
    except ValidationError as error:
        return f"does not satisfy --schema at {_short(error.json_path)}: {_short(error.message)}"
    except RecursionError:
        return "is nested too deeply to be checked against --schema"
    return ""


def _reference_problem(schema: dict[str, Any]) -> str:
    resolver = OFFLINE.resolver_with_root(DRAFT202012.create_resource(schema))
    nodes: dict[int, Node] = {}
    waiting: list[tuple[dict[str, Any], Any]] = [(schema, resolver)]
    while waiting:
        part, its_resolver = waiting.pop()
        if id(part) in nodes:
            continue
        try:
            nodes[id(part)] = node = Node(part, its_resolver)
        except Elsewhere as ref:
            return f"refers to {_short(str(ref))}, which is not in it, and nothing is fetched. Put it under $defs"
        waiting += node.inside
    if _has_endless_way(nodes):
        return "refers back to itself without ever looking into the value, so checking would never end"
    return ""


def _found(resolver: Any, ref: str) -> tuple[Any, Any]:
    """The schema that `ref` leads to, with what resolves its own references."""
    try:
        resolved = resolver.lookup(ref)
    except (Unresolvable, ValueError) as error:
        raise Elsewhere(ref) from error
    if type(resolved.contents) not in (dict, bool):
        raise Elsewhere(ref)
    return resolved.contents, resolved.resolver


def _has_endless_way(nodes: dict[int, Node]) -> bool:
    """Whether schemas that judge the same value lead in a circle: nodes are taken away until none leads nowhere."""
    leading = {key: {id(part) for part, _ in node.same_value} for key, node in nodes.items()}
    before: dict[int, list[int]] = {key: [] for key in leading}
    for key, following in leading.items():
        for other in following:
            before[other].append(key)
    done = [key for key, following in leading.items() if not following]
    taken = 0
    while done:
        last = done.pop()
        taken += 1
        for key in before[last]:
            leading[key].discard(last)
            if not leading[key]:
                done.append(key)
    return taken < len(nodes)


def _in_place(schema: dict[str, Any]) -> Iterator[Any]:
    for keyword in IN_PLACE:
        value = schema.get(keyword)
        if isinstance(value, list):
            yield from value
        elif isinstance(value, dict):
            yield from value.values() if keyword == "dependentSchemas" else (value,)


def _within(resolver: Any, part: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    return part, resolver.in_subresource(DRAFT202012.create_resource(part))


def _short(text: str) -> str:
    return text if len(text) <= MESSAGE_CHARS else f"{text[:MESSAGE_CHARS]} …"


if __name__ == "__main__":
    main()
