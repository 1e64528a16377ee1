"""Tells when a process has ended, also one that is not a child of this process."""

import asyncio
import os
import sys
from collections.abc import Callable

from yeaft.store.task_files import Lifeline
from yeaft.tools.shell.descendants import sighting

LOOK_EVERY_S = 0.5


def is_alive(line: Lifeline) -> bool:
    """Whether the process is still there, and still the same one."""
    if sys.platform != "linux":
        return _answers(line.pid)
    now = sighting(line.pid)
    return now is not None and now.alive and now.started == line.start_time


def when_gone(line: Lifeline, tell: Callable[[], None]) -> Callable[[], None]:
    """Call `tell` once, from the running loop, when the process has ended; returns what stops the watch."""
    loop = asyncio.get_running_loop()
    if sys.platform != "linux":
        return _Looking(line, tell).stop
    try:
        pidfd = os.pidfd_open(line.pid)
    except OSError:
        return loop.call_soon(tell).cancel
    if not is_alive(line):
        os.close(pidfd)
        return loop.call_soon(tell).cancel
    is_open = True

    def stop() -> None:
        nonlocal is_open
        if is_open:
            is_open = False
            loop.remove_reader(pidfd)
            os.close(pidfd)

    def gone() -> None:
        stop()
        tell()

    loop.add_reader(pidfd, gone)
    return stop


class _Looking:
    """Looks now and then, where the system does not tell."""

    def __init__(self, line: Lifeline, tell: Callable[[], None]) -> None:
        self._line = line
        self._tell = tell
        self._timer = asyncio.get_running_loop().call_later(LOOK_EVERY_S, self._look)

    def stop(self) -> None:
        self._timer.cancel()

    def _look(self) -> None:
        if is_alive(self._line):
            self._timer = asyncio.get_running_loop().call_later(LOOK_EVERY_S, self._look)
        else:
            self._tell()


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
