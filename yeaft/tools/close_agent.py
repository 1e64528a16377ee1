"""The tool with which a VP ends one of its sub-agents."""

from typing import Protocol

from msgspec import Struct

from yeaft.tools.tool import Running, Tool, ToolResult


class CloseAgent(Struct, frozen=True):
    """What the model says to end an agent; `result` is kept as its result instead of what it had said."""

    agent_id: str
    result: str = ""


class Closer(Protocol):
    """Whoever can end the sub-agents of the VP that it was made for."""

    async def close(self, call_id: str, order: CloseAgent) -> ToolResult:
        """End the agent with all its processes and return the JSON answer for the model. Never raises."""
        ...


def close_agent(closer: Closer) -> Tool[CloseAgent]:
    """Let the model end an agent through `closer`."""

    async def run(args: CloseAgent, running: Running) -> ToolResult:
        return await closer.close(running.call_id, args)

    return Tool(name="CloseAgent", args=CloseAgent, run=run, guard="local")
