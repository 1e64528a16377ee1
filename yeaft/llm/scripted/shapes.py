"""JSON from outside, looked at without trusting it: what is not of the expected shape reads as empty."""

import re
from collections.abc import Iterator
from typing import Any, TypeGuard

from yeaft.kernel.lists import is_list

Json = dict[str, Any]
"""A JSON object; its values are checked on the line that uses them."""

SURROGATE = re.compile("[\ud800-\udfff]")


def is_object(value: object) -> TypeGuard[Json]:
    """Whether `value` is a JSON object."""
    return isinstance(value, dict)


def an_object(value: object) -> Json:
    """`value` if it is a JSON object, else an empty one."""
    return value if is_object(value) else {}


def a_list(value: object) -> list[Any]:
    """`value` if it is a JSON array, else an empty one."""
    return value if is_list(value) else []


def objects(value: object) -> list[Json]:
    """The JSON objects among the elements of `value`."""
    return [element for element in a_list(value) if is_object(element)]


def a_text(value: object) -> str:
    """`value` if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def places_of_surrogates(value: object, place: str = "") -> Iterator[str]:
    """Where in `value` a string, or a key, holds half of a surrogate pair: it cannot be written as UTF-8."""
    if isinstance(value, str):
        if SURROGATE.search(value):
            yield place
        return
    for key, element in an_object(value).items():
        if SURROGATE.search(key):
            yield f"{place}.{key.encode('ascii', 'backslashreplace').decode()}"
        yield from places_of_surrogates(element, f"{place}.{key}")
    for number, element in enumerate(a_list(value)):
        yield from places_of_surrogates(element, f"{place}[{number}]")
