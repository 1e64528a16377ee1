"""The tool with which a VP gives part of its work to a helper that works on its own."""

from typing import Annotated, Any, Literal, Protocol

from msgspec import Meta, Struct

from yeaft.tools.tool import Running, Tool, ToolResult, Touches

Persona = Literal["", "explorer", "implementer", "reviewer", "researcher"]


class SpawnAgent(Struct, frozen=True):
    """What the model says to get a helper; `mission` is another word for `task`, limits in `budget` are positive."""

    name: str
    task: Annotated[str, Meta(description="All it needs to know; it sees nothing else")] = ""
    mission: str = ""
    persona: Persona = ""
    expected_output: Annotated[dict[str, Any], Meta(description="Form of its report")] = {}
    budget: Annotated[dict[str, float], Meta(description="max_tokens, max_turns, wall_time_ms, max_cost_usd")] = {}
    cwd: str = ""
    stay: bool = False


class Spawner(Protocol):
    """Whoever can start a helper for the VP that it was made for."""

    async def spawn(self, call_id: str, order: SpawnAgent) -> ToolResult:
        """Return the JSON answer for the model; the helper starts with what is in `emits`. Never raises."""
        ...


def spawn_agent(spawner: Spawner) -> Tool[SpawnAgent]:
    """Let the model start helpers through `spawner`; the call returns at once."""

    async def run(args: SpawnAgent, running: Running) -> ToolResult:
        return await spawner.spawn(running.call_id, args)

    def touches(args: SpawnAgent) -> Touches:
        return Touches(reads=(args.cwd,) if args.cwd else ())

    return Tool(name="SpawnAgent", args=SpawnAgent, run=run, guard="local", touches=touches)
