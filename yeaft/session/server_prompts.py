"""The prompts of MCP servers as words that a user starts with `/`; see `session.slash.commands.Prompts`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from yeaft.kernel.errors import NotFound, UsageError
from yeaft.mcp.names import wire_names
from yeaft.mcp.plain import one_line
from yeaft.session.slash.slash_word import SlashWord
from yeaft.tools.mcp_results import plain_text

if TYPE_CHECKING:
    from yeaft.mcp.host_protocol import ListedPrompt
    from yeaft.mcp.servers import McpServers


class ServerPrompts:
    """The prompts of all servers of a Session that are known so far."""

    def __init__(self, servers: McpServers) -> None:
        self._servers = servers

    def words(self) -> Sequence[SlashWord]:
        """What can be started."""
        return tuple(
            SlashWord(
                name=name,
                kind="prompt",
                description=one_line(prompt.description),
                hint=" ".join(f"<{one.name}>" if one.required else f"[{one.name}]" for one in prompt.arguments),
                tier="server",
                source=server,
            )
            for name, (server, prompt) in self._by_name().items()
        )

    async def text(self, name: str, arguments: str) -> str:
        """What a prompt says with these arguments: in order, or as `name=value`.

        Raises `NotFound`, `UsageError` for a missing argument, `ToolFailed` if the server gives no answer.
        """
        found = self._by_name().get(name)
        if found is None:
            raise NotFound(f"No MCP server has a prompt {name!r} any more.")
        server, prompt = found
        result = await self._servers.prompt(server, prompt.name, filled(name, prompt, arguments))
        return plain_text(result.parts)

    def _by_name(self) -> dict[str, tuple[str, ListedPrompt]]:
        prompts = {(server, prompt.name): prompt for server, prompt in self._servers.prompts()}
        return {name: (key[0], prompts[key]) for key, name in wire_names(prompts).items()}


def filled(name: str, prompt: ListedPrompt, arguments: str) -> dict[str, str]:
    """The arguments by name. One that is not named takes the next free place; the last place takes all that is left."""
    try:
        words = shlex.split(arguments)
    except ValueError:
        words = arguments.split()
    free = [one.name for one in prompt.arguments]
    given: dict[str, str] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if sign and key in free:
            free.remove(key)
            given[key] = value
        elif len(free) > 1:
            given[free.pop(0)] = word
        elif free:
            given[free[0]] = f"{given[free[0]]} {word}" if free[0] in given else word
    missing = [one.name for one in prompt.arguments if one.required and one.name not in given]
    if missing:
        hint = " ".join(f"<{one.name}>" if one.required else f"[{one.name}]" for one in prompt.arguments)
        raise UsageError(f"/{name} needs {', '.join(missing)}: /{name} {hint}")
    return given
