"""What else happens around a running call: each layer may act before it and after it, and add to its result."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from msgspec import Struct, structs

from yeaft.llm.prompt import ToolSpec
from yeaft.tools.tool import AnyTool, BoundCall, Running, Toolbox, ToolResult

GoOn = Callable[[Running], Awaitable[ToolResult]]
"""Goes on with the call itself, or with the next layer around it; raises what the tool raises."""

Around = Callable[[BoundCall, Running, GoOn], Awaitable[ToolResult]]
"""A layer: does what it has to, awaits `go_on` at most once, and returns that result or what it makes of it.

It runs after the call was allowed and recorded, within the call's time limit, and is cancelled with it.
"""


class Surrounded(Struct, frozen=True):
    """A tool with layers around each of its calls, the first of them outermost."""

    tool: AnyTool
    arounds: tuple[Around, ...]

    @property
    def name(self) -> str:
        """What models call it by."""
        return self.tool.name

    @property
    def spec(self) -> ToolSpec:
        """What a model is told of it."""
        return self.tool.spec

    def bind(self, args_raw: str, /) -> BoundCall:
        """The call with these arguments. Raises `BadArguments`."""
        bound = self.tool.bind(args_raw)
        start: GoOn = partial(_whole, bound)
        for around in reversed(self.arounds):
            start = partial(_through, around, bound, start)
        return structs.replace(bound, start=start)


def surrounded(toolbox: Toolbox, arounds: Sequence[Around]) -> Toolbox:
    """The same tools with `arounds` about each of their calls."""
    if not arounds:
        return toolbox
    return {name: Surrounded(tool, tuple(arounds)) for name, tool in toolbox.items()}


async def _whole(bound: BoundCall, running: Running) -> ToolResult:
    found = await bound.start(running)
    return ToolResult(text=found) if isinstance(found, str) else found


async def _through(around: Around, bound: BoundCall, go_on: GoOn, running: Running) -> ToolResult:
    return await around(bound, running, go_on)
