"""The tools with which a VP runs JavaScript in a Node that remembers what earlier calls defined."""

from typing import Annotated

from msgspec import Meta, Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.text import head_bytes
from yeaft.tools.js.js_process import Shown
from yeaft.tools.js.js_runtimes import Evaluated, JsRuntime
from yeaft.tools.tool import Running, Tool, ToolResult

DEFAULT_TIMEOUT_MS, LEAST_TIMEOUT_MS, MOST_TIMEOUT_MS = 10_000, 1_000, 60_000
MOST_CODE_BYTES = 256 * 1024
VALUE_BYTES = 9 * 1024
FORGOTTEN = "The JavaScript state is empty again."
NOTHING_TO_FORGET = "There was no JavaScript state."


class JsRepl(Struct, frozen=True):
    """What the model says to run code."""

    code: str
    reset: Annotated[bool, Meta(description="Forget all state first")] = False
    timeout_ms: Annotated[int, Meta(description="At most 60000")] = DEFAULT_TIMEOUT_MS


class JsReplReset(Struct, frozen=True):
    """It takes no arguments."""


def js_repl(runtime: JsRuntime) -> Tool[JsRepl]:
    """Let the model run code in `runtime`. What the code throws is a result like any other, and so is a timeout."""

    async def run(args: JsRepl, running: Running) -> ToolResult:
        if len(args.code.encode()) > MOST_CODE_BYTES:
            raise ToolFailed("The code is longer than 256 KiB; write it to a file and `await import()` that.")
        if not args.code.strip() and not args.reset:
            raise ToolFailed("The code is empty.")
        had_state = args.reset and await runtime.reset()
        if not args.code.strip():
            return ToolResult(text=FORGOTTEN if had_state else NOTHING_TO_FORGET)
        timeout_ms = min(max(args.timeout_ms, LEAST_TIMEOUT_MS), MOST_TIMEOUT_MS)
        evaluated = await runtime.evaluate(args.code, timeout_s=timeout_ms / 1000, show=running.show)
        return ToolResult(text=told(evaluated))

    return Tool(name="JsRepl", args=JsRepl, run=run, guard="unsafe", timeout_s=None)


def js_repl_reset(runtime: JsRuntime) -> Tool[JsReplReset]:
    """Let the model start over; the same as JsRepl with `reset` and no code."""

    async def run(_: JsReplReset, __: Running) -> str:
        return FORGOTTEN if await runtime.reset() else NOTHING_TO_FORGET

    return Tool(name="JsReplReset", args=JsReplReset, run=run, guard="local")


def told(evaluated: Evaluated) -> str:
    """The text of a result: what was printed, then the value as `→ …` or the error, and what became of the state."""
    lines: list[str] = []
    if evaluated.began_afresh:
        lines.append(f"[this ran without the state of earlier calls: {evaluated.began_afresh}]")
    if printed := evaluated.output.rstrip("\n"):
        lines.append(printed)
    if evaluated.value and (value := _value(evaluated.value, printed)):
        lines.append(head_bytes(value, VALUE_BYTES))
    if evaluated.lost:
        lines.append(f"[{evaluated.lost}; the JavaScript state is lost, the next call begins with an empty one]")
    return "\n".join(lines)


def _value(value: Shown, printed: str) -> str:
    if value.failed:
        return f"Uncaught {value.shown}"
    if value.shown is None:
        return "" if printed else "→ undefined"
    return f"→ {value.shown}"
