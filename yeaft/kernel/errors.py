"""The one error tree. A class exists only where some caller does something different about it."""

from typing import Literal

from yeaft.kernel import outcome

ModelErrorKind = Literal[
    "connect",  # no connection: DNS, refused, TLS
    "idle",  # nothing came for too long
    "truncated",  # the stream ended without its terminal event
    "protocol",  # what came is not the protocol
    "rate_limit",
    "overloaded",
    "server",
    "auth",  # no or bad credentials
    "forbidden",
    "policy",  # the provider refuses the content
    "context",  # the request is larger than the model's window
    "invalid",  # any other 4xx
    "cancelled",
]


class YeaftError(Exception):
    """Something the user can understand and act on; `exit_code` is what the process ends with."""

    exit_code = outcome.EXIT_FAILED


class UsageError(YeaftError):
    """The command line cannot be understood."""

    exit_code = outcome.EXIT_USAGE


class BadData(YeaftError):
    """Data from outside is not what it must be."""

    exit_code = outcome.EXIT_BAD_DATA


class NotFound(YeaftError):
    """A named Session, VP, model or file does not exist."""

    exit_code = outcome.EXIT_NOT_FOUND


class ConfigError(YeaftError):
    """A configuration file, VP file or environment variable is wrong; the message names place and remedy."""

    exit_code = outcome.EXIT_CONFIG


class NoCredentials(YeaftError):
    """No provider can be used with what is configured."""

    exit_code = outcome.EXIT_NO_PERMISSION


class NeedsConsent(YeaftError):
    """The user's rules do not allow it yet; the message names what would."""

    exit_code = outcome.EXIT_NEEDS_HUMAN


class Denied(YeaftError):
    """The user's rules, or something that speaks for the user, deny it."""

    exit_code = outcome.EXIT_NO_PERMISSION


class SessionBusy(YeaftError):
    """Another process owns the Session; the message says which."""

    exit_code = outcome.EXIT_TRY_AGAIN


class StoreFailed(YeaftError):
    """The journal could not be read or written (disk full, damaged file, written by a newer yeaft)."""


class JournalDamaged(StoreFailed):
    """The file of a journal is not what it must be; what is still in it can be recovered."""


class Conflict(StoreFailed):
    """`expected_seq` is not the head of the stream: somebody else appended."""

    exit_code = outcome.EXIT_TRY_AGAIN


class Fenced(StoreFailed):
    """The appender's epoch is older than the stream's: somebody else took over."""

    exit_code = outcome.EXIT_TRY_AGAIN


class IdReuse(StoreFailed):
    """An id that is already stored came back with another payload: a bug in the caller."""


class ToolFailed(YeaftError):
    """A tool could not do what the model asked; the text is written for the model."""


class BadArguments(ToolFailed):
    """The arguments of a call cannot be understood, so it is never run."""


class ModelFailed(YeaftError):
    """A model request ended without a whole reply.

    `text_so_far` is what had been said, `calls_seen` whether any part of a tool call had arrived (such a request is
    never replayed), `retry_after_s` what the provider asked for. The message never contains the provider's body for
    `auth` errors, because providers echo keys.
    """

    def __init__(
        self,
        kind: ModelErrorKind,
        message: str,
        *,
        status: int | None = None,
        wire_type: str = "",
        retry_after_s: float | None = None,
        text_so_far: str = "",
        calls_seen: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind: ModelErrorKind = kind
        self.message = message
        self.status = status
        self.wire_type = wire_type
        self.retry_after_s = retry_after_s
        self.text_so_far = text_so_far
        self.calls_seen = calls_seen
