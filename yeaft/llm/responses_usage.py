"""Tokens as the Responses protocol counts them, in yeaft's normal form."""

import msgspec
from msgspec import Raw, Struct

from yeaft.kernel.usage import Usage


class InputDetails(Struct, frozen=True, kw_only=True):
    """Parts of the input tokens."""

    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class OutputDetails(Struct, frozen=True, kw_only=True):
    """Parts of the output tokens."""

    reasoning_tokens: int | None = None


class WireUsage(Struct, frozen=True, kw_only=True):
    """Cached tokens, read or written, are part of the input here. Plain servers leave out the details."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: InputDetails | None = None
    output_tokens_details: OutputDetails | None = None


_usages = msgspec.json.Decoder(WireUsage)


def usage_of(raw: Raw) -> Usage:
    """The usage that `raw` holds; all zero if there is none or it cannot be understood."""
    try:
        wire = _usages.decode(raw)
    except msgspec.DecodeError:
        return Usage()
    details = wire.input_tokens_details or InputDetails()
    read, written = details.cached_tokens or 0, details.cache_write_tokens or 0
    return Usage(
        input=max(0, (wire.input_tokens or 0) - read - written),
        output=wire.output_tokens or 0,
        cache_read=read,
        cache_write=written,
        reasoning=(wire.output_tokens_details or OutputDetails()).reasoning_tokens or 0,
    )
