"""The MCP servers of a run: the user's own from `config.toml`, then those of a trusted folder's `.mcp.json`.

The first of a name wins. A project's server is started only once the user has agreed to this very command or address.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from yeaft.config.places import user_config
from yeaft.config.settings import Config, McpServerSettings
from yeaft.config.trust import Trust
from yeaft.mcp.mcp_file import NAME, Declared, name_for, read_mcp_file
from yeaft.mcp.server import CALL_TIMEOUT_S, CONNECT_TIMEOUT_S, McpServer
from yeaft.mcp.variables import Unset, filled
from yeaft.prompts.front_matter import Problem

State = Literal["ready", "off", "untrusted", "waiting", "unset"]


class Known(Struct, frozen=True, kw_only=True):
    """A server that is written down somewhere and whether it may be started.

    `off`: switched off; `untrusted`: its folder is not trusted; `waiting`: nobody has agreed to it; `unset`: a
    variable is missing (`reason`). `agreed` is by what a project's server is agreed to.
    """

    declared: Declared
    state: State
    is_project: bool
    server: McpServer
    reason: str = ""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.declared.server.name

    @property
    def agreed(self) -> str:
        """The digest of what is written down, in which variables are not filled in."""
        return self.declared.server.digest


class Configured(Struct, frozen=True, kw_only=True):
    """`servers` are ready to be started, in the order of their configuration; `waiting` need somebody's consent."""

    servers: tuple[McpServer, ...] = ()
    waiting: tuple[McpServer, ...] = ()
    problems: tuple[Problem, ...] = ()


def configured_servers(
    config: Config, home: Path, folder: Path, environ: Mapping[str, str], trust: Trust
) -> Configured:
    """Return what may be started in `folder`. Never raises; a folder that is not trusted has no servers."""
    known, problems = known_servers(config, home, folder, environ, trust)
    unset = (
        Problem(
            path=one.declared.server.origin, line=one.declared.line, reason=f"the server {one.name!r}: {one.reason}"
        )
        for one in known
        if one.state == "unset"
    )
    if not trust.is_trusted:  # what is wrong with a file that is not used concerns nobody yet
        problems = tuple(one for one in problems if one.path != str(folder / NAME))
    return Configured(
        servers=tuple(one.server for one in known if one.state == "ready"),
        waiting=tuple(one.server for one in known if one.state == "waiting"),
        problems=(*problems, *unset),
    )


def known_servers(
    config: Config, home: Path, folder: Path, environ: Mapping[str, str], trust: Trust
) -> tuple[tuple[Known, ...], tuple[Problem, ...]]:
    """Return every server that is written down, also those that may not be started, and what is wrong."""
    found: dict[str, Known] = {}
    problems: list[Problem] = []
    for declared, is_project in _declared(config, home, folder, problems):
        name = declared.server.name
        if name in found:
            origin = found[name].declared.server.origin
            reason = f"the server {declared.written!r} is left out: {origin} has one of this name"
            problems.append(Problem(path=declared.server.origin, line=declared.line, reason=reason, fatal=False))
            continue
        found[name] = _known(_timed(declared, config), environ, folder, trust, is_project=is_project)
    return tuple(found.values()), tuple(problems)


def _declared(config: Config, home: Path, folder: Path, problems: list[Problem]) -> Iterator[tuple[Declared, bool]]:
    """The user's servers, then the project's."""
    for name, settings in config.mcp.servers.items():
        yield from ((one, False) for one in _of_settings(name, settings, str(user_config(home)), problems))
    file = read_mcp_file(folder / NAME)
    problems += file.problems
    yield from ((one, True) for one in file.servers)


def _of_settings(written: str, settings: McpServerSettings, origin: str, problems: list[Problem]) -> Iterator[Declared]:
    name = name_for(written)
    reason = _fault(name, written, settings)
    if reason:
        problems.append(Problem(path=origin, line=1, reason=reason))
        return
    server = McpServer(
        name=name,
        kind="stdio" if settings.command else "http",
        command=settings.command,
        args=settings.args,
        env=settings.env,
        cwd=settings.cwd,
        url=settings.url,
        headers=settings.headers,
        include=settings.include,
        exclude=settings.exclude,
        connect_timeout_s=settings.connect_timeout_s or CONNECT_TIMEOUT_S,
        call_timeout_s=settings.call_timeout_s or CALL_TIMEOUT_S,
        origin=origin,
    )
    yield Declared(server=server, written=written, enabled=settings.enabled)


def _fault(name: str, written: str, settings: McpServerSettings) -> str:
    if not name:
        return f"[mcp.servers.{written!r}]: no name can be made of it; use letters a-z, digits, - and _"
    if bool(settings.command) == bool(settings.url):
        return f"[mcp.servers.{written}] needs a command or a url, and not both"
    return ""


def _timed(declared: Declared, config: Config) -> Declared:
    """Give a server whose time limits are not its own those of everybody; the digest is not about them."""
    server = declared.server
    connect_s = config.mcp.connect_timeout_s if server.connect_timeout_s == CONNECT_TIMEOUT_S else None
    call_s = config.mcp.call_timeout_s if server.call_timeout_s == CALL_TIMEOUT_S else None
    return replace(
        declared,
        server=replace(
            server,
            connect_timeout_s=connect_s or server.connect_timeout_s,
            call_timeout_s=call_s or server.call_timeout_s,
        ),
    )


def _known(declared: Declared, environ: Mapping[str, str], folder: Path, trust: Trust, *, is_project: bool) -> Known:
    complete = filled(declared.server, environ, folder)
    state: State = "ready"
    reason = ""
    if not declared.enabled:
        state = "off"
    elif is_project and not trust.is_trusted:
        state = "untrusted"
    elif is_project and not trust.allows_server(declared.server.digest):
        state = "waiting"
    elif isinstance(complete, Unset):
        state, reason = "unset", complete.reason
    server = declared.server if isinstance(complete, Unset) else complete
    return Known(declared=declared, state=state, is_project=is_project, server=server, reason=reason)
