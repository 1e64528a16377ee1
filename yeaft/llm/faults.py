"""Errors as services describe them, in a status, a body or a stream, sorted by what can be done about them."""

import re
from collections.abc import Mapping

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from yeaft.kernel.errors import ModelErrorKind
from yeaft.kernel.pattern import Pattern
from yeaft.kernel.text import without_surrogates
from yeaft.llm import wire_json
from yeaft.llm.retry_after import retry_after_s

MESSAGE_CHARS = 600
BODY_BYTES = 4 * MESSAGE_CHARS
SERVER_STATUSES = 500
KINDS_BY_WORDS: tuple[tuple[ModelErrorKind, tuple[str, ...]], ...] = (
    ("auth", ("invalid_api_key", "authentication_error", "invalid_authentication", "incorrect api key")),
    ("forbidden", ("insufficient_quota", "billing_hard_limit", "credit balance", "insufficient credits")),
    ("rate_limit", ("rate_limit",)),
    (
        "context",
        (
            "context_length_exceeded",
            "exceed_context_size",
            "maximum context length",
            "maximum prompt length",
            "context window",
            "context size",
            "context length",
            "prompt is too long",
            "input is too long",
            "string_above_max_length",
        ),
    ),
    (
        "policy",
        (
            "content_policy",
            "content policy",
            "content_filter",
            "content management policy",
            "usage polic",
            "policy_violation",
            "moderation_blocked",
            "cyber_policy",
            "invalid_prompt",
            "safety system",
        ),
    ),
    ("overloaded", ("overloaded", "slow_down", "at capacity")),
)
"""Tried in this order: a request too large for a rate limit is no matter of the context, and exhausted credit comes
with the status of a rate limit but waiting does not mend it."""

KINDS_BY_STATUS: Mapping[int, ModelErrorKind] = {
    401: "auth",
    402: "forbidden",
    403: "forbidden",
    408: "server",  # the server's own time-out: nothing is wrong with the request
    413: "context",
    422: "policy",
    425: "server",
    429: "rate_limit",
    503: "overloaded",
    529: "overloaded",
}
SCHEMA_WORDS = ("validation", "invalid_request_error", "field required", "deserialize")


class ErrorBody(Struct, frozen=True, kw_only=True):
    """An error as services describe it."""

    message: str | None = None
    code: str | int | None = None
    type: str | None = None


class ErrorReply(ErrorBody, frozen=True, kw_only=True):
    """The body of an error status: OpenAI nests the description, vLLM and xAI do not, FastAPI calls it `detail`."""

    error: ErrorBody | str | None = None
    detail: Raw = Raw()


_bodies = msgspec.json.Decoder(ErrorReply)
_SECRET = Pattern(r"\b(?:Bearer\s+\S+|(?:sk|pk|rk|gsk|xai)-[A-Za-z0-9*._-]{6,})")
_WAIT = Pattern(r"(?:try again|retry) (?:in|after) ([0-9.]+ ?(?:ms|s|m|h)?[0-9hms.]*)", re.IGNORECASE)


class Fault(Struct, frozen=True, kw_only=True):
    """What a server said went wrong; `status` None when it said so inside a stream."""

    message: str
    status: int | None = None
    code: str = ""
    type: str = ""

    @property
    def wire_type(self) -> str:
        """The provider's own name for it."""
        return self.code or self.type

    @property
    def wait_s(self) -> float | None:
        """How long the message asks us to wait; streams have no headers to say so."""
        found = _WAIT.search(self.message)
        return retry_after_s({"retry-after": found[1].rstrip(".").replace(" ", "")}, 0) if found else None


def of_body(status: int, body: bytes) -> Fault:
    """The fault that an HTTP error status and its body describe; the body may be anything."""
    try:
        described = _bodies.decode(wire_json.mended(body))
    except ValueError:
        text = body[:BODY_BYTES].decode("utf-8", "replace").strip()
        return Fault(message="" if text.startswith("<") else _shown(text), status=status)
    if isinstance(described.error, ErrorBody):
        return replace(of_event(described.error), status=status)
    message = described.error or described.message or bytes(described.detail).decode()
    return Fault(message=_shown(message), status=status, code=_word(described.code), type=described.type or "")


def of_event(error: ErrorBody | str | None) -> Fault:
    """The fault that an event or a final object describes."""
    if isinstance(error, ErrorBody):
        return Fault(message=_shown(error.message or ""), code=_word(error.code), type=error.type or "")
    return Fault(message=_shown(error or ""))


def kind_of(fault: Fault) -> ModelErrorKind:
    """What can be done about it: by the words if they say, else by the status; in a stream, else try again."""
    status = fault.status if fault.status is not None else _status_in(fault.code)
    words = f"{fault.code} {fault.type} {fault.message}".casefold()
    by_status = KINDS_BY_STATUS.get(status) if status is not None else None
    if by_status == "auth":
        return by_status
    for kind, needles in KINDS_BY_WORDS:
        if _any(needles, words):
            return kind
    if by_status == "policy" and _any(SCHEMA_WORDS, words):
        return "invalid"
    if by_status is not None:
        return by_status
    if status is None:
        return "invalid" if "invalid_request" in words else "server"
    return "server" if status >= SERVER_STATUSES else "invalid"


def _status_in(code: str) -> int | None:
    """Plain servers put the HTTP status where OpenAI puts a word."""
    return int(code) if re.fullmatch(r"[45]\d\d", code) else None


def _any(needles: tuple[str, ...], words: str) -> bool:
    return any(needle in words for needle in needles)


def _word(code: str | int | None) -> str:
    return "" if code is None else str(code)


def _shown(text: str) -> str:
    """`text` as it may be shown: short, and without anything that looks like a key."""
    return without_surrogates(_SECRET.sub("***", text[:MESSAGE_CHARS]))
