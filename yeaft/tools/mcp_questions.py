"""Puts what an MCP server wants to know to the human: one question for each field that it describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Raw, Struct

from yeaft.mcp.host_protocol import Elicited
from yeaft.mcp.job import Filled
from yeaft.mcp.json_value import JsonObject, object_in, object_of, objects, strings
from yeaft.mcp.plain import one_line
from yeaft.prompts.fill import fill
from yeaft.tools.ask_user import Asker

Value = str | int | float | bool | list[str]
Kind = Literal["string", "number", "integer", "boolean", "several"]
MOST_FIELDS = 20
MOST_TRIES = 3
MESSAGE_CHARS = 2_000
URL_CHARS = 2_000


class Field(Struct, frozen=True, kw_only=True):
    """One thing to fill in. `choices` are the values by what the human sees of them; with none, any value fits."""

    name: str
    kind: Kind
    label: str
    required: bool = False
    choices: Mapping[str, str] = {}
    least: float | None = None
    most: float | None = None


class _Declined(Exception):
    """The human does not want to answer at all."""


class Questions:
    """Asks about one call. `texts` are the sections of `prompts/mcp`."""

    def __init__(self, asker: Asker, call_id: str, texts: Mapping[str, str]) -> None:
        self._asker = asker
        self._call_id = call_id
        self._texts = texts
        self._asked = 0

    async def elicit(self, elicited: Elicited) -> Filled | None:
        """What the human filled in; None if it was declined. Raises `ToolFailed` when nobody is there."""
        try:
            return await self._elicit(elicited)
        except _Declined:
            return None

    async def _elicit(self, elicited: Elicited) -> Filled | None:
        message = one_line(elicited.message, MESSAGE_CHARS)
        if elicited.url:
            return await self._page(elicited, message)
        fields: dict[str, Value] = {}
        for field in fields_of(elicited.schema)[:MOST_FIELDS]:
            intro = fill(self._texts["intro"], {"server": elicited.server, "message": message})
            answer = await self._field(field, f"{intro}\n{field.label}")
            if answer is None:
                if field.required:
                    return None
                continue
            fields[field.name] = answer
        return Filled(fields=fields)

    async def _page(self, elicited: Elicited, message: str) -> Filled | None:
        named = {"server": elicited.server, "message": message, "url": one_line(elicited.url, URL_CHARS)}
        answer = await self._ask(fill(self._texts["page"], named), (self._texts["yes"], self._texts["decline"]))
        return Filled(fields={}) if answer == self._texts["yes"] else None

    async def _field(self, field: Field, question: str) -> Value | None:
        """The value of a field; None if it is left out or declined."""
        none = self._texts["decline" if field.required else "skip"]
        options = tuple(field.choices) if field.kind == "string" else ()
        if field.kind == "boolean":
            options = (self._texts["yes"], self._texts["no"])
        text = question
        if field.kind == "several":
            text = f"{question}\n{', '.join(field.choices)} {self._texts['several']}"
        problem = ""
        for _ in range(MOST_TRIES):
            answer = (await self._ask(f"{problem}\n{text}".strip(), (*options, none))).strip()
            if answer in ("", none):
                return None
            value = self._value(field, answer)
            if value is not None:
                return value
            problem = fill(self._texts[_problem_of(field)], {"answer": one_line(answer)})
        return None

    def _value(self, field: Field, answer: str) -> Value | None:
        """The answer as the server wants it; None if it does not fit."""
        match field.kind:
            case "boolean":
                known = {self._texts["yes"]: True, self._texts["no"]: False, "yes": True, "no": False}
                return known.get(answer.casefold())
            case "number" | "integer":
                return _number(field, answer)
            case "several":
                words = [word.strip() for word in answer.split(",") if word.strip()]
                values = [field.choices.get(word, word) for word in words]
                return values if not field.choices or set(values) <= set(field.choices.values()) else None
            case "string":
                if field.choices:
                    value = field.choices.get(answer, answer)
                    return value if value in field.choices.values() else None
                return answer if _fits(field, len(answer)) else None

    async def _ask(self, question: str, options: tuple[str, ...]) -> str:
        self._asked += 1
        answer = await self._asker.ask(self._call_id, question, options, self._asked)
        if answer is None:
            raise _Declined
        return answer


def fields_of(schema: Raw) -> tuple[Field, ...]:
    """What a server wants filled in, as far as it can be understood."""
    document = object_of(schema)
    required = strings(document.get("required"))
    found = object_in(document, "properties").items()
    return tuple(_field(name, one, required=name in required) for name, one in found if isinstance(one, dict))


def _field(name: str, found: JsonObject, *, required: bool) -> Field:
    said = found.get("type")
    kinds: dict[object, Kind] = {"boolean": "boolean", "number": "number", "integer": "integer", "array": "several"}
    kind = kinds.get(said if isinstance(said, str) else "", "string")
    texts = [text for key in ("title", "description") if isinstance(text := found.get(key), str) and text]
    return Field(
        name=name,
        kind=kind,
        label=": ".join(map(one_line, texts)) or one_line(name),
        required=required,
        choices=_choices(object_in(found, "items") if kind == "several" else found),
        least=_limit(found, "minimum", "minLength"),
        most=_limit(found, "maximum", "maxLength"),
    )


def _choices(found: JsonObject) -> dict[str, str]:
    """The values that a field may have, by how they are shown."""
    values, names = strings(found.get("enum")), strings(found.get("enumNames"))
    if values:
        shown = names if len(names) == len(values) else values
        return {one_line(name): value for name, value in zip(shown, values, strict=True)}
    chosen: dict[str, str] = {}
    for one in (*objects(found.get("oneOf")), *objects(found.get("anyOf"))):
        value, title = one.get("const"), one.get("title")
        if isinstance(value, str):
            chosen[one_line(title if isinstance(title, str) else value)] = value
    return chosen


def _limit(found: JsonObject, *keys: str) -> float | None:
    for key in keys:
        value = found.get(key)
        if isinstance(value, int | float):
            return float(value)
    return None


def _number(field: Field, answer: str) -> float | None:
    try:
        value = int(answer) if field.kind == "integer" else float(answer)
    except ValueError:
        return None
    return value if _fits(field, value) else None


def _fits(field: Field, size: float) -> bool:
    return (field.least is None or size >= field.least) and (field.most is None or size <= field.most)


def _problem_of(field: Field) -> str:
    if field.kind in ("number", "integer"):
        return "wrong_number"
    return "wrong_choice" if field.choices or field.kind == "boolean" else "wrong_text"
