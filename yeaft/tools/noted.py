"""A tool of which a model is told one thing more than usual."""

from msgspec import Struct
from msgspec.structs import replace

from yeaft.llm.prompt import ToolSpec
from yeaft.tools.tool import AnyTool, BoundCall


class Noted(Struct, frozen=True):
    """`tool` with `note` at the end of its description."""

    tool: AnyTool
    note: str

    @property
    def name(self) -> str:
        """What models call it by."""
        return self.tool.name

    @property
    def spec(self) -> ToolSpec:
        """What a model is told of it."""
        spec = self.tool.spec
        return replace(spec, description=f"{spec.description} {self.note}")

    def bind(self, args_raw: str, /) -> BoundCall:
        """The call with these arguments. Raises `BadArguments`."""
        return self.tool.bind(args_raw)
