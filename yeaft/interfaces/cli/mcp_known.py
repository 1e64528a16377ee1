"""The MCP servers that a command is about, found by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from yeaft.kernel.errors import ConfigError, NotFound, UsageError
from yeaft.kernel.nearness import nearest
from yeaft.mcp.configured import Known, known_servers
from yeaft.mcp.mcp_file import clean_name, name_for

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.mcp_writing import Scope
    from yeaft.prompts.front_matter import Problem


def known(desk: Desk) -> tuple[tuple[Known, ...], tuple[Problem, ...]]:
    """Return every server that is written down here, and what is wrong with the files."""
    return known_servers(desk.config, desk.home, desk.folder, desk.environ, desk.trust)


def found(desk: Desk, name: str, scope: Scope | None = None) -> Known:
    """Return the server of this name. Raises `NotFound` with the nearest name."""
    servers, problems = known(desk)
    names = {one.name: one for one in servers if scope is None or one.is_project == (scope == "project")}
    for key in (name, name_for(name)):
        if key in names:
            return names[key]
    note_problems(desk, problems)
    near = nearest(clean_name(name), names)
    remedy = desk.text("said.near", near=near) if near else desk.text("mcp.listed")
    raise NotFound(desk.text("mcp.unknown", server=name, remedy=remedy))


def startable(desk: Desk, name: str) -> Known:
    """Return a server that may be started. Raises `UsageError` or `ConfigError` that says what it lacks."""
    one = found(desk, name)
    match one.state:
        case "ready":
            return one
        case "off":
            raise UsageError(desk.text("mcp.is_off", server=one.name, origin=one.declared.server.origin))
        case "untrusted":
            raise UsageError(desk.text("mcp.needs_trust", folder=desk.trust.folder))
        case "waiting":
            raise UsageError(desk.text("mcp.needs_consent", server=one.name))
        case "unset":
            raise ConfigError(desk.text("mcp.unset_reason", server=one.name, reason=desk.ui.retold(one.reason)))


def note_problems(desk: Desk, problems: Sequence[Problem]) -> None:
    """Say what is wrong with the files."""
    for problem in problems:
        reason = desk.ui.retold(problem.reason)
        desk.note("mcp.problem", path=problem.path, line=problem.line, reason=reason)
