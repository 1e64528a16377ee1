"""How a turn or a call can end, and the exit code each ending has on the command line."""

from collections.abc import Iterable
from typing import Literal

TurnOutcome = Literal["answered", "handed_off", "needs_human", "limit", "refused", "aborted", "failed", "lost"]
CallStatus = Literal["ok", "failed", "denied", "cancelled", "not_run", "lost", "unknown"]
Guard = Literal["read", "local", "verify", "unsafe"]
"""After a crash between a call's start and end: run again, same transaction, compare hashes, never by itself."""

Limit = Literal["rounds", "cost", "tokens", "time", "output"]

EXIT_ANSWERED = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_NEEDS_HUMAN = 3
EXIT_LIMIT = 4
EXIT_BAD_DATA = 65
EXIT_NOT_FOUND = 66
EXIT_UNAVAILABLE = 69
EXIT_TRY_AGAIN = 75
EXIT_NO_PERMISSION = 77
EXIT_CONFIG = 78
EXIT_HANGUP = 129
EXIT_INTERRUPTED = 130
EXIT_PIPE_CLOSED = 141
EXIT_TERMINATED = 143

WORST_FIRST = (
    EXIT_INTERRUPTED,
    EXIT_TERMINATED,
    EXIT_HANGUP,
    EXIT_PIPE_CLOSED,
    EXIT_NEEDS_HUMAN,
    EXIT_LIMIT,
    EXIT_NO_PERMISSION,
    EXIT_CONFIG,
    EXIT_UNAVAILABLE,
    EXIT_TRY_AGAIN,
    EXIT_NOT_FOUND,
    EXIT_BAD_DATA,
    EXIT_USAGE,
    EXIT_FAILED,
)
"""The order in which one process reports several endings."""


def worst_exit_code(codes: Iterable[int]) -> int:
    """One exit code for several turns: 0 only if all were answered."""
    present = set(codes)
    return next((code for code in WORST_FIRST if code in present), EXIT_ANSWERED)
