"""Wires the MCP servers of a Session: read from the configuration, begun after the first request, ended at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from yeaft.events.codec import Event, Recorded, Transient
from yeaft.events.turn import RequestSent
from yeaft.kernel.tool_names import OUTSIDE_PREFIX
from yeaft.tools.around import Around, surrounded

if TYPE_CHECKING:
    from yeaft.interfaces.ground import Ground
    from yeaft.mcp.configured import Configured
    from yeaft.session.approvals import Approvals
    from yeaft.session.live_toolbox import Served
    from yeaft.session.slash.commands import Prompts
    from yeaft.tools.mcp_shelf import McpShelf
    from yeaft.tools.tool import AnyTool
    from yeaft.vp.library import Library

START_AFTER_S = 0.05
"""How long after the first request was written down the servers are started: it is to be on its way by then."""


class Serving:
    """What a Session has of servers; without any there is no `shelf`, and nothing of them was loaded."""

    def __init__(self, shelf: McpShelf | None = None, remarks: Sequence[tuple[str, dict[str, str]]] = ()) -> None:
        self._shelf = shelf
        self.remarks = tuple(remarks)

    def of(
        self, offers: Callable[[str], bool], arounds: Callable[[], Sequence[Around]], *, may_ask: bool = True
    ) -> Served | None:
        """The tools of servers that `offers` names, with `arounds` about their calls; None if there are no servers."""
        if self._shelf is None:
            return None
        around = tuple(arounds())

        def wrap(tool: AnyTool) -> AnyTool:
            return surrounded({tool.name: tool}, around)[tool.name]

        return self._shelf.of(offers, wrap, may_ask=may_ask)

    def of_vp(self, vp_id: str, library: Library, arounds: Sequence[Around]) -> Served | None:
        """Those that the VP's file lets it use."""

        def offers(tool: str) -> bool:
            vp = library.get(vp_id)
            return vp is None or vp.tools.offers(tool)

        return self.of(offers, lambda: arounds)

    async def reach(self, tool: str) -> None:
        """Wait for the server whose tool this is, which is started if it has to be; nothing for a tool of none.

        Raises `ToolFailed` when it cannot be connected.
        """
        if self._shelf is None:
            return
        from yeaft.mcp.names import server_part

        servers = self._shelf.servers
        for server in (status.name for status in servers.statuses()):
            if tool.startswith(f"{OUTSIDE_PREFIX}{server_part(server)}__"):
                await servers.connect(server)

    def prompts(self) -> Prompts | None:
        """The prompts of the servers; None if there are no servers."""
        if self._shelf is None:
            return None
        from yeaft.session.server_prompts import ServerPrompts

        return ServerPrompts(self._shelf.servers)


def serving(ground: Ground, approvals: Approvals, stack: AsyncExitStack) -> Serving:
    """Return the servers of a Session. They are started when its first request has gone out, and end with `stack`."""
    if not ground.config.mcp.servers and not (ground.folder / ".mcp.json").exists():
        return Serving()
    from yeaft.llm.credentials import scrubbed
    from yeaft.mcp.configured import configured_servers
    from yeaft.mcp.servers import McpServers
    from yeaft.session.approvals import Questions
    from yeaft.tools.mcp_shelf import McpShelf

    environ = ground.wish.environ
    found = configured_servers(ground.config, ground.home, ground.folder, environ, ground.trust)
    said = tuple(_remarks(found))
    if not found.servers:
        return Serving(remarks=said)

    def tell(event: Event) -> None:
        ground.ledger.post((event,), src="engine")

    servers = McpServers(
        found.servers,
        home=ground.home,
        folder=ground.folder,
        environ=scrubbed(environ, ground.config),
        tell=tell,
    )
    stack.push_async_callback(servers.aclose)

    def begin(heard: Recorded | Transient) -> None:
        if isinstance(heard, Recorded) and isinstance(heard.event, RequestSent):
            asyncio.get_running_loop().call_later(START_AFTER_S, servers.start)

    ground.ledger.listen(begin)
    shelf = McpShelf(
        servers,
        Questions(approvals),
        is_there=lambda: approvals.has_human,
        lang=ground.lang,
        most_tools=ground.config.mcp.most_tools,
    )
    return Serving(shelf, said)


def _remarks(found: Configured) -> Iterator[tuple[str, dict[str, str]]]:
    """What is wrong in the configuration, and which servers nobody has agreed to yet."""
    for problem in found.problems:
        yield "mcp.problem", {"path": problem.path, "line": str(problem.line), "reason": problem.reason}
    for server in found.waiting:
        yield "mcp.needs_consent", {"server": server.name}
