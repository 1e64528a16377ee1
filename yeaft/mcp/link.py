"""Our side of one server: how far it is, what it offers, and who waits for it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.mcp.host_protocol import ListedTool, Listing
from yeaft.mcp.pinned import Pinned, first, read_pinned, write_pinned
from yeaft.mcp.places import pin_path
from yeaft.mcp.server import McpServer

State = Literal["idle", "connecting", "connected", "failed", "login"]
"""`login`: the user has to log in at it. A `failed` one is tried again, at the latest when it is called."""


class Status(Struct, frozen=True, kw_only=True):
    """A server as a list shows it; `noise_lines` are those on its standard output that were no messages."""

    name: str
    state: State
    reason: str = ""
    origin: str = ""
    tools: int = 0
    withheld: tuple[str, ...] = ()
    noise_lines: int = 0
    pid: int = 0


class Link:
    """The state of one server; who changes it is `McpServers`."""

    def __init__(self, server: McpServer, home: Path) -> None:
        self.server = server
        self.state: State = "idle"
        self.reason = ""
        self.pid = 0
        self.noise_lines = 0
        self.failures = 0
        self.has_complained = False
        self.has_changed = False
        self.waiters: set[asyncio.Future[None]] = set()
        self.timers: list[asyncio.TimerHandle] = []
        self._path = pin_path(home, server)
        self._pinned: Pinned | None = None
        self._offered: tuple[ListedTool, ...] = ()
        self._withheld: tuple[str, ...] = ()
        self._seen_ns = 0

    @property
    def name(self) -> str:
        """What the server is called."""
        return self.server.name

    @property
    def pinned(self) -> Pinned | None:
        """What is known of it, as of now: another process may have learned more, or the user agreed to more."""
        try:
            changed_ns = self._path.stat().st_mtime_ns
        except OSError:
            return self._pinned
        if changed_ns != self._seen_ns:
            self._seen_ns = changed_ns
            if (found := read_pinned(self._path)) is not None:
                self._take(found)
        return self._pinned

    @property
    def offered(self) -> tuple[ListedTool, ...]:
        """The tools that may be told to models now."""
        return self._offered if self.pinned else ()

    @property
    def withheld(self) -> tuple[str, ...]:
        """The names of tools that the user has to agree to first."""
        return self._withheld if self.pinned else ()

    def learn(self, listing: Listing) -> None:
        """Keep what the server has listed; what cannot be written is known to this process alone."""
        pinned = self.pinned
        pinned = pinned.now(listing) if pinned else first(self.server, listing)
        self._take(pinned)
        try:
            write_pinned(self._path, pinned)
            self._seen_ns = self._path.stat().st_mtime_ns
        except OSError:
            return

    def _take(self, pinned: Pinned) -> None:
        self._pinned = pinned
        self._offered = tuple(tool for tool in pinned.offered if self.server.wants(tool.name))
        self._withheld = tuple(tool.name for tool in pinned.withheld if self.server.wants(tool.name))

    def check(self, tool: str) -> None:
        """Raise `ToolFailed` for a tool that is not, or not any more, as the user agreed to it."""
        if any(one.name == tool for one in self.offered):
            return
        if tool in self.withheld:
            raise ToolFailed(
                f"The MCP server {self.name} describes {tool} in another way than the user agreed to, so it was not "
                f"called. The user can look at it with `yeaft mcp test {self.name}`."
            )
        raise ToolFailed(f"The MCP server {self.name} has no tool {tool} any more; nothing was done.")

    def settle(self, error: ToolFailed | None) -> None:
        """Tell those who wait for a connection that it is there, or that it is not to be had."""
        for waiter in self.waiters:
            if waiter.done():
                continue
            if error is None:
                waiter.set_result(None)
            else:
                waiter.set_exception(error)

    def stop_timers(self) -> None:
        """Let nothing happen by itself any more."""
        for timer in self.timers:
            timer.cancel()
        self.timers.clear()

    def status(self) -> Status:
        """How it is now."""
        return Status(
            name=self.name,
            state=self.state,
            reason=self.reason,
            origin=self.server.origin,
            tools=len(self.offered),
            withheld=self.withheld,
            noise_lines=self.noise_lines,
            pid=self.pid,
        )
