"""Any event that the types allow, made from the types."""

from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
from hypothesis import strategies as st
from msgspec import Raw, Struct

from yeaft.events.codec import Event

RAW = st.sampled_from([b"{}", b'{"type":"x","n":[1,null,"\\u00e9"]}', b'"text"', b"null"]).map(Raw)


def plain_text(min_size: int = 0) -> st.SearchStrategy[str]:
    """Text of any script, without lone surrogates."""
    return st.text(st.characters(exclude_categories=["Cs"]), min_size=min_size, max_size=12)


def events() -> st.SearchStrategy[Event]:
    return st.one_of([structs(cls) for cls in get_args(Event)])


def structs(cls: type[Struct]) -> st.SearchStrategy[Any]:
    return st.builds(cls, **{field.name: values(field.type) for field in msgspec.structs.fields(cls)})


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Values of an annotation that occurs in an event."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, UnionType):
        return st.one_of([values(argument) for argument in arguments])
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=2).map(tuple)
    if origin is dict:
        return st.dictionaries(values(arguments[0]), values(arguments[1]), max_size=2)
    if issubclass(kind, Struct):
        return structs(kind)
    return {
        str: plain_text(),
        int: st.integers(-(2**53), 2**53),
        float: st.floats(allow_nan=False, allow_infinity=False),
        bool: st.booleans(),
        type(None): st.none(),
        Raw: RAW,
    }[kind]
