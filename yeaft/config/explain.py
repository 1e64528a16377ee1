"""Says what is wrong with settings so that it can be mended: file, line, key, the nearest known key, the remedy.

Imported only when settings were refused, so that good ones cost nothing.
"""

import difflib
from collections.abc import Iterator, Sequence
from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec import Struct

from yeaft.config.lines import Parts, line_of
from yeaft.config.settings import PROTOCOL_HINT, Config
from yeaft.config.tables import Layer, Table, Value, dotted
from yeaft.kernel.errors import ConfigError
from yeaft.kernel.nearness import distance

SHOWN_PROBLEMS = 5


class Problem(Struct, frozen=True, kw_only=True):
    """One thing that is wrong; `parts` is the key it is about."""

    parts: Parts
    text: str


def explained(layers: Sequence[Layer], refusal: str) -> ConfigError:
    """An error that tells of every problem in `layers`, one line each; `refusal` is what the decoder said."""
    lines = [_line(layer, problem) for layer in layers for problem in problems(layer.table)]
    if not lines:
        return ConfigError(f"The settings cannot be used: {refusal}.")
    if len(lines) > SHOWN_PROBLEMS:
        lines = [*lines[:SHOWN_PROBLEMS], f"... and {len(lines) - SHOWN_PROBLEMS} more."]
    return ConfigError("\n".join(lines))


def problems(table: Table) -> Iterator[Problem]:
    """Everything in `table` that settings cannot be."""
    yield from _in_struct(table, Config, ())


def _line(layer: Layer, problem: Problem) -> str:
    place = f"{layer.path}, line {line_of(layer.text, problem.parts)}" if layer.path is not None else layer.origin
    return f"{place}: {problem.text}"


def _in_struct(value: Value, kind: type[Struct], at: Parts) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield Problem(parts=at, text=f"{dotted(at)} must be a table of settings, not {_named(value)}.")
        return
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for key, inner in value.items():
        here = (*at, key)
        if key in fields:
            yield from _in_value(inner, fields[key].type, here)
        else:
            yield Problem(parts=here, text=_unknown(here, inner, list(fields)))
    for key, field in fields.items():
        if field.required and key not in value:
            yield Problem(parts=at, text=f"{dotted(at)} has no {key}. Add {key} = ...")


def _in_value(value: Value, kind: Any, at: Parts) -> Iterator[Problem]:
    struct = _struct_in(kind)
    origin = get_origin(kind)
    if struct is not None:
        yield from _in_struct(value, struct, at)
    elif origin is dict and isinstance(value, dict):
        for key, inner in value.items():
            yield from _in_value(inner, get_args(kind)[1], (*at, key))
    elif origin is tuple and isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _in_value(inner, get_args(kind)[0], (*at, index))
    else:
        yield from _in_leaf(value, kind, at)


def _in_leaf(value: Value, kind: Any, at: Parts) -> Iterator[Problem]:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        words = _words(kind)
        if not words:
            yield Problem(parts=at, text=f"{dotted(at)}: {str(error).replace('`', '')}. Correct or remove it.")
            return
        hint = f" {PROTOCOL_HINT}." if at[-1] == "protocol" else ""
        yield Problem(parts=at, text=f"{dotted(at)} = {value!r}: choose one of {', '.join(words)}.{hint}")


def _struct_in(kind: Any) -> type[Struct] | None:
    """The struct that `kind` is, or is besides None."""
    arms = (kind, *get_args(kind)) if get_origin(kind) not in (dict, tuple) else ()
    return next((arm for arm in arms if isinstance(arm, type) and issubclass(arm, Struct)), None)


def _words(kind: Any) -> tuple[str, ...]:
    """The words that `kind` allows, if it is a choice of words; the empty one, which means no choice, is left out.

    Truth values come first if they are allowed as well.
    """
    arms = (kind, *get_args(kind))
    words: tuple[str, ...] = next((get_args(arm) for arm in arms if get_origin(arm) is Literal), ())
    truths = ("true", "false") if words and bool in arms else ()
    return (*truths, *(word for word in words if word))


def _unknown(at: Parts, value: Value, known: list[str]) -> str:
    """Say what was probably meant: a slip of what may stand here, or a setting of just this name in some table."""
    key = str(at[-1])
    slips = difflib.get_close_matches(key, known, n=1)
    is_close = bool(slips) and distance(key, slips[0]) == 1
    same = _same_name(key, value)
    if len(at) > 1:
        near = [*slips, *same]
    else:
        near = [*(_within(slip, value) for slip in slips), *same] if is_close else [*same, *slips]
    place = f"in {dotted(at[:-1])}" if len(at) > 1 else "at the top"
    return f"unknown key {key!r} {place}; " + (f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}.")


def _within(name: str, value: Value) -> str:
    """Return `name`, or the first setting of the table with this name that can be `value`, if that is no table."""
    if isinstance(value, dict):
        return name
    inner = (at for at, kind in _leaves(Config, ()) if at[0] == name and _can_be(value, kind, at))
    return next(map(dotted, inner), name)


def _same_name(key: str, value: Value) -> list[str]:
    """Return the settings of tables that are called so, those that can be `value` before others."""
    found = [(_can_be(value, kind, at), at) for at, kind in _leaves(Config, ()) if at[-1] == key]
    return [dotted(at) for can_be in (True, False) for fits, at in found if fits is can_be]


def _can_be(value: Value, kind: Any, at: Parts) -> bool:
    return next(_in_value(value, kind, at), None) is None


def _leaves(kind: type[Struct], at: Parts) -> Iterator[tuple[Parts, Any]]:
    """Yield the settings of tables whose names are fixed, with what they can be."""
    for field in msgspec.structs.fields(kind):
        here, struct = (*at, field.encode_name), _struct_in(field.type)
        if struct is not None:
            yield from _leaves(struct, here)
        elif at:
            yield here, field.type


def _named(value: Value) -> str:
    match value:
        case bool():
            return f"the truth value {str(value).lower()}"
        case str():
            return f"the text {value!r}"
        case list():
            return "a list"
        case _:
            return f"the number {value}"
