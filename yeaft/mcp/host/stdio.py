"""The way to a server that is a child process: its messages are the lines of its standard input and output.

The SDK has one too; this one knows at once when the process ends, survives anything on its standard output, keeps its
standard error in a log, and ends the whole process group.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import signal
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from yeaft.mcp.host.mending import mended
from yeaft.mcp.host_protocol import LINE_BYTES
from yeaft.mcp.lines import Lines

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from yeaft.mcp.host.ears import Ears
    from yeaft.mcp.host.server_log import ServerLog
    from yeaft.mcp.server import McpServer

    Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]

GRACE_S = 2.0
"""How long a process group has between being asked to end and being killed."""
STEP_S = 0.02
LAST_WORDS_S = 0.2
"""How long the output of a process that has ended is waited for; a child of it may hold the pipe open."""


class StdioServer:
    """A server's process from entering to leaving; see `mcp.client.Transport`. Entering raises `OSError`."""

    def __init__(self, server: McpServer, folder: str, environ: Mapping[str, str], log: ServerLog, ears: Ears) -> None:
        self._server = server
        self._folder = folder
        self._environ = {**environ, **server.env}
        self._log = log
        self._ears = ears
        self._inbound, self._messages = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
        self._outbound, self._orders = anyio.create_memory_object_stream[SessionMessage]()
        self._process: asyncio.SubprocessTransport | None = None
        self._ended = asyncio.Event()
        self._writing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Streams:
        self._process, _ = await asyncio.get_running_loop().subprocess_exec(
            lambda: _Pipes(self),
            self._server.command,
            *self._server.args,
            cwd=self._server.cwd or self._folder,
            env=self._environ,
            start_new_session=True,
        )
        self._ears.started(self._process.get_pid())
        self._writing = asyncio.create_task(self._write(self._process), name="stdin")
        return self._messages, self._outbound

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        process, writing = self._process, self._writing
        if process is None or writing is None:
            return
        try:
            await _end_group(process.get_pid(), self._ended)
        finally:
            writing.cancel()
            await asyncio.wait((writing,))
            process.close()
            self._log.close()
            for stream in (self._inbound, self._messages, self._outbound, self._orders):
                stream.close()
            self._ears.exited(process.get_pid())

    def hear(self, line: bytes) -> None:
        """Take one line of the server's standard output."""
        if not line.strip():
            return
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            self._log.add("out", line)
            self._ears.noise()
            return
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            self._inbound.send_nowait(SessionMessage(mended(message)))

    def hear_error(self, chunk: bytes) -> None:
        """Take what came from the server's standard error."""
        self._log.take(chunk)

    def output_ended(self) -> None:
        """No more messages will come; the process itself may need a moment to end, too."""
        asyncio.get_running_loop().call_later(LAST_WORDS_S, self._broke)

    def process_ended(self) -> None:
        """The process is gone; what it wrote last may still be on its way."""
        self._ended.set()
        asyncio.get_running_loop().call_later(LAST_WORDS_S, self._broke)

    def _broke(self) -> None:
        code = self._process.get_returncode() if self._process else None
        how = "it closed its output" if code is None else f"it ended with exit code {code}"
        if code is not None and code < 0:
            how = f"it was ended by {signal.Signals(-code).name}"
        self._ears.broke(how)
        self._inbound.close()

    async def _write(self, process: asyncio.SubprocessTransport) -> None:
        stdin = process.get_pipe_transport(0)
        assert isinstance(stdin, asyncio.WriteTransport)
        async for order in self._orders:
            text = order.message.model_dump_json(by_alias=True, exclude_unset=True)
            stdin.write(text.encode() + b"\n")


class _Pipes(asyncio.SubprocessProtocol):
    """Cuts the output of the process into lines."""

    def __init__(self, server: StdioServer) -> None:
        self._server = server
        self._lines = Lines(LINE_BYTES)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd != 1:
            self._server.hear_error(data)
            return
        for line in self._lines.take(data):
            self._server.hear(line)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1 or (fd == 0 and exc is not None):
            self._server.output_ended()

    def process_exited(self) -> None:
        self._server.process_ended()


async def _end_group(pid: int, ended: asyncio.Event) -> None:
    """End a process group: asked first, then killed."""
    _signal_group(pid, signal.SIGTERM)
    try:
        for _ in range(round(GRACE_S / STEP_S)):
            if ended.is_set() and not _is_there(pid):
                return
            await asyncio.sleep(STEP_S)
    finally:
        _signal_group(pid, signal.SIGKILL)
    await ended.wait()


def _signal_group(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _is_there(pid: int) -> bool:
    try:
        os.killpg(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
