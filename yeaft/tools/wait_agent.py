"""The tool with which a VP waits for one of its sub-agents and gets its whole report."""

from typing import Annotated, Protocol

from msgspec import Meta, Struct

from yeaft.tools.tool import Running, Tool, ToolResult

LONGEST_WAIT_MS = 300_000
TIMEOUT_S = 305.0


class WaitAgent(Struct, frozen=True):
    """What the model says to wait."""

    agent_id: str
    timeout_ms: Annotated[int, Meta(ge=0, le=LONGEST_WAIT_MS)] = 5_000


class Waiter(Protocol):
    """Whoever knows the sub-agents of the VP that it was made for."""

    async def wait(self, call_id: str, order: WaitAgent) -> ToolResult:
        """Return the JSON answer for the model, at the latest when the time is over. Never raises."""
        ...


def wait_agent(waiter: Waiter) -> Tool[WaitAgent]:
    """Let the model wait through `waiter`; several may be waited for at once."""

    async def run(args: WaitAgent, running: Running) -> ToolResult:
        return await waiter.wait(running.call_id, args)

    return Tool(name="WaitAgent", args=WaitAgent, run=run, guard="read", timeout_s=TIMEOUT_S)
