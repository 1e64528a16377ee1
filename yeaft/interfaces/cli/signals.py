"""Signals: the first one stops the work in good order, the second one ends the process."""

import asyncio
import os
import signal
from collections.abc import Callable

from yeaft.kernel.outcome import EXIT_HANGUP, EXIT_INTERRUPTED, EXIT_TERMINATED

EXIT_CODES = {
    signal.SIGINT: EXIT_INTERRUPTED,
    signal.SIGTERM: EXIT_TERMINATED,
    signal.SIGHUP: EXIT_HANGUP,
}


class Signals:
    """Calls `stop` at the first signal and remembers which it was."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stops = [stop]
        self._exit_code: int | None = None

    @property
    def exit_code(self) -> int | None:
        """The exit code that the first signal stands for; None while there was none."""
        return self._exit_code

    def also(self, stop: Callable[[], None]) -> None:
        """Call `stop` too."""
        self._stops.append(stop)

    def install(self) -> None:
        """Take over SIGINT, SIGTERM and SIGHUP in the running loop. SIGHUP stays ignored if it was (nohup)."""
        loop = asyncio.get_running_loop()
        for number, code in EXIT_CODES.items():
            if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
                continue
            loop.add_signal_handler(number, self.raise_, code)

    def raise_(self, exit_code: int) -> None:
        """Act as if the signal with this exit code had come."""
        if self._exit_code is not None:
            os._exit(exit_code)
        self._exit_code = exit_code
        for stop in self._stops:
            stop()
