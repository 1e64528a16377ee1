"""Logging in at an MCP server over HTTP, with the user's browser."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from yeaft.kernel.errors import NoCredentials, UsageError
from yeaft.mcp.host_process import HostProcess
from yeaft.mcp.host_protocol import AnyNews, Connect, Connected, Listing, LoginAt, Lost
from yeaft.mcp.places import host_log_path, log_path, tokens_path
from yeaft.mcp.server import McpServer


async def login(
    server: McpServer, *, home: Path, folder: Path, environ: Mapping[str, str], show: Callable[[str], None]
) -> Listing:
    """Log in, keep the tokens below `home`, and return what the server then offers.

    `show` gets the address that the user has to open; the browser comes back to a port of this machine. A server that
    wants no login is just connected. `environ` is without secrets. Raises `UsageError` for a server that is a command,
    `NoCredentials` when the login does not succeed.
    """
    if server.kind != "http":
        raise UsageError(f"The MCP server {server.name} is a command, and nobody logs in at those.")
    ended: asyncio.Future[Listing | str] = asyncio.get_running_loop().create_future()

    def end(how: Listing | str) -> None:
        if not ended.done():
            ended.set_result(how)

    def hear(news: AnyNews) -> None:
        match news:
            case LoginAt(url=url):
                show(url)
            case Connected(listing=listing):
                end(listing)
            case Lost(text=text):
                end(text)
            case _:  # nothing else is about logging in
                pass

    try:
        host = HostProcess(environ, host_log_path(home), hear, lambda: end("the process that talks to it has ended"))
    except OSError as error:
        raise NoCredentials(f"The login at {server.name} cannot begin: {error}.") from error
    try:
        log, tokens = str(log_path(home, server.name)), str(tokens_path(home, server))
        host.send(Connect(server=server, folder=str(folder), log=log, tokens=tokens, login=True))
        outcome = await ended
    finally:
        await host.aclose()
    if isinstance(outcome, str):
        raise NoCredentials(f"The login at {server.name} failed: {outcome}.")
    return outcome


def logout(server: McpServer, home: Path) -> bool:
    """Forget the tokens for a server; returns whether there were any. Raises `OSError`."""
    path = tokens_path(home, server)
    there = path.exists()
    path.unlink(missing_ok=True)
    return there
