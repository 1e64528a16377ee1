"""The tool with which a VP sees its sub-agents."""

from typing import Protocol

from msgspec import Struct

from yeaft.tools.tool import Running, Tool, ToolResult


class ListAgents(Struct, frozen=True):
    """What the model says to see its agents, also those that have ended if it wants."""

    include_closed: bool = False


class Lister(Protocol):
    """Whoever knows the sub-agents of the VP that it was made for."""

    async def list(self, order: ListAgents) -> ToolResult:
        """Return the JSON answer for the model. Never raises."""
        ...


def list_agents(lister: Lister) -> Tool[ListAgents]:
    """Let the model see its agents through `lister`."""

    async def run(args: ListAgents, _: Running) -> ToolResult:
        return await lister.list(args)

    return Tool(name="ListAgents", args=ListAgents, run=run, guard="read")
