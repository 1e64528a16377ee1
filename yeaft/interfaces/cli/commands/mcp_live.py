"""`yeaft mcp test`, `allow`, `login`, `logout` and `logs`: what is about a running server and not about its entry."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from yeaft.config.trust import allow_servers
from yeaft.events.codec import Event
from yeaft.events.session import NoticePosted
from yeaft.interfaces.cli.bringing import command_line
from yeaft.interfaces.cli.commands.consent import NotConfirmed, can_answer, need_consent
from yeaft.interfaces.cli.commands.desk import Desk
from yeaft.interfaces.cli.commands.parsing import Action, argument, flag
from yeaft.interfaces.cli.commands.printing import put, put_json, put_table
from yeaft.interfaces.cli.mcp_known import found, startable
from yeaft.interfaces.cli.streams import remark
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import ConfigError, NotFound, ToolFailed, UsageError
from yeaft.kernel.outcome import EXIT_ANSWERED
from yeaft.mcp.places import log_path, pin_path

if TYPE_CHECKING:
    from yeaft.mcp.pinned import Pinned
    from yeaft.mcp.server import McpServer

FIRST_START_S = 60.0
"""How long a command is waited for that somebody tries: a first start may download what it needs."""


class ToolRow(Struct, frozen=True, kw_only=True):
    """A tool of a server; one that is `withheld` is new, or described in other words than were agreed to."""

    name: str
    description: str
    withheld: bool


class PromptRow(Struct, frozen=True, kw_only=True):
    """A prompt that a server keeps."""

    name: str
    description: str


class Tested(Struct, frozen=True, kw_only=True):
    """What a server has."""

    name: str
    title: str
    version: str
    tools: tuple[ToolRow, ...]
    prompts: tuple[PromptRow, ...]
    resources: bool


def test(desk: Desk, *, name: str, yes: bool) -> int:
    """Connect a server and show what it has; what is described anew can be agreed to."""
    server = startable(desk, name).server
    pinned = asyncio.run(_connected(desk, server))
    if not desk.as_json:
        _show(desk, pinned)
    if pinned.withheld and (yes or (can_answer() and not desk.as_json)):
        need_consent(desk, "mcp.tools_question", yes=yes, server=server.name, count=len(pinned.withheld))
        pinned = _agreed(desk, server, pinned)
    if desk.as_json:
        put_json(_tested(pinned))
    desk.note("mcp.tested", server=server.name, tools=len(pinned.listing.tools))
    if pinned.withheld:
        raise NotConfirmed(desk.text("mcp.withheld", server=server.name, count=len(pinned.withheld)))
    return EXIT_ANSWERED


def try_out(desk: Desk, name: str) -> None:
    """Connect a server that was just written down or agreed to, so that the next prompt knows its tools.

    What is in the way is told and changes nothing: the server is tried again when it is needed.
    """
    now = Desk(desk.options, desk.environ, as_json=desk.as_json)
    try:
        pinned = asyncio.run(_connected(now, startable(now, name).server))
    except (ConfigError, ToolFailed, UsageError) as error:
        desk.note("mcp.not_connected", server=name, reason=desk.ui.retold(str(error)))
        return
    desk.note("mcp.connected", server=name, tools=len(pinned.listing.tools))
    if pinned.withheld:
        desk.note("mcp.withheld", server=name, count=len(pinned.withheld))


def allow(desk: Desk, *, name: str, yes: bool, no_test: bool) -> int:
    """Agree to a server that the project brings along, and to its tools as it describes them now."""
    from yeaft.mcp.pinned import read_pinned

    known = found(desk, name)
    is_new = known.state == "waiting"
    if known.state == "untrusted":
        raise UsageError(desk.text("mcp.needs_trust", folder=desk.trust.folder))
    if is_new:
        need_consent(desk, "mcp.allow_question", yes=yes, server=known.name, runs=command_line(known.declared))
        allow_servers(desk.home, {known.agreed: known.name}, desk.trust.folder, wall_clock_ms())
    pinned = read_pinned(pin_path(desk.home, known.server))
    if pinned is not None and pinned.withheld:
        if not (yes or desk.as_json):
            _show(desk, pinned)
        need_consent(desk, "mcp.tools_question", yes=yes, server=known.name, count=len(pinned.withheld))
        _agreed(desk, known.server, pinned)
    code = _tell(desk, "mcp.allowed", known.name)
    if is_new and not no_test:
        try_out(desk, known.name)
    return code


def logs(desk: Desk, *, name: str) -> int:
    """Print what a server has said beside the protocol, its complaints included."""
    known = found(desk, name)
    path = log_path(desk.home, known.name)
    lines = [line for one in (path.with_name(f"{path.name}.1"), path) for line in _lines(one)]
    if desk.as_json:
        put_json(lines)
    elif lines:
        put("\n".join(lines))
    else:
        desk.note("mcp.no_log", server=known.name)
    return EXIT_ANSWERED


def log_in(desk: Desk, *, name: str) -> int:
    """Log in at a server with the user's browser."""
    from yeaft.llm.credentials import scrubbed
    from yeaft.mcp.login import login

    server = startable(desk, name).server

    def show(url: str) -> None:
        remark(desk.text("mcp.open_url", url=url))

    environ = scrubbed(desk.environ, desk.config)
    asyncio.run(login(server, home=desk.home, folder=desk.folder, environ=environ, show=show))
    return _tell(desk, "mcp.logged_in", server.name)


