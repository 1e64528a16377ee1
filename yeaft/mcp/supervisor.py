"""Keeps the servers of a Session connected: starts the host, tries again what fails, notices when nobody answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from yeaft.events.codec import Event
from yeaft.events.session import NoticePosted
from yeaft.kernel.errors import ToolFailed
from yeaft.mcp.host_process import HostProcess
from yeaft.mcp.host_protocol import (
    AnyNews,
    AnyOrder,
    Connect,
    Connected,
    Disconnect,
    Done,
    Elicited,
    Exited,
    LoginAt,
    Lost,
    Noise,
    Ping,
    Pong,
    Progress,
    Refused,
    Started,
)
from yeaft.mcp.link import Link
from yeaft.mcp.places import host_log_path, log_path, tokens_path
from yeaft.mcp.server import McpServer

BACKOFF_S = (0.5, 1.0, 2.0, 4.0, 8.0)
"""How long is waited before each new try; then a server is tried again only when it is called."""
START_LIMIT_S = 120.0
"""When a server that does not answer is ended: far more than a call waits, because a first start may download."""
PULSE_S = 2.0
SILENCE_S = 10.0
FIRST_SILENCE_S = 60.0
"""How long the host may say nothing while it is waited for; at first it imports what it needs."""


class Desk(Protocol):
    """Whoever has given orders to servers."""

    @property
    def is_waiting(self) -> bool:
        """Whether any order is not answered yet."""
        ...

    def answered(self, news: Done | Refused | Progress | Elicited) -> None:
        """A server has something to say about an order."""
        ...

    def connected(self, link: Link) -> None:
        """A server is there, and has told what it has."""
        ...

    def lost(self, server: str, text: str, unsent: tuple[int, ...]) -> None:
        """Nothing that a server was asked will be answered any more; with those that are `unsent` it has not begun."""
        ...


class Supervisor:
    """Owns the host and the state of each server. `tell` takes what the user should know."""

    def __init__(
        self,
        servers: Sequence[McpServer],
        *,
        home: Path,
        folder: Path,
        environ: Mapping[str, str],
        tell: Callable[[Event], None],
        desk: Desk,
    ) -> None:
        self.links = {server.name: Link(server, home) for server in servers}
        self._home = home
        self._folder = folder
        self._environ = environ
        self._tell = tell
        self._desk = desk
        self._host: HostProcess | None = None
        self._heard_at = 0.0
        self._has_heard = False
        self._pulse: asyncio.TimerHandle | None = None
        self._is_closed = False

    def start(self) -> None:
        """Begin to connect all servers that have not been asked for yet."""
        for link in self.links.values():
            if link.state == "idle":
                self._connect(link)

    def send(self, order: AnyOrder) -> None:
        """Give the host an order; without a host nobody waits for an answer any more."""
        if self._host is not None:
            self._host.send(order)
            self._watch()

    async def ready(self, link: Link) -> None:
        """Wait for the connection to a server, at most as long as it has for that. Raises `ToolFailed`."""
        if link.state == "connected":
            return
        if link.state == "login":
            raise ToolFailed(f"The user has to log in first: `yeaft mcp login {link.name}`.")
        if link.state != "connecting":
            self._connect(link)
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        link.waiters.add(waiter)
        try:
            if link.state == "connecting":
                await asyncio.wait((waiter,), timeout=link.server.connect_timeout_s)
            if waiter.done():
                waiter.result()
                return
        finally:
            link.waiters.discard(waiter)
        raise ToolFailed(f"The MCP server {link.name} cannot be used now: {link.reason}.")

    async def aclose(self) -> None:
        """End all servers and whatever waits for them."""
        self._is_closed = True
        if self._pulse is not None:
            self._pulse.cancel()
        for link in self.links.values():
            link.stop_timers()
            self._fail(link, "the session ends")
        host, self._host = self._host, None
        if host is not None:
            await host.aclose()

    def _connect(self, link: Link) -> None:
        link.stop_timers()
        host = self._running_host()
        if host is None:
            link.state, link.reason = "failed", "the process for MCP servers cannot be started"
            return
        link.state = "connecting"
        link.reason = f"it has not answered within {link.server.connect_timeout_s:g} s and is still starting"
        host.send(
            Connect(
                server=link.server,
                folder=str(self._folder),
                log=str(log_path(self._home, link.name)),
                tokens=str(tokens_path(self._home, link.server)),
            )
        )
        loop = asyncio.get_running_loop()
        link.timers.append(loop.call_later(link.server.connect_timeout_s, self._complain, link))
        link.timers.append(loop.call_later(START_LIMIT_S, self._give_up, link))
        self._watch()

    def _running_host(self) -> HostProcess | None:
        if self._host is None and not self._is_closed:
            self._has_heard = False
            self._heard_at = asyncio.get_running_loop().time()
            try:
                self._host = HostProcess(self._environ, host_log_path(self._home), self._hear, self._host_lost)
            except OSError:
                return None
        return self._host

    def _complain(self, link: Link) -> None:
        """Tell the user once that a server fails, until it has worked again."""
        if not link.has_complained:
            link.has_complained = True
            self._tell(_notice("mcp.failed", link, reason=link.reason))

    def _give_up(self, link: Link) -> None:
        self.send(Disconnect(server=link.name))
        self._lost(link, f"it did not answer within {START_LIMIT_S:g} s")

    def _hear(self, news: AnyNews) -> None:
        self._heard_at, self._has_heard = asyncio.get_running_loop().time(), True
        match news:
            case Done() | Refused() | Progress() | Elicited():
                self._desk.answered(news)
            case Connected() | Lost() | Started() | Exited() | Noise():
                if link := self.links.get(news.server):
                    self._about(link, news)
            case Pong() | LoginAt():
                pass

    def _about(self, link: Link, news: Connected | Lost | Started | Exited | Noise) -> None:
        match news:
            case Connected():
                if link.state in ("connecting", "connected"):
                    self._connected(link, news)
            case Lost(text=text, wants_login=wants_login, unsent=unsent):
                if link.state in ("connecting", "connected"):
                    self._lost(link, text, wants_login=wants_login, unsent=unsent)
            case Started(pid=pid):
                link.pid = pid
            case Exited(pid=pid):
                link.pid = 0 if link.pid == pid else link.pid
            case Noise(lines=lines):
                link.noise_lines = lines

    def _connected(self, link: Link, news: Connected) -> None:
        link.stop_timers()
        link.state, link.reason = "connected", ""
        before = link.withheld
        link.learn(news.listing)
        if (withheld := link.withheld) and withheld != before:
            self._tell(_notice("mcp.changed", link, tools=", ".join(withheld)))
        self._desk.connected(link)
        link.settle(None)

    def _lost(self, link: Link, text: str, *, wants_login: bool = False, unsent: tuple[int, ...] = ()) -> None:
        link.stop_timers()
        link.state, link.reason = "login" if wants_login else "failed", text
        self._fail(link, text, unsent)
        if wants_login:
            self._tell(_notice("mcp.login", link))
            return
        self._complain(link)
        if link.failures < len(BACKOFF_S) and not self._is_closed:
            pause_s = BACKOFF_S[link.failures]
            link.timers.append(asyncio.get_running_loop().call_later(pause_s, self._connect, link))
        link.failures += 1

    def _fail(self, link: Link, text: str, unsent: tuple[int, ...] = ()) -> None:
        """Answer everything that waits for a server."""
        self._desk.lost(link.name, text, unsent)
        link.settle(ToolFailed(f"The MCP server {link.name} cannot be used: {text}."))

    def _host_lost(self) -> None:
        self._host = None
        for link in self.links.values():
            link.pid = 0
            if link.state in ("connecting", "connected"):
                self._lost(link, "the process that talks to it has ended")

    def _watch(self) -> None:
        if self._pulse is None and not self._is_closed:
            self._pulse = asyncio.get_running_loop().call_later(PULSE_S, self._beat)

    def _beat(self) -> None:
        """While anybody waits for the host, make sure that it is alive."""
        self._pulse = None
        is_wanted = self._desk.is_waiting or any(link.state == "connecting" for link in self.links.values())
        if self._host is None or not is_wanted:
            return
        silent_s = asyncio.get_running_loop().time() - self._heard_at
        if silent_s > (SILENCE_S if self._has_heard else FIRST_SILENCE_S):
            self._host.kill()
            self._watch()
        else:
            self.send(Ping())


def _notice(code: str, link: Link, **params: str) -> NoticePosted:
    return NoticePosted(code=code, params={"server": link.name, **params}, level="warn")
