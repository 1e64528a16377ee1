"""Starts yeaft by a fork of a Python that has loaded it already: four fifths of a short run's time is loading.

It is a process like any other, but for the way to its first line. That way is taken for real by all that shells start,
by line mode at a terminal, in other locales, by the stories of commands, and everywhere with YEAFT_STARTS=real.
`test_starting.py` holds the two against each other.
"""

import asyncio
import atexit
import contextlib
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, NamedTuple

PATIENCE_S = 60
PROGRAM = Path(__file__).with_name("loaded_python.py")
ROOT = PROGRAM.parents[1]
GROUND = {"LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}
"""Those of `READ_EARLY` that a loaded Python has."""
SWITCH = "YEAFT_STARTS"
READ_EARLY = (
    *("LANG", "LC_", "LD_", "MALLOC", "PYTHON", "_PYTHON", "OPENSSL", "SSL_", "TMPDIR"),
    *("ESCDELAY", "OTEL_", "PYDANTIC_", "RUAMEL_", "TERM_PROGRAM", "TEXTUAL_", "WCWIDTH_"),
)
"""How the names of variables begin that Python, C or a module look at before yeaft has its first line."""


def command(*words: str) -> tuple[str, ...]:
    """The words that start yeaft; `-P` keeps the modules of a work folder out of it."""
    return (sys.executable, "-P", "-m", "yeaft", *words)


class Started(NamedTuple):
    """A forked yeaft. How it ended, as in `os.wait`, can be read from `end`, of which the owner takes care."""

    pid: int
    end: int

    def exit_code(self) -> int:
        """Wait for its end; returns the exit code, negative for a signal. Raises `TimeoutError` if it goes on."""
        try:
            if not select.select([self.end], [], [], PATIENCE_S)[0]:
                raise TimeoutError(f"process {self.pid} does not end")
            told = os.read(self.end, 4)
        finally:
            os.close(self.end)
        return os.waitstatus_to_exitcode(int.from_bytes(told))


def can_fork(environ: Mapping[str, str]) -> bool:
    """Whether a Python started with these variables would be the loaded one."""
    if sys.platform != "linux" or os.environ.get(SWITCH) == "real":
        return False
    return {name: value for name, value in environ.items() if name.startswith(READ_EARLY)} == GROUND


def fork(
    words: Sequence[str],
    folder: Path,
    environ: Mapping[str, str],
    streams: tuple[int, int, int],
    *,
    has_terminal: bool = False,
) -> Started:
    """Fork a yeaft in a session of its own; with `has_terminal`, that of `streams` is the terminal of the session."""
    order = {"words": words, "folder": str(folder), "environ": dict(environ), "has_terminal": has_terminal}
    told, telling = os.pipe()
    line = _loaded_python()
    socket.send_fds(line, [json.dumps(order).encode()], [*streams, telling])
    os.close(telling)
    pid = line.recv(64)
    assert pid, "the loaded Python has ended; what it said of that is on standard error"
    return Started(int(pid), told)


@functools.cache
def _loaded_python() -> socket.socket:
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with its:
        python = subprocess.Popen(
            [sys.executable, "-P", str(PROGRAM), str(its.fileno())],
            env={"PATH": os.environ["PATH"], **GROUND},
            stdin=subprocess.DEVNULL,
            pass_fds=(its.fileno(),),
            start_new_session=True,
        )
    ours.settimeout(PATIENCE_S)
    atexit.register(python.wait)
    atexit.register(ours.close)
    return ours


async def start(
    words: Sequence[str],
    folder: Path,
    environ: Mapping[str, str],
    *,
    stdin: int = DEVNULL,
    stdout: int = PIPE,
    stderr: int = PIPE,
    limit: int,
) -> Process:
    """Start yeaft in a session of its own; lines of what it writes have up to `limit` bytes."""
    if not can_fork(environ):
        return await asyncio.create_subprocess_exec(
            *command(*words),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
            env=environ,
            start_new_session=True,
            limit=limit,
        )
    ours: list[IO[bytes] | None] = []
    with ExitStack() as theirs:
        streams = [_stream(number, wanted, ours, theirs) for number, wanted in enumerate((stdin, stdout, stderr))]
        begun = fork(words, folder, environ, (streams[0], streams[1], streams[2]))
    given, *read = ours
    return Forked(
        begun,
        None if given is None else await _writer(given),
        *[None if one is None else await _reader(one, limit) for one in read],
    )


def _stream(number: int, wanted: int, ours: list[IO[bytes] | None], theirs: ExitStack) -> int:
    """The descriptor that a process gets; the other end of a pipe is added to `ours`, or None."""
    if wanted == DEVNULL:
        ours.append(None)
        return theirs.enter_context(Path(os.devnull).open("r+b", buffering=0)).fileno()
    if wanted != PIPE:
        ours.append(None)
        return wanted
    read, write = os.pipe()
    mine, its, mode = (write, read, "wb") if number == 0 else (read, write, "rb")
    ours.append(os.fdopen(mine, mode, buffering=0))
    theirs.callback(os.close, its)
    return its


async def _writer(file: IO[bytes]) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    unread = asyncio.StreamReader()
    transport, protocol = await loop.connect_write_pipe(lambda: asyncio.StreamReaderProtocol(unread), file)
    return asyncio.StreamWriter(transport, protocol, None, loop)


async def _reader(file: IO[bytes], limit: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), file)
    return reader


class Forked(Process):
    """A forked yeaft, as asyncio shows a process of its own."""

    def __init__(
        self,
        started: Started,
        stdin: asyncio.StreamWriter | None,
        stdout: asyncio.StreamReader | None,
        stderr: asyncio.StreamReader | None,
    ) -> None:
        self.pid = started.pid
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self._started = started
        self._code: int | None = None
        self._ended = asyncio.Event()
        asyncio.get_running_loop().add_reader(started.end, self._hear_the_end)

    @property
    def returncode(self) -> int | None:
        return self._code

    async def wait(self) -> int:
        await self._ended.wait()
        assert self._code is not None
        return self._code

    def send_signal(self, signal: int) -> None:
        if self._code is None:
            with contextlib.suppress(ProcessLookupError):  # it has ended, which is about to be told
                os.kill(self.pid, signal)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    async def communicate(self, input: bytes | bytearray | memoryview | None = None) -> tuple[bytes, bytes]:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._give(input))
            out, err = (group.create_task(_all_of(stream)) for stream in (self.stdout, self.stderr))
        await self.wait()
        return out.result(), err.result()

    async def _give(self, given: bytes | bytearray | memoryview | None) -> None:
        if self.stdin is None:
            return
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if given:
                self.stdin.write(given)
                await self.stdin.drain()
        self.stdin.close()

    def _hear_the_end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._started.end)
        self._code = self._started.exit_code()
        self._ended.set()


async def _all_of(stream: asyncio.StreamReader | None) -> bytes:
    return b"" if stream is None else await stream.read()
