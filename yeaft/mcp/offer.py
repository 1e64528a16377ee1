"""The tools of servers that models are told of: the set only grows, so that requests keep their common beginning."""

import hashlib
from collections.abc import Iterable

import msgspec
from msgspec import Raw, Struct

from yeaft.mcp.host_protocol import ListedTool
from yeaft.mcp.names import wire_names
from yeaft.mcp.plain import one_line


class OfferedTool(Struct, frozen=True, kw_only=True):
    """A tool of a server. `name` is what models call it by, `tool` what the server does.

    `description` is fit to be told, `schema` is still the server's own.
    """

    server: str
    tool: str
    name: str
    description: str
    schema: Raw
    digest: str


class Offer:
    """The tools of all servers, in the order in which they came to be known."""

    def __init__(self) -> None:
        self._tools: dict[tuple[str, str], OfferedTool] = {}

    @property
    def tools(self) -> tuple[OfferedTool, ...]:
        """All of them."""
        return tuple(self._tools.values())

    def of(self, server: str) -> tuple[OfferedTool, ...]:
        """Those of one server."""
        return tuple(tool for tool in self._tools.values() if tool.server == server)

    def take(self, server: str, listed: Iterable[ListedTool]) -> bool:
        """Add what a server offers now, and renew what it says of what was there; returns whether anything is new."""
        changed = [tool for tool in listed if not self._knows(server, tool)]
        others = {tool.name for tool in self._tools.values()}
        fresh = [(server, tool.name) for tool in changed if (server, tool.name) not in self._tools]
        names = wire_names(fresh, others)
        for tool in changed:
            key = (server, tool.name)
            self._tools[key] = OfferedTool(
                server=server,
                tool=tool.name,
                name=names[key] if key in names else self._tools[key].name,
                description=one_line(tool.description),
                schema=tool.schema,
                digest=tool.digest,
            )
        return bool(changed)

    def _knows(self, server: str, tool: ListedTool) -> bool:
        known = self._tools.get((server, tool.name))
        return known is not None and known.digest == tool.digest


def digest_of(tools: Iterable[OfferedTool]) -> str:
    """The SHA-256 of what models are told of them."""
    return hashlib.sha256(msgspec.json.encode([(tool.name, tool.digest) for tool in tools])).hexdigest()
