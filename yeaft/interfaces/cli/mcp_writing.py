"""Writes MCP servers into the user's `config.toml` or a project's `.mcp.json`, and takes them out again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from yeaft.config.json_edit import with_member, without_member
from yeaft.config.json_text import Document, Members, Remark, read_json
from yeaft.config.places import user_config
from yeaft.config.regular import read_regular
from yeaft.config.rewriting import locked, replace_file
from yeaft.config.tables import Value, dotted
from yeaft.config.trust import Trust, agree, trust_of
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import BadData
from yeaft.mcp.mcp_file import KEYS, LARGEST_BYTES, NAME, parse_mcp, servers_node
from yeaft.mcp.server import CALL_TIMEOUT_S, CONNECT_TIMEOUT_S, McpServer

Scope = Literal["user", "project"]
PROJECT_MODE = 0o644
EMPTY = '{\n  "mcpServers": {}\n}\n'


def add_for_user(home: Path, server: McpServer) -> Path:
    """Write a server into the user's `config.toml`, whose path is returned. Raises `ConfigError`."""
    from yeaft.config.edit import set_value

    path = user_config(home)
    set_value(path, dotted(("mcp", "servers", server.name)), server_table(server))
    return path


def remove_for_user(home: Path, written: str) -> Path:
    """Take a server out of the user's `config.toml`, whose path is returned. Raises `ConfigError`, `NotFound`."""
    from yeaft.config.edit import unset

    path = user_config(home)
    unset(path, dotted(("mcp", "servers", written)))
    return path


def add_for_project(folder: Path, server: McpServer) -> Path:
    """Write a server into the folder's `.mcp.json`, whose path is returned. Raises `BadData`, and changes nothing."""
    table = server_table(server)
    if server.kind == "http":
        table = {"type": "http", **table}

    def added(document: Document) -> str:
        if servers_node(document.root) is None and parse_mcp(document.text, folder / NAME).servers:
            raise BadData(f"its servers do not stand under {KEYS[0]!r}; put them there first. Nothing was changed.")
        return with_member(document, _key(document), server.name, table)

    return _changed(folder, added)


def remove_for_project(folder: Path, written: str) -> Path:
    """Take a server out of the folder's `.mcp.json`, whose path is returned. Raises `BadData`."""
    return _changed(folder, lambda document: without_member(document, _key(document, written), written))


def keep_trust(home: Path, before: Trust, environ: Mapping[str, str]) -> bool:
    """Trust a folder as it is now, after the user's own change to it, if nothing but that was untrusted; whether it is.

    `before` is how it stood before the change.
    """
    if before.how != "saved" and before.state != "nothing":
        return False
    now = trust_of(home, Path(before.folder), environ)
    if now.brought.obstacles:
        return False
    agree(home, now, {}, wall_clock_ms())
    return True


def server_table(server: McpServer) -> dict[str, Value]:
    """Return the fields that say something, in the order people write them."""
    table: dict[str, Value] = {"command": server.command, "args": list(server.args), "url": server.url}
    table |= {"env": dict[str, Value](server.env), "headers": dict[str, Value](server.headers), "cwd": server.cwd}
    table |= {"include": list(server.include), "exclude": list(server.exclude)}
    if server.connect_timeout_s != CONNECT_TIMEOUT_S:
        table["connect_timeout_s"] = server.connect_timeout_s
    if server.call_timeout_s != CALL_TIMEOUT_S:
        table["call_timeout_s"] = server.call_timeout_s
    return {key: value for key, value in table.items() if value not in ("", [], {})}


def _key(document: Document, written: str = "") -> str:
    """Return the key under which a server stands that was `written` so, or else under which one would be put."""
    root = document.root
    holders = [(key, root.get(key)) for key in KEYS] if written and isinstance(root, Members) else []
    having = (key for key, node in holders if isinstance(node, Members) and node.get(written) is not None)
    found = servers_node(root)
    return next(having, found[0] if found is not None else KEYS[0])


def _changed(folder: Path, change: Callable[[Document], str]) -> Path:
    path = folder / NAME
    target = path.resolve()
    if not target.is_relative_to(folder.resolve()):
        raise BadData(f"{path} leads out of the folder, so it is left alone.")
    with locked(folder):
        document = _document(path)
        try:
            text = change(document)
        except BadData as error:
            raise BadData(f"{path}: {error}") from error
        replace_file(target, text, PROJECT_MODE)
    return path


def _document(path: Path) -> Document:
    try:
        text = read_regular(path, LARGEST_BYTES).decode()
    except FileNotFoundError:
        text = ""
    except OSError as error:
        raise BadData(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadData(f"{path} is not UTF-8 text; it was left as it is.") from error
    found = read_json(text if text.strip("\ufeff \t\r\n") else EMPTY)
    if isinstance(found, Remark):
        raise BadData(f"{path}, line {found.line}: {found.reason}. Mend that place; the file was left as it is.")
    return found


def shown_secret(value: str) -> str:
    """Return what a list shows of a value that may be secret: only the variables it comes from."""
    return value if "${" in value else "***"
