"""Signals: the first one stops the work in good order, another one ends the process."""

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
SAME_WITHIN_S = 0.3
"""`timeout` and wrappers that pass signals on send the same one twice; a second key press comes later than that."""


class EarlySignals:
    """Turns a signal that comes before there is a loop into `KeyboardInterrupt`; `exit_code` is that of the last."""

    def __init__(self) -> None:
        self.exit_code = EXIT_INTERRUPTED

    def install(self) -> None:
        """Take over the signals until `Signals` does."""
        for number in _wanted():
            signal.signal(number, self._raise)

    def _raise(self, number: int, frame: object) -> None:
        del frame
        self.exit_code = EXIT_CODES[signal.Signals(number)]
        raise KeyboardInterrupt


class Signals:
    """Remembers the first signal and tells everyone who has asked to be told.

    `at_last` is done before another signal ends the process at once: what must not be left as it is, such as a
    terminal.
    """

    def __init__(self, at_last: Callable[[], None] | None = None) -> None:
        self._at_last = at_last
        self._stops: list[Callable[[], None]] = []
        self._exit_code: int | None = None
        self._came_at_s = 0.0
        self._is_for_others: Callable[[], bool] = bool

    @property
    def exit_code(self) -> int | None:
        """The exit code that the first signal stands for; None while there was none."""
        return self._exit_code

    def also(self, stop: Callable[[], None]) -> None:
        """Call `stop` at the first signal; at once if it has come."""
        self._stops.append(stop)
        if self._exit_code is not None:
            stop()

    def spare(self, is_for_others: Callable[[], bool]) -> None:
        """Leave Ctrl+C alone while it is meant for another program at the terminal."""
        self._is_for_others = is_for_others

    def install(self) -> None:
        """Take over SIGINT, SIGTERM and SIGHUP in the running loop."""
        loop = asyncio.get_running_loop()
        for number in _wanted():
            loop.add_signal_handler(number, self._raise, EXIT_CODES[number])

    def ignore(self) -> None:
        """Let no signal change any more what has been reported; the process ends at once."""
        loop = asyncio.get_running_loop()
        for number in _wanted():
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_IGN)

    def act_on(self, exit_code: int) -> None:
        """Stop as if the signal with this exit code had come, unless one has."""
        if self._exit_code is not None:
            return
        self._exit_code = exit_code
        self._came_at_s = asyncio.get_running_loop().time()
        for stop in self._stops:
            stop()

    def _raise(self, exit_code: int) -> None:
        if exit_code == EXIT_INTERRUPTED and self._is_for_others():
            return
        if self._exit_code is None:
            self.act_on(exit_code)
        elif exit_code != EXIT_HANGUP and asyncio.get_running_loop().time() - self._came_at_s > SAME_WITHIN_S:
            if self._at_last is not None:
                self._at_last()
            os._exit(exit_code)


def _wanted() -> list[signal.Signals]:
    """All but a SIGHUP that whoever started us has set to be ignored (nohup)."""
    return [number for number in EXIT_CODES if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN]
