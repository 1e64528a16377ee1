"""MCP servers in the configuration of other agents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from yeaft.config.json_text import Document, Json, Members, Remark, as_json, list_in, plain, read_json, table_in
from yeaft.config.regular import MIB, read_regular
from yeaft.interfaces.cli.importing.found import Item, NewServer, not_taken
from yeaft.mcp.entry import read_entry
from yeaft.mcp.mcp_file import name_for

LARGEST_BYTES = 64 * MIB
_ENV = re.compile(r"\{env:([A-Za-z_]\w*)\}")


def servers(tables: Json, source: Path, config: Path) -> Iterator[Item]:
    """The servers of a map of entries in any of the known spellings, as entries of the `config.toml` at `config`."""
    for written, table in table_in(tables).items():
        yield _item(written, table, source, config)


def _item(written: str, table: Json, source: Path, config: Path) -> Item:
    name = name_for(written)
    if not name:
        return not_taken("servers", written, source, "no name can be made of this one")
    document = read_json(json.dumps(table))
    if isinstance(document, Remark) or not isinstance(document.root, Members):
        return not_taken("servers", name, source, "it is not an object with a command or a url")
    entry = read_entry(document.root)
    if entry.fault is not None:
        return not_taken("servers", name, source, entry.fault[1])
    return Item(
        kind="servers",
        name=name,
        source=str(source),
        becomes=f"[mcp.servers.{name}]",
        content=NewServer(path=config, server=entry.server(name, str(source)), enabled=entry.enabled),
        warnings=tuple(reason for _, reason in entry.remarks),
    )


def read_table(path: Path) -> Json:
    """Return what a JSON file holds, comments allowed; None if there is none. Raises `ValueError` with the line."""
    try:
        text = read_regular(path, LARGEST_BYTES).decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ValueError(f"it cannot be read: {error.strerror}") from error
    try:
        read: Json = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        read = _with_comments(text)
    return as_json(read) if "\\u" in text else read


def _with_comments(text: str) -> Json:
    found = read_json(text)
    if isinstance(found, Document):
        return plain(found.root)
    raise ValueError(f"line {found.line}: {found.reason}")


def with_variables(value: Json) -> Json:
    """Return a value in which `{env:NAME}` is written as it is here."""
    match value:
        case str():
            return _ENV.sub(r"${\1}", value)
        case list():
            return [with_variables(item) for item in value]
        case dict():
            return {key: with_variables(item) for key, item in value.items()}
        case _:
            return value


def of_codex(value: Json) -> Json:
    """Return a server of codex in the common spelling: variables that are only named become references to them."""
    if not isinstance(value, dict):
        return value
    found = dict(value)
    env = dict(table_in(found.get("env")))
    for named in list_in(found.pop("env_vars", None)):
        name = table_in(named).get("name") if isinstance(named, dict) else named
        env.setdefault(str(name), f"${{{name}}}")
    headers = dict(table_in(found.pop("http_headers", None)))
    headers |= {header: f"${{{name}}}" for header, name in table_in(found.pop("env_http_headers", None)).items()}
    if name := found.pop("bearer_token_env_var", None):
        headers["Authorization"] = f"Bearer ${{{name}}}"
    milliseconds = found.pop("startup_timeout_ms", None)
    if isinstance(milliseconds, int | float):
        found.setdefault("startup_timeout_sec", milliseconds / 1000)
    if env:
        found["env"] = env
    if headers:
        found["headers"] = headers
    return found


def of_goose(table: Mapping[str, Json]) -> dict[str, Json]:
    """Return an extension of goose in the common spelling; all its values are texts."""
    inner = table.get("config")
    found = {**inner, "enabled": table.get("enabled", "true")} if isinstance(inner, dict) else dict(table)
    env = dict(table_in(found.pop("envs", None)))
    for name in list_in(found.pop("env_keys", None)):
        env.setdefault(str(name), f"${{{name}}}")
    seconds = str(found.pop("timeout", "") or "")
    if seconds.isdecimal() and int(seconds):
        found["call_timeout_s"] = int(seconds)
    found["enabled"] = str(found.get("enabled", "true")).lower() != "false"
    found["env"] = env
    return found
