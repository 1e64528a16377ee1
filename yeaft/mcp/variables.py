"""Fills `${VAR}` and `${VAR:-default}` into what is configured of a server, from the user's environment."""

import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from yeaft.mcp.server import McpServer

FOLDERS = frozenset({"workspaceFolder", "workspaceRoot", "CLAUDE_PROJECT_DIR", "YEAFT_PROJECT_DIR"})
"""Names for the work folder."""
_PLACE = re.compile(r"\$\{(?:env:|localEnv:)?([A-Za-z_][A-Za-z0-9_]*)(?::?-((?:[^{}]|\{[^{}]*\})*))?\}|\$\{([^}]*)\}")


class Unset(Struct, frozen=True, kw_only=True):
    """Why a server cannot be started: a variable without a value, or a place that means nothing."""

    reason: str


class _UnsetError(Exception):
    pass


def filled(server: McpServer, environ: Mapping[str, str], folder: Path) -> McpServer | Unset:
    """Return `server` with all variables filled in and its `cwd` absolute, or why that cannot be."""

    def fill(text: str, where: str) -> str:
        return _PLACE.sub(lambda found: _value(found, where, environ, folder), text)

    try:
        return replace(
            server,
            command=_at_home(fill(server.command, "command"), environ),
            args=tuple(fill(arg, "args") for arg in server.args),
            env={name: fill(value, f"env.{name}") for name, value in server.env.items()},
            cwd=str(folder / _at_home(fill(server.cwd, "cwd"), environ)) if server.cwd else "",
            url=fill(server.url, "url"),
            headers={name: fill(value, f"headers.{name}") for name, value in server.headers.items()},
        )
    except _UnsetError as error:
        return Unset(reason=str(error))


def _value(found: re.Match[str], where: str, environ: Mapping[str, str], folder: Path) -> str:
    name, otherwise, unknown = found[1], found[2], found[3]
    if unknown == "/" or name == "pathSeparator":
        return "/"
    if unknown is not None:
        raise _UnsetError(f"{where} has {found[0]}, which means nothing here; use ${{VARIABLE}}")
    value = environ.get("HOME" if name == "userHome" else name)
    if value is None and name in FOLDERS:
        return str(folder)
    if value is None and name == "workspaceFolderBasename":
        return folder.name
    if otherwise is not None:
        return value or _PLACE.sub(lambda inner: _value(inner, where, environ, folder), otherwise)
    if value is None:
        raise _UnsetError(f"{where} needs the variable {name}, which is not set")
    return value


def _at_home(text: str, environ: Mapping[str, str]) -> str:
    home = environ.get("HOME", "")
    return home + text[1:] if home and (text == "~" or text.startswith("~/")) else text