def log_out(desk: Desk, *, name: str) -> int:
    """Forget what a login gave."""
    from yeaft.mcp.login import logout

    server = found(desk, name).server
    try:
        was_there = logout(server, desk.home)
    except OSError as error:
        raise ConfigError(f"{error.filename} cannot be deleted: {error.strerror}.") from error
    return _tell(desk, "mcp.logged_out" if was_there else "mcp.not_logged_in", server.name)


def _tell(desk: Desk, code: str, name: str) -> int:
    if desk.as_json:
        put_json({"name": name})
    desk.note(code, server=name)
    return EXIT_ANSWERED


async def _connected(desk: Desk, server: McpServer) -> Pinned:
    from yeaft.llm.credentials import scrubbed
    from yeaft.mcp.servers import McpServers

    def tell(event: Event) -> None:
        if isinstance(event, NoticePosted) and event.code == "mcp.login":
            desk.note(event.code, **event.params)

    if server.kind == "stdio":
        server = replace(server, connect_timeout_s=max(server.connect_timeout_s, FIRST_START_S))
    desk.note("mcp.starting" if server.kind == "stdio" else "mcp.connecting", server=server.name)
    servers = McpServers(
        (server,),
        home=desk.home,
        folder=desk.folder,
        environ=scrubbed(desk.environ, desk.config),
        tell=tell,
    )
    try:
        return await servers.connect(server.name)
    finally:
        await servers.aclose()


def _agreed(desk: Desk, server: McpServer, pinned: Pinned) -> Pinned:
    from yeaft.mcp.pinned import write_pinned

    allowed = pinned.allowed()
    write_pinned(pin_path(desk.home, server), allowed)
    return allowed


def _show(desk: Desk, pinned: Pinned) -> None:
    from yeaft.tools.policy.visible import visible

    told = _tested(pinned)
    put(" ".join(word for word in (told.name, told.title, told.version) if word))
    if told.tools:
        headings = [desk.text(f"heading.{key}") for key in ("tool", "status", "about")]
        put_table(headings, [(visible(one.name), _status(desk, one), visible(one.description)) for one in told.tools])
    for one in told.tools:
        if one.withheld:  # what is agreed to is shown in full
            put(f"  {visible(one.name)}: {visible(one.description)}")
    for prompt in told.prompts:
        put(desk.text("mcp.prompt", name=visible(prompt.name), about=visible(prompt.description)))
    if told.resources:
        put(desk.text("mcp.has_resources"))


def _status(desk: Desk, one: ToolRow) -> str:
    return desk.text("mcp.tool_withheld" if one.withheld else "mcp.tool_offered")


def _tested(pinned: Pinned) -> Tested:
    listing = pinned.listing
    withheld = {tool.name for tool in pinned.withheld}
    return Tested(
        name=pinned.name,
        title=listing.title,
        version=listing.version,
        tools=tuple(
            ToolRow(name=one.name, description=one.description, withheld=one.name in withheld) for one in listing.tools
        ),
        prompts=tuple(PromptRow(name=one.name, description=one.description) for one in listing.prompts),
        resources=listing.has_resources,
    )


def _lines(path: Path) -> Sequence[str]:
    try:
        return path.read_bytes().decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror}.") from error


SERVER = argument("NAME")
LOGIN = Action(run=log_in, params=(SERVER,))
LOGOUT = Action(run=log_out, params=(SERVER,))
TEST = Action(run=test, params=(SERVER, flag("-y", "--yes")))
ALLOW = Action(run=allow, params=(SERVER, flag("-y", "--yes"), flag("--no-test")))
LOGS = Action(run=logs, params=(SERVER,))
