"""The tool with which a VP hands the conversation to its peers."""

from typing import Annotated, Protocol

from msgspec import Meta, Struct

from yeaft.tools.tool import Running, Tool, ToolResult


class RouteForward(Struct, frozen=True):
    """What the model says to hand over."""

    to: Annotated[str, Meta(description="VP id, or all")]
    text: Annotated[str, Meta(description="What they should do, with all they need to know")]
    reason: str = ""


class Router(Protocol):
    """Whoever can deliver a hand-off of the VP that it was made for."""

    async def forward(self, call_id: str, hand_off: RouteForward) -> ToolResult:
        """Decide who gets it and return the JSON answer for the model; what is posted is in `emits`. Never raises."""
        ...


def route_forward(router: Router) -> Tool[RouteForward]:
    """Let the model hand over through `router`; the VP's turn ends when the calls of the round are done."""

    async def run(args: RouteForward, running: Running) -> ToolResult:
        return await router.forward(running.call_id, args)

    return Tool(name="RouteForward", args=RouteForward, run=run, guard="local")
