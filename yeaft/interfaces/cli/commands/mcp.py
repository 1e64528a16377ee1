"""`yeaft mcp`: see, add and remove servers of tools; what needs a running one is beside this, in `mcp_live`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click
from msgspec import Struct
from msgspec.structs import asdict

from yeaft.config.trust import allow_servers
from yeaft.interfaces.cli.bringing import command_line
from yeaft.interfaces.cli.commands.mcp_live import ALLOW, LOGIN, LOGOUT, LOGS, TEST, try_out
from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option, run_group
from yeaft.interfaces.cli.commands.printing import put, put_json, put_table
from yeaft.interfaces.cli.mcp_known import found, note_problems
from yeaft.interfaces.cli.mcp_known import known as known_here
from yeaft.interfaces.cli.mcp_writing import (
    Scope,
    add_for_project,
    add_for_user,
    keep_trust,
    remove_for_project,
    remove_for_user,
    shown_secret,
)
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import UsageError
from yeaft.kernel.outcome import EXIT_ANSWERED
from yeaft.mcp.configured import Known, State
from yeaft.mcp.mcp_file import clean_name, read_mcp_file
from yeaft.mcp.server import McpServer

if TYPE_CHECKING:
    from pathlib import Path

    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options


class ServerRow(Struct, frozen=True, kw_only=True):
    """A server in a list: `runs` is its command line or address, `reason` why it cannot be started."""

    name: str
    kind: str
    state: State
    runs: str
    origin: str
    line: int
    reason: str


class ServerShown(ServerRow, frozen=True, kw_only=True):
    """A server in full; of values that may be secret only the variables are shown."""

    env: dict[str, str]
    headers: dict[str, str]
    cwd: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    connect_timeout_s: float
    call_timeout_s: float
    digest: str


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft mcp ...` and return the exit code."""
    return run_group("mcp", ACTIONS, options, words)


def add(
    desk: Desk,
    *,
    name: str,
    command: tuple[str, ...],
    url: str,
    env: tuple[str, ...],
    header: tuple[str, ...],
    cwd_: str,
    scope: Scope,
    no_test: bool,
) -> int:
    """Write a server down, for the user or for the project, and connect it once so that its tools are known."""
    given, sent = _pairs("--env", env, "="), _pairs("--header", header, ":=")
    server = _server(name, command, url, env=given, headers=sent, cwd=cwd_)
    before = desk.trust
    if scope == "user":
        if name in desk.config.mcp.servers:
            raise UsageError(desk.text("mcp.there", server=name))
        path = add_for_user(desk.home, server)
    else:
        if any(one.server.name == name for one in read_mcp_file(desk.folder / ".mcp.json").servers):
            raise UsageError(desk.text("mcp.there", server=name))
        path = add_for_project(desk.folder, server)
        if keep_trust(desk.home, before, desk.environ):
            allow_servers(desk.home, {server.digest: name}, before.folder, wall_clock_ms())
        else:
            desk.note("mcp.needs_trust", folder=before.folder)
            no_test = True
    code = _tell(desk, "mcp.added", name, path)
    if not no_test:
        try_out(desk, name)
    return code


def rm(desk: Desk, *, name: str, scope: Scope | None) -> int:
    """Take a server out of the file that it is written down in."""
    known = found(desk, name, scope)
    before = desk.trust
    if known.is_project:
        path = remove_for_project(desk.folder, known.declared.written)
        keep_trust(desk.home, before, desk.environ)
    else:
        path = remove_for_user(desk.home, known.declared.written)
    return _tell(desk, "mcp.removed", known.name, path)


def ls(desk: Desk) -> int:
    """List the servers that are written down, and whether they are started."""
    known, problems = known_here(desk)
    if desk.as_json:
        put_json([_row(one) for one in known])
    elif known:
        headings = [desk.text(f"heading.{key}") for key in ("name", "status", "runs", "origin")]
        rows = [
            (one.name, desk.text(f"mcp.{one.state}"), command_line(one.declared, with_values=False), _place(one))
            for one in known
        ]
        put_table(headings, rows)
    else:
        desk.note("mcp.none")
    note_problems(desk, problems)
    for one in known:
        if one.state == "unset":
            desk.note("mcp.unset_reason", server=one.name, reason=desk.ui.retold(one.reason))
    if any(one.state == "untrusted" for one in known):
        desk.note("mcp.needs_trust", folder=desk.trust.folder)
    for one in known:
        if one.state == "waiting":
            desk.note("mcp.needs_consent", server=one.name)
    return EXIT_ANSWERED


