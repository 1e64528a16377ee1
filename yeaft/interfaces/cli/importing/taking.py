"""Takes things over: never over something that is there, and the second time it is as if nothing were left to do."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from yeaft.config.files import read_layer
from yeaft.config.tables import Table, Value
from yeaft.interfaces.cli.importing.found import Content, Item, NewFile, NewFolder, NewRule, NewServer
from yeaft.interfaces.cli.mcp_writing import server_table
from yeaft.kernel.errors import ConfigError, YeaftError
from yeaft.store.filesystem import make_private

SKIPPED = shutil.ignore_patterns(".git", "node_modules", "__pycache__", ".DS_Store")


def compared(items: Iterable[Item]) -> tuple[Item, ...]:
    """Return `items` with what is here already marked as such; of two that become the same the first one counts."""
    seen: dict[str, Content] = {}
    found: list[Item] = []
    for item in items:
        if item.content is None or item.status != "new":
            found.append(item)
            continue
        place = _place(item.content)
        earlier = seen.setdefault(place, item.content)
        if earlier is not item.content:
            if isinstance(item.content, NewRule):
                continue
            found.append(replace(item, status="kept", reason="another one that was found becomes the same"))
            continue
        found.append(_against_disk(item, item.content))
    return tuple(found)


def taken(item: Item) -> Item:
    """Take one thing over, and return it with what became of it. Raises nothing."""
    assert item.content is not None, "only what is new is taken"
    try:
        _take(item.content)
    except OSError as error:
        return replace(item, status="failed", reason=f"{error.filename or ''}: {error.strerror}")
    except YeaftError as error:
        return replace(item, status="failed", reason=str(error))
    return replace(item, status="taken")


def _against_disk(item: Item, content: Content) -> Item:
    try:
        is_there, is_same = _compare(content)
    except (ConfigError, OSError) as error:
        return replace(item, status="not_taken", reason=str(error))
    if not is_there:
        return item
    if is_same:
        return replace(item, status="there")
    return replace(item, status="kept", reason="another one of this name is there and stays as it is")


def _compare(content: Content) -> tuple[bool, bool]:
    """Whether there is something in its place, and whether that is the same."""
    match content:
        case NewFile():
            is_there = os.path.lexists(content.path)
            return is_there, is_there and content.path.read_bytes() == content.text.encode("utf-8", "replace")
        case NewFolder():
            is_there = os.path.lexists(content.path)
            return is_there, is_there and _is_same_folder(content.source, content.path)
        case NewServer():
            found = _value(content.path, ("mcp", "servers", content.server.name))
            return found is not None, found == _server_table(content)
        case NewRule():
            rules = _value(content.path, ("permissions", content.verdict))
            is_there = isinstance(rules, list) and content.rule in rules
            return is_there, is_there


def _take(content: Content) -> None:
    from yeaft.config.edit import append_value, set_value

    match content:
        case NewFile():
            make_private(content.path.parent)
            with content.path.open("x", encoding="utf-8", errors="replace", newline="") as file:
                file.write(content.text)
        case NewFolder():
            _copy(content.source, content.path)
        case NewServer():
            set_value(content.path, f"mcp.servers.{content.server.name}", _server_table(content))
        case NewRule():
            append_value(content.path, f"permissions.{content.verdict}", content.rule)


def _copy(source: Path, target: Path) -> None:
    """Copy a folder whole or not at all; links in it stay links."""
    make_private(target.parent)
    place = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    try:
        shutil.copytree(source, place / target.name, symlinks=True, ignore=SKIPPED)
        (place / target.name).rename(target)
    except shutil.Error as error:
        raise OSError(0, "some files of it cannot be copied", str(source)) from error
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _server_table(content: NewServer) -> dict[str, Value]:
    table = server_table(content.server)
    return table if content.enabled else {**table, "enabled": False}


def _is_same_folder(one: Path, other: Path) -> bool:
    return {path.relative_to(one): path.read_bytes() for path in _files(one)} == {
        path.relative_to(other): path.read_bytes() for path in _files(other)
    }


def _files(folder: Path) -> list[Path]:
    skipped = {".git", "node_modules", "__pycache__", ".DS_Store"}
    return [path for path in folder.rglob("*") if path.is_file() and not skipped.intersection(path.parts)]


def _value(path: Path, parts: tuple[str, ...]) -> Value | None:
    layer = read_layer(path)
    found: Value | Table | None = layer.table if layer is not None else None
    for part in parts:
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _place(content: Content) -> str:
    match content:
        case NewFile() | NewFolder():
            return str(content.path)
        case NewServer():
            return f"{content.path} {content.server.name}"
        case NewRule():
            return f"{content.path} {content.verdict} {content.rule}"
