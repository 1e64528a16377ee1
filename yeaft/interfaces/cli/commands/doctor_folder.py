"""What `yeaft doctor` says of what a work folder brings along: whether it is trusted; of all commands, skills, servers.

Nothing is connected: a server is told as its file and its last connection left it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from yeaft.interfaces.cli.commands.doctor_check import Check, Status

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.mcp.configured import Known

SETTLED = ("ready", "off")


def trust_check(desk: Desk) -> Check:
    """Say whether the work folder is trusted, and what waits for that."""
    trust = desk.trust
    if trust.problem:
        return Check(name="trust", status="warn", detail=trust.problem)
    if not trust.is_refused:
        code = "doctor.trust_yes" if trust.is_trusted else "doctor.trust_nothing"
        return Check(name="trust", status="ok", detail=desk.text(code, folder=trust.folder))
    code = "doctor.trust_changed" if trust.state == "changed" else "doctor.trust_no"
    detail = desk.text(code, folder=trust.folder, places=", ".join(trust.brought.places))
    return Check(name="trust", status="warn", detail=detail, remedy=f"yeaft trust {trust.folder}")


def command_check(desk: Desk) -> Check:
    """Say which commands and skills cannot be used or started; that another one replaces some is no fault."""
    from yeaft.session.slash.command_file import command_folders, read_commands
    from yeaft.skills.library import SkillLibrary, skill_folders
    from yeaft.skills.skill_file import unstartable

    trusted = desk.trust.is_trusted
    commands = read_commands(command_folders(desk.home, desk.environ, desk.folder, trusted=trusted))
    shelf = SkillLibrary(skill_folders(desk.home, desk.environ, desk.folder, trusted=trusted)).read()
    unusable = [problem for problem in (*commands.problems, *shelf.problems) if problem.fatal]
    unusable += [problem for skill in shelf.skills for problem in unstartable(skill)]
    if not unusable:
        detail = desk.text("doctor.commands_count", commands=len(commands.commands), skills=len(shelf.skills))
        return Check(name="commands", status="ok", detail=detail)
    detail = "\n".join(map(str, unusable))
    return Check(name="commands", status="warn", detail=detail, remedy="yeaft skill check")


def server_checks(desk: Desk) -> Iterator[Check]:
    """Name each MCP server with its state, then what is wrong with the files that they stand in."""
    from yeaft.mcp.configured import known_servers

    known, problems = known_servers(desk.config, desk.home, desk.folder, desk.environ, desk.trust)
    for one in known:
        yield _server_check(desk, one)
    for problem in problems:
        detail = desk.text("mcp.problem", path=problem.path, line=problem.line, reason=desk.ui.retold(problem.reason))
        yield Check(name="server", status="warn", detail=detail)


def _server_check(desk: Desk, one: Known) -> Check:
    said = desk.text(f"mcp.{one.state}")
    if one.reason:
        said = f"{said} ({desk.ui.retold(one.reason)})"
    elif one.state == "ready":
        said = f"{said}, {_last_connection(desk, one)}"
    remedies = {"waiting": f"yeaft mcp allow {one.name}", "untrusted": f"yeaft trust {desk.trust.folder}"}
    status: Status = "ok" if one.state in SETTLED else "warn"
    return Check(name="server", status=status, detail=f"{one.name}: {said}", remedy=remedies.get(one.state, ""))


def _last_connection(desk: Desk, one: Known) -> str:
    """What is known from the last time that the server was connected."""
    from yeaft.mcp.pinned import read_pinned
    from yeaft.mcp.places import pin_path

    pinned = read_pinned(pin_path(desk.home, one.server))
    if pinned is None:
        return desk.text("doctor.server_new")
    code = "doctor.server_withholds" if pinned.withheld else "doctor.server_known"
    return desk.text(code, count=len(pinned.listing.tools), withheld=len(pinned.withheld), server=one.name)
