"""The tool with which a VP tells one of its sub-agents more."""

from typing import Protocol

from msgspec import Struct

from yeaft.tools.tool import Running, Tool, ToolResult


class PromptAgent(Struct, frozen=True):
    """What the model says to tell an agent more."""

    agent_id: str
    message: str


class Prompter(Protocol):
    """Whoever can tell the sub-agents of the VP that it was made for."""

    async def prompt(self, call_id: str, order: PromptAgent) -> ToolResult:
        """Return the JSON answer for the model; the agent hears of it by what is in `emits`. Never raises."""
        ...


def prompt_agent(prompter: Prompter) -> Tool[PromptAgent]:
    """Let the model tell an agent more through `prompter`; what is told queues up behind what the agent does."""

    async def run(args: PromptAgent, running: Running) -> ToolResult:
        return await prompter.prompt(running.call_id, args)

    return Tool(name="PromptAgent", args=PromptAgent, run=run, guard="local")
