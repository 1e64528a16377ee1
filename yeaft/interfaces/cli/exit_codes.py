"""The exit code of a process from the ends of its turns."""

from yeaft.events.turn import Failure, TurnEnded
from yeaft.kernel import outcome

_BY_FAILURE = {
    "connect": outcome.EXIT_UNAVAILABLE,
    "idle": outcome.EXIT_TRY_AGAIN,
    "truncated": outcome.EXIT_TRY_AGAIN,
    "protocol": outcome.EXIT_TRY_AGAIN,
    "rate_limit": outcome.EXIT_TRY_AGAIN,
    "overloaded": outcome.EXIT_TRY_AGAIN,
    "server": outcome.EXIT_TRY_AGAIN,
    "auth": outcome.EXIT_NO_PERMISSION,
    "forbidden": outcome.EXIT_NO_PERMISSION,
    "context": outcome.EXIT_LIMIT,
    "NoCredentials": outcome.EXIT_NO_PERMISSION,
    "ConfigError": outcome.EXIT_CONFIG,
    "NotFound": outcome.EXIT_NOT_FOUND,
    "BadData": outcome.EXIT_BAD_DATA,
}
_BY_OUTCOME = {
    "answered": outcome.EXIT_ANSWERED,
    "handed_off": outcome.EXIT_ANSWERED,
    "needs_human": outcome.EXIT_NEEDS_HUMAN,
    "limit": outcome.EXIT_LIMIT,
    "refused": outcome.EXIT_FAILED,
    "aborted": outcome.EXIT_INTERRUPTED,
    "lost": outcome.EXIT_FAILED,
}


def exit_code_of(ended: TurnEnded) -> int:
    """The exit code that one turn's end stands for."""
    if ended.outcome == "failed":
        return exit_code_of_failure(ended.error)
    return _BY_OUTCOME[ended.outcome]


def exit_code_of_failure(error: Failure | None) -> int:
    """The exit code of a failed turn; 1 for what has no code of its own."""
    return _BY_FAILURE.get(error.kind, outcome.EXIT_FAILED) if error else outcome.EXIT_FAILED
