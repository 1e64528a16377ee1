"""The tool with which a VP has several VPs work together in a pattern; only there where the user lets VPs do so."""

import shlex
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.tool import Running, Tool, ToolResult, Touches


class RunFlow(Struct, frozen=True):
    """What the model says to start a flow."""

    flow: Annotated[str, Meta(description="Pattern, @VPs, options, and the task in quotes")]


Flow = Callable[[Sequence[str], Running], Awaitable[ToolResult]]
"""Runs what the words behind `yeaft flow` come to, to its end. Raises `ToolFailed` before anything is begun."""


def run_flow(flow: Flow) -> Tool[RunFlow]:
    """Let the model have flows run by `flow`; whoever is asked about a call sees its words."""

    async def run(args: RunFlow, running: Running) -> ToolResult:
        try:
            words = shlex.split(args.flow)
        except ValueError as error:
            raise ToolFailed(f"flow: {error}. Put the task in double quotes. Nothing was started.") from error
        words = words[2:] if words[:2] == ["yeaft", "flow"] else words
        if not words:
            raise ToolFailed('flow is empty; write for example: critic @writer @skeptic "write the notes".')
        return await flow(words, running)

    return Tool(
        name="RunFlow",
        args=RunFlow,
        run=run,
        guard="unsafe",
        touches=lambda args: Touches(shown=args.flow),
        timeout_s=None,
    )
