"""Errors of servers that speak the Messages API, from a status or from inside a stream, in our own words."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec

from yeaft.kernel.errors import ModelErrorKind, ModelFailed
from yeaft.llm.faults import ErrorBody, Fault, kind_of, of_body, of_event

KINDS_BY_TYPE: Mapping[str, ModelErrorKind] = {
    "authentication_error": "auth",
    "permission_error": "forbidden",
    "billing_error": "forbidden",
    "rate_limit_error": "rate_limit",
    "overloaded_error": "overloaded",
    "timeout_error": "server",
    "api_error": "server",
    "request_too_large": "context",
    "not_found_error": "invalid",
}
"""After https://docs.claude.com/en/api/errors; `invalid_request_error` is missing because only its words tell."""

KINDS_BY_WORDS: Mapping[str, ModelErrorKind] = {
    "exceed context limit": "context",
    "content filtering policy": "policy",
}
"""Of this service alone; what all services say is known to `kind_of`."""


def refusal(status: int, body: bytes, provider: str) -> ModelFailed:
    """What an HTTP error status means; `body` may be anything."""
    return _failure(of_body(status, body), provider)


def stream_failure(error: Any, provider: str) -> ModelFailed:
    """What an error object inside a stream, or in the body of a status 200, means."""
    try:
        fault = of_event(msgspec.convert(error, ErrorBody | str | None))
    except msgspec.ValidationError:
        fault = Fault(message="")
    return _failure(fault, provider)


def _failure(fault: Fault, provider: str) -> ModelFailed:
    kind = _kind(fault)
    return ModelFailed(
        kind, _told(fault, kind, provider), status=fault.status, wire_type=fault.type, retry_after_s=fault.wait_s
    )


def _kind(fault: Fault) -> ModelErrorKind:
    message = fault.message.casefold()
    for words, kind in KINDS_BY_WORDS.items():
        if words in message:
            return kind
    return KINDS_BY_TYPE.get(fault.type) or kind_of(fault)


def _told(fault: Fault, kind: ModelErrorKind, provider: str) -> str:
    if kind == "auth":
        return f"{provider} refused the API key. Check that it is set, whole, and meant for this base_url."
    what = f"HTTP {fault.status} {_phrase(fault.status)}".rstrip() if fault.status else "an error"
    return f"{provider} answered with {what}: {fault.message or fault.type or 'no reason given'}"


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
