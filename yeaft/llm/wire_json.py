"""JSON as services send it: what msgspec refuses is read leniently, and text always comes out free of surrogates."""

import json
from collections.abc import Sequence
from typing import Any, cast

import msgspec

from yeaft.kernel.text import without_surrogates

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()


def decode(raw: bytes | str) -> Any:
    """The value that `raw` holds.

    Control characters in strings, huge numbers and bytes that are not UTF-8 are let through; lone surrogates become
    U+FFFD in values and keys. Raises `ValueError` for what is not JSON even so.
    """
    try:
        return _decoder.decode(raw)
    except msgspec.DecodeError:
        return _decode_leniently(raw.decode("utf-8-sig", "replace") if isinstance(raw, bytes) else raw)
    except RecursionError as error:
        raise ValueError("JSON is nested too deeply") from error


def decode_object(raw: bytes | str) -> dict[str, Any]:
    """The object that `raw` holds. Raises `ValueError` for anything else."""
    value = decode(raw)
    if isinstance(value, dict):
        return cast("dict[str, Any]", value)  # the keys of a JSON object are strings
    raise ValueError("it is JSON, but not an object")


def encode(value: Any) -> bytes:
    """`value`, which is made of what `decode` returned, as compact JSON."""
    return _encoder.encode(value)


def array(values: Sequence[bytes]) -> msgspec.Raw:
    """The array of values that are JSON already; what they add up to may be long, so it is copied once."""
    parts = list(values)
    if parts:
        parts[0] = b"[" + parts[0]
        parts[-1] += b"]"
    return msgspec.Raw(b",".join(parts) or b"[]")


def is_json(raw: bytes | str) -> bool:
    """Whether `raw` is one whole JSON value."""
    try:
        decode(raw)
    except ValueError:
        return False
    return True


def _decode_leniently(text: str) -> Any:
    try:
        return _without_surrogates(json.loads(text, strict=False))
    except RecursionError as error:
        raise ValueError("JSON is nested too deeply") from error


def _without_surrogates(value: Json) -> Json:
    match value:
        case str():
            return without_surrogates(value)
        case list():
            return [_without_surrogates(item) for item in value]
        case dict():
            return {without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
        case _:
            return value


def mended(data: bytes) -> bytes:
    """The same JSON as msgspec accepts it: see `decode`. Raises `ValueError` for what is not JSON at all."""
    return encode(decode(data))
