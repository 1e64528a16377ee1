"""Tells a cancellation that was asked for from one that only came up from below."""

import asyncio


def is_being_cancelled() -> bool:
    """Whether somebody has asked the current task to stop.

    A `CancelledError` without that comes from something awaited that was cancelled by itself: a failure like any other.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
