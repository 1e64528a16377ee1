"""Functions of the user's in threads that nobody waits for at the end: one that never returns must not keep yeaft here.

`asyncio.to_thread` would, because a program ends only after all of its threads have.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable
from threading import Thread
from typing import Any


async def in_own_thread(function: Callable[[], Any], name: str) -> Any:
    """Return what a function gives, or raise what it raises; after a cancel it goes on, and nobody hears of it."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if result.done():
            return
        if error is None:
            result.set_result(value)
        else:
            result.set_exception(error)

    def run() -> None:
        value: Any = None
        with contextlib.suppress(BaseException):  # told where the result is awaited, unless the loop has ended
            try:
                value = function()
            finally:
                loop.call_soon_threadsafe(settle, value, _told(sys.exception()))

    Thread(target=run, name=name, daemon=True).start()
    return await result


def _told(error: BaseException | None) -> BaseException | None:
    """What is raised in place of what only ends threads or tasks."""
    if isinstance(error, StopIteration) or not (error is None or isinstance(error, Exception | SystemExit)):
        return RuntimeError(f"it raised {type(error).__name__}")
    return error
