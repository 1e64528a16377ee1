"""A Python that has loaded all of yeaft, and forks one yeaft after another: loading is four fifths of a short run.

`python -P loaded_python.py SOCKET`. Each order is a message of JSON, `words`, `folder`, `environ` and `has_terminal`,
with four descriptors: the three streams, or three times the terminal, and one for its end. Answered with the pid of a
process that has a session of its own and does, from the first line on, what `python -P -m yeaft WORDS` does. How it
ended, as `os.wait` tells it, is written to the fourth descriptor. Ends when the socket does.
"""

import contextlib
import gc
import io
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import time
from importlib import import_module
from types import FrameType
from typing import Any

import yeaft

STREAMS = (0, 1, 2)
LARGEST_ORDER_BYTES = 2**17


def main() -> None:
    """Load, then fork until nobody orders any more. In a forked process, return when its yeaft does."""
    line = socket.socket(fileno=int(sys.argv[1]))
    load()
    gc.collect()
    gc.freeze()
    waking, awake = os.pipe()
    os.set_blocking(awake, False)
    signal.set_wakeup_fd(awake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _wake)
    told: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([line, waking], [], [])
        if waking in ready:
            os.read(waking, 2**16)
            _tell_who_ended(told)
        if line in ready:
            raw, given, _, _ = socket.recv_fds(line, LARGEST_ORDER_BYTES, len(STREAMS) + 1)
            if not raw:
                return
            *streams, telling = given
            if (pid := os.fork()) == 0:
                _become(json.loads(raw), streams, line)
                runpy.run_module("yeaft", run_name="__main__", alter_sys=True)
                return
            told[pid] = telling
            for descriptor in streams:
                os.close(descriptor)


def load() -> None:
    """Import all modules of yeaft, and with them all that they need; one that cannot be fails where it is used."""
    for module in pkgutil.walk_packages(yeaft.__path__, "yeaft."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                import_module(module.name)
    import_module("anyio._backends._asyncio")  # which is else loaded when the first connection is made


def _wake(number: int, frame: FrameType | None) -> None:
    """Do nothing: that there is something to do lets `select` return."""


def _tell_who_ended(told: dict[int, int]) -> None:
    while told:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        descriptor = told.pop(pid)
        with contextlib.suppress(BrokenPipeError):  # nobody wants to know
            os.write(descriptor, status.to_bytes(4))
        os.close(descriptor)


def _become(order: dict[str, Any], streams: list[int], line: socket.socket) -> None:
    """Be as a process is that has just been started; say so only then, as it may get a signal at once."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if order["has_terminal"]:
        os.login_tty(streams[0])
    else:
        os.setsid()
        for number, descriptor in zip(STREAMS, streams, strict=True):
            os.dup2(descriptor, number)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environ"])
    time.tzset()
    sys.argv[1:] = order["words"]
    sys.stdin = _text(0, "r")
    sys.stdout = _text(1, "w")
    sys.stderr = _text(2, "w", "backslashreplace")
    line.send(str(os.getpid()).encode())
    line.close()
    os.closerange(len(STREAMS), os.sysconf("SC_OPEN_MAX"))


def _text(number: int, mode: str, errors: str | None = sys.stdin.errors) -> io.TextIOWrapper:
    """A stream as Python makes it when it starts: standard error, and what a terminal shows, line by line."""
    raw = io.FileIO(number, mode, closefd=False)
    buffered = io.BufferedReader(raw) if mode == "r" else io.BufferedWriter(raw)
    return io.TextIOWrapper(buffered, errors=errors, line_buffering=number == 2 or os.isatty(number))


if __name__ == "__main__":
    main()
