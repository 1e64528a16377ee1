"""What a tool is, and how the arguments of a call become a call that can be judged and run."""

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any, Generic, Protocol, TypeVar, cast

import msgspec
from msgspec import Raw, Struct

from yeaft.events.call import Facts, Intent
from yeaft.events.codec import Event
from yeaft.kernel.errors import BadArguments
from yeaft.kernel.outcome import Guard
from yeaft.kernel.text import without_surrogates
from yeaft.llm.prompt import ToolSpec
from yeaft.prompts.find import templates_dir

A = TypeVar("A", bound=Struct)
Json = dict[str, "Json"] | list["Json"] | str | float | bool | None
ECHO_CHARS = 80
DEFAULT_TIMEOUT_S = 90.0


class Picture(Struct, frozen=True, kw_only=True):
    """An image for the model to look at, small enough to be sent as it is."""

    mime: str
    content: bytes


class ToolResult(Struct, frozen=True, kw_only=True):
    """What a call gives back. `emits` are committed in the same append as its `call.finished`."""

    text: str
    failed: bool = False
    images: tuple[Picture, ...] = ()
    facts: Facts = Facts()
    emits: tuple[Event, ...] = ()


class Running(Protocol):
    """The one call that a tool's body is working on."""

    @property
    def call_id(self) -> str:
        """Its id; names the place for what the call leaves on disk."""
        ...

    def show(self, chunk: str) -> None:
        """Show output on screens while the call runs; the result still has to hold all that matters."""
        ...


class Touches(Struct, frozen=True, kw_only=True):
    """What a call would read, write, run or visit, for the policy to judge.

    Paths are as the model wrote them; `domains` are lower-case host names or addresses, without port or final dot.
    `shown` is what a human who is asked sees of a call that nothing else tells of; no rule looks at it.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    command: str | None = None
    command_cwd: str = ""
    domains: tuple[str, ...] = ()
    shown: str = ""


def touches_nothing(_: Struct) -> Touches:
    """For tools that stay inside the Session."""
    return Touches()


class Tool(Struct, Generic[A], frozen=True, kw_only=True):
    """A tool: its argument struct (whose descriptions are written for the model) and its body.

    `run` returns text or a `ToolResult`, or raises `ToolFailed`. `touches` must be cheap and must not raise.
    `intend` says what files a `verify` tool would leave behind; it raises `ToolFailed` when the call cannot work.
    `timeout_s` None means that the tool keeps its own time.
    """

    name: str
    args: type[A]
    run: Callable[[A, Running], Awaitable[str | ToolResult]]
    guard: Guard
    touches: Callable[[A], Touches] = touches_nothing
    intend: Callable[[A], tuple[Intent, ...]] | None = None
    timeout_s: float | None = DEFAULT_TIMEOUT_S

    @property
    def spec(self) -> ToolSpec:
        """What a model is told of it."""
        return spec_of(self.name, self.args)

    def bind(self, args_raw: str) -> "BoundCall":
        """The call with these arguments. Raises `BadArguments` with a text that tells the model what to mend."""
        found = arguments(self.name, args_raw)
        try:
            args = msgspec.convert(found, self.args, strict=False)
        except msgspec.ValidationError as error:
            raise BadArguments(f"{self.name}: {error}. Expected {_expected(self.args)}.") from error
        unknown = sorted(set(found) - {field.encode_name for field in msgspec.structs.fields(self.args)})
        return BoundCall(
            tool=self.name,
            args=Raw(msgspec.json.encode(found)),
            guard=self.guard,
            touches=self.touches(args),
            timeout_s=self.timeout_s,
            unknown_keys=tuple(unknown),
            start=lambda running: self.run(args, running),
            intend=lambda: self.intend(args) if self.intend else (),
        )


class BoundCall(Struct, frozen=True, kw_only=True):
    """A call whose arguments are understood."""

    tool: str
    args: Raw
    guard: Guard
    touches: Touches
    timeout_s: float | None
    unknown_keys: tuple[str, ...]
    start: Callable[[Running], Awaitable[str | ToolResult]]
    intend: Callable[[], tuple[Intent, ...]]


class AnyTool(Protocol):
    """A tool of whatever origin, as a turn uses it."""

    @property
    def name(self) -> str:
        """What models call it by."""
        ...

    @property
    def spec(self) -> ToolSpec:
        """What a model is told of it."""
        ...

    def bind(self, args_raw: str, /) -> BoundCall:
        """The call with these arguments. Raises `BadArguments` with a text that tells the model what to mend."""
        ...


Toolbox = Mapping[str, AnyTool]


@cache
def spec_of(name: str, args: type[Struct]) -> ToolSpec:
    """What a model is told of a built-in tool with such arguments; its description is a text among the templates."""
    text = (templates_dir() / "tools" / f"{name}.md").read_text(encoding="utf-8")
    return ToolSpec(name=name, description=text.strip(), schema=schema_of(args))


def schema_of(args: type[Struct]) -> Raw:
    """The JSON Schema of an argument struct: terse, self-contained, without titles."""
    schema, parts = msgspec.json.schema_components((args,), ref_template="#/$defs/{name}")
    whole = schema[0]
    root = parts.pop(args.__name__) if "$ref" in whole else whole
    document: dict[str, Json] = _undocumented(root)
    if parts:
        document["$defs"] = {name: _undocumented(part) for name, part in parts.items()}
    return Raw(msgspec.json.encode(_without_titles(document)))


def _undocumented(schema: dict[str, Any]) -> dict[str, Json]:
    """Leave out the struct's docstring: it is written for readers of the code."""
    return {key: value for key, value in schema.items() if key != "description"}


def _without_titles(node: Json) -> Json:
    if isinstance(node, dict):
        return {
            key: _without_titles(value) for key, value in node.items() if key != "title" or not isinstance(value, str)
        }
    return [_without_titles(value) for value in node] if isinstance(node, list) else node


def arguments(tool: str, args_raw: str) -> dict[str, Any]:
    """The arguments of a call as a JSON object. Raises `BadArguments` with a text that tells the model what to mend."""
    text = args_raw.strip() or "{}"
    try:
        found: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):  # the second is how the decoder says: nested too deep
        found = _decoded_leniently(tool, text)
    if not isinstance(found, dict):
        raise BadArguments(f"{tool}: arguments must be a JSON object, not {_kind(found)} ({text[:ECHO_CHARS]!r}).")
    return cast("dict[str, Any]", found)  # JSON objects have string keys


def _decoded_leniently(tool: str, text: str) -> Any:
    """Accept raw control characters and lone surrogates, which the strict decoder refuses; nothing else is mended."""
    try:
        found = json.loads(text, strict=False)
        return json.loads(without_surrogates(json.dumps(found, ensure_ascii=False)))
    except (ValueError, RecursionError) as error:
        raise BadArguments(
            f"{tool}: the arguments are not valid JSON ({_mistake(error)}). Received {len(text)} characters beginning "
            f"{text[:ECHO_CHARS]!r}. Nothing was run; send the call again with valid JSON."
        ) from error


def _mistake(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"at character {error.pos}: {error.msg}"
    return "nested too deep" if isinstance(error, RecursionError) else "a number has too many digits"


def _kind(found: object) -> str:
    names: dict[type, str] = {list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(found), "null")


def _expected(args: type[Struct]) -> str:
    fields = msgspec.structs.fields(args)
    return "{" + ", ".join(f.encode_name + ("" if f.required else "?") for f in fields) + "}"
