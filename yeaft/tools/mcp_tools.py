"""A tool of an MCP server, and the tools of our own that lead to those that are not listed."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw, Struct

from yeaft.kernel.errors import BadArguments, NotFound, ToolFailed
from yeaft.kernel.nearness import nearest
from yeaft.llm.prompt import ToolSpec
from yeaft.mcp.host_protocol import Result
from yeaft.mcp.offer import OfferedTool
from yeaft.mcp.schema import clean_schema
from yeaft.tools.mcp_results import told
from yeaft.tools.tool import AnyTool, BoundCall, Running, Tool, ToolResult, Touches, arguments, spec_of

FIND, CALL, RESOURCE = "mcp__find", "mcp__call", "mcp__resource"
MOST_FOUND = 10
MOST_NAMES = 300
NAME_POINTS, WORD_POINTS, PART_POINTS = 8, 4, 1
_WORD = re.compile(r"[^\W_]+")

Call = Callable[[OfferedTool, Raw, Running], Awaitable[Result]]
"""Calls a tool of a server with a JSON object. Raises `ToolFailed`."""
Read = Callable[[str, str, Running], Awaitable[Result]]
"""Reads a resource of a server by its URI, or lists them if that is empty. Raises `NotFound` or `ToolFailed`."""


class McpFind(Struct, frozen=True):
    """Arguments."""

    query: str = ""


class McpCall(Struct, frozen=True):
    """Arguments."""

    tool: Annotated[str, Meta(description="Name as mcp__find gave it.")]
    arguments: Annotated[dict[str, Any], Meta(description="By the tool's schema.")] = {}


class McpResource(Struct, frozen=True):
    """Arguments."""

    server: str
    uri: str = ""


class McpTool:
    """One tool of a server. Nothing that the server says of it counts when its calls are judged."""

    def __init__(self, offered: OfferedTool, call: Call) -> None:
        self.offered = offered
        self._call = call
        self._spec: ToolSpec | None = None

    @property
    def name(self) -> str:
        """What models call it by."""
        return self.offered.name

    @property
    def spec(self) -> ToolSpec:
        """What a model is told of it; cleaning its schema takes a moment, so that is done once."""
        if self._spec is None:
            description = self.offered.description or f"{self.offered.tool} of the MCP server {self.offered.server}"
            self._spec = ToolSpec(name=self.name, description=description, schema=clean_schema(self.offered.schema))
        return self._spec

    def bind(self, args_raw: str, /) -> BoundCall:
        """The call with these arguments, which the server alone judges. Raises `BadArguments` if they are no object."""
        args = Raw(msgspec.json.encode(arguments(self.name, args_raw)))

        async def start(running: Running) -> ToolResult:
            return await told(await self._call(self.offered, args, running), self.offered.server)

        return BoundCall(
            tool=self.name,
            args=args,
            guard="unsafe",
            touches=Touches(shown=bytes(args).decode()),
            timeout_s=None,
            unknown_keys=(),
            start=start,
            intend=lambda: (),
        )


class McpCaller:
    """Calls a tool that is not listed; its call is that of the other tool, whose name is what is judged."""

    def __init__(self, tools: Callable[[], Mapping[str, AnyTool]]) -> None:
        self._tools = tools

    @property
    def name(self) -> str:
        """What models call it by."""
        return CALL

    @property
    def spec(self) -> ToolSpec:
        """What a model is told of it."""
        return spec_of(CALL, McpCall)

    def bind(self, args_raw: str, /) -> BoundCall:
        """The call of the tool that is named. Raises `BadArguments` if there is none."""
        try:
            args = msgspec.convert(arguments(CALL, args_raw), McpCall)
        except msgspec.ValidationError as error:
            raise BadArguments(f"{CALL}: {error}. Expected {{tool, arguments?}}.") from error
        tools = self._tools()
        tool = tools.get(args.tool)
        if tool is None:
            near = nearest(args.tool, tools)
            remedy = f"Did you mean {near}?" if near else f"{FIND} lists those there are."
            raise BadArguments(f"{CALL}: there is no tool {args.tool!r}. {remedy}")
        return tool.bind(msgspec.json.encode(args.arguments).decode())


def mcp_find(tools: Callable[[], Sequence[McpTool]]) -> Tool[McpFind]:
    """Let the model look for tools of servers, in what is known of them."""

    async def run(args: McpFind, _: Running) -> str:
        found = tools()
        if not args.query.strip():
            names = [tool.name for tool in found]
            more = (
                f"\n… and {len(names) - MOST_NAMES} more; ask for what they should do"
                if len(names) > MOST_NAMES
                else ""
            )
            return "\n".join(names[:MOST_NAMES]) + more
        best = ranked(args.query, found)[:MOST_FOUND]
        if not best:
            raise ToolFailed(f"None of {len(found)} MCP tools fits {args.query!r}; an empty query lists their names.")
        return "\n".join(msgspec.json.encode(tool.spec).decode() for tool in best)

    return Tool(name=FIND, args=McpFind, run=run, guard="read")


def mcp_resource(read: Read) -> Tool[McpResource]:
    """Let the model read what servers keep."""

    async def run(args: McpResource, running: Running) -> ToolResult:
        try:
            result = await read(args.server, args.uri, running)
        except NotFound as error:
            raise ToolFailed(str(error)) from error
        if not result.parts:
            raise ToolFailed(f"The MCP server {args.server} has no such resource, or an empty one.")
        return await told(result, args.server)

    return Tool(
        name=RESOURCE,
        args=McpResource,
        run=run,
        guard="unsafe",
        touches=lambda args: Touches(shown=" ".join(filter(None, (args.server, args.uri)))),
        timeout_s=None,
    )


def ranked(query: str, tools: Iterable[McpTool]) -> list[McpTool]:
    """The tools that have any word of `query` in their name or description, the best first, then by name."""
    words = {word.casefold() for word in _WORD.findall(query)}
    points = {tool.name: _points(words, tool.offered) for tool in tools}
    fitting = [tool for tool in tools if points[tool.name]]
    return sorted(fitting, key=lambda tool: (-points[tool.name], tool.name))


def _points(words: Iterable[str], tool: OfferedTool) -> int:
    name = {word.casefold() for word in _WORD.findall(f"{tool.server} {tool.tool}")}
    text = tool.description.casefold()
    described = set(_WORD.findall(text))
    whole = f"{tool.name.casefold()} {text}"
    return sum(
        NAME_POINTS * (word in name) + WORD_POINTS * (word in described) + PART_POINTS * (word in whole)
        for word in words
    )
