"""Reads front matter that is beyond the everyday subset, with the YAML library and a bound on what comes out."""

import warnings
from collections.abc import Iterator
from itertools import count
from typing import Protocol, cast

from msgspec import Struct
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from yeaft.prompts.scalars import Value

LIMIT_VALUES = 10_000
LIMIT_DEPTH = 8


class Mistake(Struct, frozen=True, kw_only=True):
    """Why a text is not the YAML it must be; `line` counts from 0 within it.

    `is_too_much` says that it may be YAML, but holds more than can be meant.
    """

    reason: str
    line: int = 0
    is_too_much: bool = False


class _TooMuch(ValueError):
    """The text holds too many values, or values nested too deep."""


class _Reader(Protocol):
    def load(self, stream: str, /) -> object: ...


class _Mark(Protocol):
    line: int


class _Marked(Protocol):
    problem: str | None
    problem_mark: _Mark | None


def read_yaml(text: str) -> dict[str, Value] | Mistake:
    """Return the mapping that `text` holds, all scalars as text; aliases cannot make it larger than the limits."""
    try:
        reader = cast("_Reader", YAML(typ="base", pure=True))  # ruamel.yaml has hints for half of its methods
        with warnings.catch_warnings(action="ignore"):  # it would print what it thinks of an anchor used twice
            value = _value(reader.load(text), LIMIT_DEPTH, count())
    except MarkedYAMLError as error:
        marked = cast("_Marked", error)  # likewise for its errors
        return Mistake(reason=marked.problem or str(error), line=marked.problem_mark.line if marked.problem_mark else 0)
    except (_TooMuch, RecursionError) as error:
        return Mistake(reason=str(error).partition("\n")[0], is_too_much=True)
    except (YAMLError, ValueError) as error:
        return Mistake(reason=str(error).partition("\n")[0])
    return value if isinstance(value, dict) else Mistake(reason="must be `key: value` lines")


def _value(node: object, depth: int, counted: Iterator[int]) -> Value:
    if depth == 0 or next(counted) > LIMIT_VALUES:
        raise _TooMuch("holds too many values, or values nested too deep")
    if isinstance(node, dict):
        entries = cast("dict[object, object]", node).items()  # YAML keys can be anything
        return {str(key): _value(value, depth - 1, counted) for key, value in entries}
    if isinstance(node, list):
        return [_value(value, depth - 1, counted) for value in cast("list[object]", node)]  # of anything
    return "" if node is None else str(node)
