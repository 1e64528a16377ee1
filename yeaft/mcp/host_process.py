"""Starts the host process of MCP servers, gives it orders, hears its news, and ends it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from pathlib import Path

import msgspec

from yeaft.mcp.host_protocol import LINE_BYTES, AnyNews, AnyOrder, Exited, Started, line, read_news
from yeaft.mcp.lines import Lines

COMMAND = (sys.executable, "-P", "-m", "yeaft.mcp.host")
CHUNK_BYTES = 256 * 1024
LOG_BYTES = 1024 * 1024
STOP_TIMEOUT_S = 4.0
"""More than the host itself gives its servers to end."""


class HostProcess:
    """Owns the process from construction to `aclose`; if we die in any way, it and its servers end by themselves.

    Construction returns at once. `hear` gets the news; `lost` is called once when the process is gone before `aclose`.
    """

    def __init__(
        self, environ: Mapping[str, str], log: Path, hear: Callable[[AnyNews], None], lost: Callable[[], None]
    ) -> None:
        """Start the process. Raises `OSError` if it cannot be started."""
        self._hear = hear
        self._lost = lost
        self._pids: set[int] = set()
        self._lines = Lines(LINE_BYTES)
        self._unsent = bytearray()
        self._is_open = True
        self._has_spoken = False
        self._loop = asyncio.get_running_loop()
        orders, self._orders = os.pipe()
        self._news, news = os.pipe()
        try:
            with _opened(log) as errors:
                self._process = subprocess.Popen(
                    COMMAND,
                    stdin=orders,  # the child's life line: it ends everything when this closes
                    stdout=news,
                    stderr=errors,
                    env=dict(environ),
                    cwd="/",
                    process_group=0,
                )
        except OSError:
            os.close(self._orders)
            os.close(self._news)
            raise
        finally:
            os.close(orders)
            os.close(news)
        os.set_blocking(self._orders, False)
        os.set_blocking(self._news, False)
        self._loop.add_reader(self._news, self._read)

    @property
    def pid(self) -> int:
        """The process id of the host."""
        return self._process.pid

    def send(self, order: AnyOrder) -> None:
        """Give an order; to a host that is gone it goes unheard, as `lost` has said or will say."""
        if not self._is_open:
            return
        self._unsent += line(order)
        self._write()

    def kill(self) -> None:
        """End it by force, because it does not answer; `lost` will be called."""
        self._process.kill()

    async def aclose(self) -> None:
        """End the host and all its servers, by the life line or else by force."""
        self._close()
        if not self._has_spoken:
            self._process.kill()  # it is still being loaded, which takes a second, and has started nothing
        try:
            await asyncio.to_thread(self._process.wait, STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
        finally:
            self._end_servers()

    def _read(self) -> None:
        try:
            chunk = os.read(self._news, CHUNK_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            self._gone()
            return
        self._has_spoken = True
        for raw in self._lines.take(chunk):
            try:
                news = read_news(raw)
            except msgspec.DecodeError:
                continue  # a host of another version would say more than we know
            if isinstance(news, Started):
                self._pids.add(news.pid)
            elif isinstance(news, Exited):
                self._pids.discard(news.pid)
            self._hear(news)

    def _write(self) -> None:
        try:
            written = os.write(self._orders, self._unsent)
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            return  # it is gone; the end of its output says so, too
        del self._unsent[:written]
        if self._unsent:
            self._loop.add_writer(self._orders, self._write)
        else:
            self._loop.remove_writer(self._orders)

    def _gone(self) -> None:
        if not self._is_open:
            return
        self._close()
        self._process.kill()
        self._process.wait()
        self._end_servers()
        self._lost()

    def _close(self) -> None:
        if not self._is_open:
            return
        self._is_open = False
        self._loop.remove_reader(self._news)
        self._loop.remove_writer(self._orders)
        os.close(self._orders)
        os.close(self._news)

    def _end_servers(self) -> None:
        """Kill what a host that was killed has left."""
        for pid in self._pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
        self._pids.clear()


@contextlib.contextmanager
def _opened(log: Path) -> Generator[int, None, None]:
    """The log to append to; nowhere if it cannot be written."""
    try:
        log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if log.exists() and log.stat().st_size > LOG_BYTES:
            log.replace(log.with_name(f"{log.name}.1"))
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    except OSError:
        descriptor = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
