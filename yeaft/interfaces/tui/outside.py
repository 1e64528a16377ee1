"""Lends the terminal to a program of the user's, and takes it back however that ends; the Session goes on meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from textual.worker import WorkerCancelled, WorkerFailed

from yeaft.kernel.errors import YeaftError

if TYPE_CHECKING:
    from textual.app import App

GROUP = "outside"
Result = TypeVar("Result")


async def outside(app: App[Any], work: Coroutine[None, None, Result]) -> Result:
    """Do what needs the terminal for itself, and return what comes of it.

    Raises what `work` raises, and `YeaftError` if the program had to end first (`end_outside`) or cannot begin, because
    another one has the terminal.
    """
    failure: BaseException
    with ExitStack() as stack:
        stack.enter_context(app.batch_update())  # nothing is drawn over it
        try:
            stack.enter_context(app.suspend())
        except YeaftError:
            work.close()
            raise
        worker = app.run_worker(work, group=GROUP, exit_on_error=False)
        try:  # textual takes the terminal again only if nothing is raised in here
            return await worker.wait()
        except WorkerFailed as error:
            failure = error.error
        except WorkerCancelled:
            failure = YeaftError("The program at the terminal was ended; nothing was taken over from it.")
        except asyncio.CancelledError as error:
            worker.cancel()
            failure = error
    raise failure


def is_lent(app: App[Any]) -> bool:
    """Whether another program has the terminal."""
    return any(worker.group == GROUP and not worker.is_finished for worker in app.workers)


def end_outside(app: App[Any]) -> None:
    """Let the program that has the terminal end."""
    for worker in list(app.workers):
        if worker.group == GROUP:
            worker.cancel()


async def outside_ended(app: App[Any]) -> None:
    """Let it end, and wait for that: a terminal that is lent cannot be given back."""
    end_outside(app)
    for worker in list(app.workers):
        if worker.group == GROUP:
            with suppress(WorkerFailed, WorkerCancelled):
                await worker.wait()
