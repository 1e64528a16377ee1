"""What pydantic finds wrong with a written graph, in words that people can act on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import AliasChoices, ValidationError
from pydantic.fields import FieldInfo

from yeaft.kernel.nearness import nearest
from yeaft.workflows.graphs.files import written
from yeaft.workflows.graphs.files.located import Path

MOST_DETAILS = 200
"""After so many mistakes nobody reads on."""
_PARTS: dict[str, Any] = {
    "steps": written.WrittenStep,
    "edges": written.WrittenEdge,
    "joins": written.WrittenJoin,
    "limits": written.WrittenLimits,
    "retries": written.WrittenRetries,
}
_WAYS = {"WrittenRetries", "int"}
"""What pydantic calls the two ways in which retries can be written."""
_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "string": "text",
    "list": "a list",
    "tuple": "a list",
}
"""What is needed where something is not of the kind that the first word of pydantic's name for a mistake says."""
_BOUNDS = {
    "greater_than": "more than {gt:g} is needed",
    "greater_than_equal": "{ge:g} or more is needed",
    "less_than_equal": "{le:g} is the most",
    "too_short": "it must not be empty",
}
_CONDITIONS: dict[str, type[written.WrittenCondition]] = {
    name: model
    for model in written.WrittenCondition.__subclasses__()
    for name in get_args(model.model_fields["type"].annotation)
}
"""The conditions by the types that they can be written as."""


def told(error: ValidationError) -> Iterator[tuple[Path, str]]:
    """Yield where something is wrong, and what; a key that is missing because it is misspelt is told of once."""
    details = error.errors(include_url=False, include_input=False)[:MOST_DETAILS]
    mappings = {_path(one["loc"])[:-1] for one in details if _WAYS & set(map(str, one["loc"][:-1]))}
    meant: set[Path] = set()
    for detail in details:
        path = _path(detail["loc"])
        if detail["type"] == "extra_forbidden":
            known = _known_keys(path, str(detail["loc"][-2:-1][0]) if path[:-1] else "")
            near = nearest(str(path[-1]), sorted(known))
            if near:
                meant.add((*path[:-1], near))
            hint = f" Did you mean {near!r}?" if near else f" There are {', '.join(sorted(known))}."
            yield path, f"{path[-1]!r} is no key here.{hint}"
    for detail in details:
        path = _path(detail["loc"])
        is_told = detail["type"] == "extra_forbidden" or (detail["type"] == "missing" and path in meant)
        is_other_way = path in mappings and bool(_WAYS & set(map(str, detail["loc"])))
        if not (is_told or is_other_way):
            yield path, _said(detail["type"], path, detail["msg"], detail.get("ctx", {}))


def _said(kind: str, path: Path, text: str, context: dict[str, Any]) -> str:
    key = next((part for part in reversed(path) if isinstance(part, str)), "")
    match kind:
        case "missing":
            return f"{path[-1]!r} is missing"
        case "union_tag_invalid":
            tag = str(context.get("tag", ""))
            near = nearest(tag, sorted(written.CONDITION_TYPES))
            hint = f" Did you mean {near!r}?" if near else f" There are {', '.join(sorted(written.CONDITION_TYPES))}."
            return f"there is no condition of the type {tag!r}.{hint}"
        case "union_tag_not_found":
            return "a condition needs a `type`"
        case "model_type" | "dict_type" | "model_attributes_type":
            one = "each one" if isinstance(path[-1:][0] if path else "", int) else "it"
            return f"{key}: {one} must be a mapping, such as {{key: value}}" if key else "it must be a mapping"
        case "literal_error":
            choices = re.findall(r"'([^']*)'", str(context.get("expected", "")))
            return f"{key}: one of {', '.join(choices)} is needed" if choices[1:] else f"{key}: {choices[0]} is needed"
        case "greater_than" | "greater_than_equal" | "less_than_equal" | "too_short":
            return f"{key}: {_BOUNDS[kind].format(**context)}"
        case _ if (wanted := _KINDS.get(kind.partition("_")[0])) is not None:
            return f"{key}: {wanted} is needed"
        case _:
            return f"{key}: {text.removeprefix('Value error, ')}"


def _path(place: tuple[str | int, ...]) -> Path:
    """A place without the kinds of conditions, which pydantic puts between its parts."""
    path: Path = ()
    for part in place:
        is_condition = path[-1:] in (("condition",), ("stop_condition",)) or path[-2:-1] == ("conditions",)
        is_way = path[-1:] == ("retries",) and part in _WAYS
        if not is_way and (not is_condition or part not in written.CONDITION_TYPES):
            path = (*path, part)
    return path


def _known_keys(path: Path, kind: str) -> frozenset[str]:
    """The keys that may stand where one stands that may not; `kind` is the type of the condition, if it is one's."""
    model: Any = written.WrittenGraph
    for part in path[:-1]:
        model = _PARTS.get(str(part), model)
    is_condition = bool({"condition", "stop_condition"} & set(map(str, path[:-1])))
    fields = (_CONDITIONS[kind] if is_condition and kind in _CONDITIONS else model).model_fields
    return frozenset(key for name, field in fields.items() for key in _names(name, field))


def _names(name: str, field: FieldInfo) -> Iterator[str]:
    """The keys under which a field may be written."""
    choices = field.validation_alias.choices if isinstance(field.validation_alias, AliasChoices) else ()
    yield from (one for one in choices if isinstance(one, str)) if choices else (field.alias or name,)
