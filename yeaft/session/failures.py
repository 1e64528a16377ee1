"""What a group of tasks has failed of, as one error that can be told."""

import asyncio

from yeaft.kernel.errors import YeaftError


def one_of(failures: ExceptionGroup[Exception]) -> Exception:
    """Return what the user can understand of what a group of tasks raised; the whole group if there is nothing."""
    return next((error for error in failures.exceptions if isinstance(error, YeaftError)), failures)


def break_off(group: asyncio.TaskGroup, error: YeaftError) -> None:
    """Let a group of tasks end with `error`, although none of its tasks may ever hear of it."""
    failing = _failing(error)
    try:
        group.create_task(failing)
    except RuntimeError:  # it is ending already
        failing.close()


async def _failing(error: YeaftError) -> None:
    raise error