def get(desk: Desk, *, name: str) -> int:
    """Show one server."""
    known = found(desk, name)
    server = known.declared.server
    shown = ServerShown(
        **asdict(_row(known)),
        env={key: shown_secret(value) for key, value in server.env.items()},
        headers={key: shown_secret(value) for key, value in server.headers.items()},
        cwd=server.cwd,
        include=server.include,
        exclude=server.exclude,
        connect_timeout_s=server.connect_timeout_s,
        call_timeout_s=server.call_timeout_s,
        digest=known.agreed,
    )
    if desk.as_json:
        put_json(shown)
        return EXIT_ANSWERED
    lines = (
        ("name", shown.name),
        ("status", desk.text(f"mcp.{shown.state}") + (f" ({desk.ui.retold(shown.reason)})" if shown.reason else "")),
        ("runs", shown.runs),
        ("env", " ".join(f"{key}={value}" for key, value in shown.env.items())),
        ("headers", "  ".join(f"{key}: {value}" for key, value in shown.headers.items())),
        ("folder", shown.cwd),
        ("include", ", ".join(shown.include)),
        ("exclude", ", ".join(shown.exclude)),
        ("timeouts", f"{shown.connect_timeout_s:g} s / {shown.call_timeout_s:g} s"),
        ("origin", _place(known)),
    )
    for key, value in lines:
        if value:
            put(desk.fact(f"heading.{key}", value))
    return EXIT_ANSWERED


def _server(
    name: str, command: Sequence[str], url: str, *, env: Mapping[str, str], headers: Mapping[str, str], cwd: str
) -> McpServer:
    clean = clean_name(name)
    if clean != name:
        remedy = f"such as {clean}" if clean else "such as files"
        raise UsageError(f"{name!r} cannot be the name of a server; use letters a-z, digits, - and _, {remedy}.")
    words = tuple(command)
    if len(words) == 1 and words[0].startswith(("http://", "https://")) and not url:
        url = words[0]
        words = ()
    if bool(words) == bool(url):
        raise UsageError("Give either --url or, after --, a command. See `yeaft mcp add --help`.")
    if url and not url.startswith(("http://", "https://", "${")):
        raise UsageError(f"--url {url!r} must begin with http:// or https://.")
    if (url and env) or (words and headers):
        raise UsageError("--env is for a command, --header for --url.")
    return McpServer(
        name=name,
        kind="http" if url else "stdio",
        command=words[0] if words else "",
        args=words[1:],
        env=dict(env),
        cwd=cwd,
        url=url,
        headers=dict(headers),
    )


def _pairs(option_name: str, given: Sequence[str], marks: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in given:
        places = [place for mark in marks if (place := one.find(mark)) > 0]
        if not places:
            raise UsageError(f"{option_name} {one!r} is not of the form NAME{marks[-1]}VALUE.")
        found[one[: min(places)].strip()] = one[min(places) + 1 :].strip()
    return found


def _row(known: Known) -> ServerRow:
    return ServerRow(
        name=known.name,
        kind=known.server.kind,
        state=known.state,
        runs=command_line(known.declared, with_values=False),
        origin=known.declared.server.origin,
        line=known.declared.line,
        reason=known.reason,
    )


def _place(known: Known) -> str:
    return known.declared.server.origin


def _tell(desk: Desk, code: str, name: str, path: Path | None) -> int:
    if desk.as_json:
        put_json({"name": name, **({"path": str(path)} if path else {})})
    desk.note(code, server=name, path=str(path or ""))
    return EXIT_ANSWERED


SERVER = argument("NAME")
SCOPE = click.Choice(["user", "project"])
ACTIONS: Mapping[str, Action] = {
    "ls": Action(run=ls),
    "get": Action(run=get, params=(SERVER,)),
    "add": Action(
        run=add,
        params=(
            SERVER,
            argument("COMMAND", nargs=-1),
            option("--url", default=""),
            option("--env", multiple=True),
            option("--header", multiple=True),
            option("--in", "cwd_", default=""),
            option("--scope", type=SCOPE, default="user"),
            flag("--no-test"),
        ),
    ),
    "rm": Action(run=rm, params=(SERVER, option("--scope", type=SCOPE))),
    "allow": ALLOW,
    "test": TEST,
    "login": LOGIN,
    "logout": LOGOUT,
    "logs": LOGS,
}
