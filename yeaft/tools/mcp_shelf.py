"""The tools of all MCP servers of a Session, and what of them each VP is offered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from msgspec import Raw

from yeaft.mcp.host_protocol import Result
from yeaft.mcp.offer import OfferedTool
from yeaft.mcp.servers import McpServers
from yeaft.prompts.find import read_template
from yeaft.prompts.phrases import sections
from yeaft.tools.ask_user import Asker
from yeaft.tools.mcp_questions import Questions
from yeaft.tools.mcp_tools import McpCaller, McpTool, mcp_find, mcp_resource
from yeaft.tools.tool import AnyTool, Running

Offers = Callable[[str], bool]
Wrap = Callable[[AnyTool], AnyTool]


class McpShelf:
    """All of them. At most `most_tools` are offered to a VP by themselves; it finds the others.

    `is_there` says whether there is a human for the questions of servers, who are told no at once if not.
    """

    def __init__(
        self, servers: McpServers, asker: Asker, *, is_there: Callable[[], bool], lang: str, most_tools: int
    ) -> None:
        self.servers = servers
        self.most_tools = most_tools
        self._asker = asker
        self._is_there = is_there
        self._lang = lang
        self._tools: dict[tuple[str, str], McpTool] = {}

    def of(self, offers: Offers, wrap: Wrap, *, may_ask: bool) -> VpShelf:
        """The part of a VP that gets the tools that `offers` names, each of them wrapped.

        `may_ask` says whether a server may put questions to the human during its calls.
        """
        return VpShelf(self, offers, wrap, may_ask=may_ask)

    def tool(self, offered: OfferedTool, *, may_ask: bool) -> McpTool:
        """The tool for what a server offers; the same one each time, as long as that does not change."""
        key = (offered.name, f"{offered.digest}{may_ask}")
        if key not in self._tools:
            self._tools[key] = McpTool(offered, self._asking if may_ask else self._silent)
        return self._tools[key]

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        return sections(read_template("prompts/mcp", self._lang))

    async def _asking(self, tool: OfferedTool, args: Raw, running: Running) -> Result:
        if not self._is_there():
            return await self._silent(tool, args, running)
        questions = Questions(self._asker, running.call_id, self._texts)
        return await self.servers.call(tool.server, tool.tool, args, show=running.show, elicit=questions.elicit)

    async def _silent(self, tool: OfferedTool, args: Raw, running: Running) -> Result:
        return await self.servers.call(tool.server, tool.tool, args, show=running.show)


class VpShelf:
    """What one VP sees of the shelf; see `session.minds.Served`."""

    def __init__(self, shelf: McpShelf, offers: Offers, wrap: Wrap, *, may_ask: bool) -> None:
        self._shelf = shelf
        self._offers = offers
        self._wrap = wrap
        self._may_ask = may_ask
        self._has_paged = False
        self._known: dict[str, AnyTool] = {}
        self._wrapped: dict[McpTool, AnyTool] = {}
        self._finders: tuple[AnyTool, ...] = (mcp_find(self._tools), McpCaller(self._by_name))
        self._reader = wrap(mcp_resource(self._read))

    def offered(self) -> tuple[AnyTool, ...]:
        """What a turn that begins now is offered; what was offered before stays."""
        self._shelf.servers.offered()
        tools = self._tools()
        self._has_paged |= len(tools) > self._shelf.most_tools
        found: list[AnyTool] = [self._around(tool) for tool in tools[: self._shelf.most_tools]]
        if self._has_paged:
            found += self._finders
        if self._shelf.servers.resource_servers():
            found.append(self._reader)
        self._known |= {tool.name: tool for tool in found}
        return tuple(found)

    def get(self, name: str) -> AnyTool | None:
        """The tool that a model calls by `name`, also one that it was not offered but found."""
        return self._by_name().get(name) or self._known.get(name)

    def names(self) -> tuple[str, ...]:
        """What a model may call, as far as it was offered."""
        return tuple(self._known)

    def _tools(self) -> list[McpTool]:
        return [
            self._shelf.tool(tool, may_ask=self._may_ask)
            for tool in self._shelf.servers.known()
            if self._offers(tool.name)
        ]

    def _by_name(self) -> dict[str, AnyTool]:
        return {tool.name: self._around(tool) for tool in self._tools()}

    def _around(self, tool: McpTool) -> AnyTool:
        if tool not in self._wrapped:
            self._wrapped[tool] = self._wrap(tool)
        return self._wrapped[tool]

    async def _read(self, server: str, uri: str, running: Running) -> Result:
        return await self._shelf.servers.read(server, uri, show=running.show)
