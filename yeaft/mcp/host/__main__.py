"""The process itself: orders at its standard input, news at its standard output, until the input ends.

The input is its life line. However the other side dies, it ends; then all servers are ended, and this process is gone
a few seconds later whatever they do.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import NoReturn

import msgspec

from yeaft.mcp.host.connection import Connection
from yeaft.mcp.host.human import Human
from yeaft.mcp.host_protocol import (
    AnyNews,
    AnyOrder,
    CallTool,
    Cancel,
    Connect,
    Disconnect,
    Exited,
    GetPrompt,
    Ping,
    Pong,
    ReadResource,
    Refused,
    Reply,
    Started,
    line,
    read_order,
)

LAST_S = 6.0
"""How long an orderly end may take, counted from the end of the input."""
logger = logging.getLogger(__name__)


class Host:
    """All servers of one Session. `tell` takes news, from the event loop's thread alone."""

    def __init__(self, tell: Callable[[AnyNews], None]) -> None:
        self.pids: set[int] = set()
        self._tell_out = tell
        self._connections: dict[str, Connection] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._human = Human(self._tell)

    async def run(self, orders: asyncio.Queue[AnyOrder | None]) -> None:
        """Do what is ordered until None comes; then end all servers."""
        self._tell(Pong())
        async with asyncio.TaskGroup() as jobs, asyncio.TaskGroup() as servers:
            while (order := await orders.get()) is not None:
                self._take(order, servers, jobs)
            for connection in self._connections.values():
                connection.end()

    def _take(self, order: AnyOrder, servers: asyncio.TaskGroup, jobs: asyncio.TaskGroup) -> None:
        match order:
            case Ping():
                self._tell(Pong())
            case Connect():
                before = self._tasks.get(order.server.name)
                connection = Connection(order, dict(os.environ), self._tell, self._human)
                self._connections[order.server.name] = connection
                self._tasks[order.server.name] = servers.create_task(_run_after(before, connection))
            case Disconnect(server=server):
                if known := self._connections.get(server):
                    known.end()
            case CallTool() | ReadResource() | GetPrompt():
                if known := self._connections.get(order.server):
                    known.start(order, jobs)
                else:
                    self._tell(Refused(id=order.id, text="it is not connected", unsent=True))
            case Cancel(id=job_id):
                for connection in self._connections.values():
                    connection.cancel(job_id)
            case Reply():
                self._human.answer(order)

    def _tell(self, news: AnyNews) -> None:
        if isinstance(news, Started):
            self.pids.add(news.pid)
        elif isinstance(news, Exited):
            self.pids.discard(news.pid)
        self._tell_out(news)


async def _run_after(before: asyncio.Task[None] | None, connection: Connection) -> None:
    """Run a connection once the server's last one is gone."""
    if before is not None:
        await asyncio.wait((before,))
    await connection.run()


def main() -> NoReturn:
    """Serve until standard input ends."""
    logging.basicConfig(level=logging.CRITICAL)
    out = os.dup(1)
    os.dup2(2, 1)  # what any library prints must not end up between the news
    finished = threading.Event()

    async def serve() -> None:
        orders: asyncio.Queue[AnyOrder | None] = asyncio.Queue()
        host = Host(lambda news: _write(out, line(news)))
        loop = asyncio.get_running_loop()

        def take(order: AnyOrder | None) -> None:
            loop.call_soon_threadsafe(orders.put_nowait, order)

        arguments = (take, finished, host.pids)
        threading.Thread(target=_life_line, args=arguments, name="life line", daemon=True).start()
        await host.run(orders)

    asyncio.run(serve())
    finished.set()
    os._exit(0)  # everything is closed, and an orderly exit of so many modules takes a tenth of a second


def _write(out: int, raw: bytes) -> None:
    """Tell the other side; once it has gone nobody wants to hear how its servers end."""
    with contextlib.suppress(BrokenPipeError):
        while raw:
            raw = raw[os.write(out, raw) :]


def _life_line(take: Callable[[AnyOrder | None], None], finished: threading.Event, pids: set[int]) -> None:
    for raw in sys.stdin.buffer:
        try:
            take(read_order(raw))
        except msgspec.DecodeError:
            logger.critical("This is no order: %r", raw[:200])
    take(None)
    if not finished.wait(LAST_S):
        for pid in tuple(pids):
            try:
                os.killpg(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        os._exit(1)


if __name__ == "__main__":
    main()
