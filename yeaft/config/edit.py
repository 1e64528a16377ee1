"""Changes one setting in a file the user wrote, leaving comments, order and everything else as they were."""

import contextlib
from collections.abc import Generator
from pathlib import Path

import tomlkit
from tomlkit.items import AbstractTable, Array

from yeaft.config.checks import checked
from yeaft.config.files import parse_layer, read_layer
from yeaft.config.layers import validated
from yeaft.config.overrides import key_parts
from yeaft.config.rewriting import locked, replace_file
from yeaft.config.tables import Stack, Value, dotted
from yeaft.kernel.errors import ConfigError, NotFound


def set_value(path: Path, dotted_key: str, value: Value) -> None:
    """Write `dotted_key = value` into the file, which is made if there is none.

    Raises `ConfigError`, and leaves the file as it was, if it is not valid TOML, is locked by somebody else for ten
    seconds, or would not be valid settings afterwards; `UsageError` for what is not a key.
    """
    parts = key_parts(dotted_key)
    with _rewriting(path) as document:
        _table_for(document, parts, path)[parts[-1]] = value


def append_value(path: Path, dotted_key: str, value: str) -> None:
    """Add `value` to the list at `dotted_key`, which is made if there is none, unless it is there. Raises as above."""
    parts = key_parts(dotted_key)
    with _rewriting(path) as document:
        table = _table_for(document, parts, path)
        found = table.setdefault(parts[-1], tomlkit.array())
        if not isinstance(found, Array):
            raise ConfigError(f"{path}: {dotted(parts)} is not a list, so {value!r} cannot be added to it.")
        if value not in found:
            found.insert(len(found), value)


def unset(path: Path, dotted_key: str) -> None:
    """Remove a setting from the file. Raises `NotFound` if it is not there, otherwise as `set_value`."""
    parts = key_parts(dotted_key)
    with _rewriting(path) as document:
        table = _table_for(document, parts, path)
        if parts[-1] not in table:
            raise NotFound(f"{path} does not set {dotted(parts)}; `yeaft config ls --origin` shows where it is set.")
        del table[parts[-1]]


def _table_for(
    document: tomlkit.TOMLDocument, parts: tuple[str, ...], path: Path
) -> "tomlkit.TOMLDocument | AbstractTable":
    """The table that holds the last of `parts`; tables that are missing are made."""
    table: tomlkit.TOMLDocument | AbstractTable = document
    for depth, part in enumerate(parts[:-1], start=1):
        if part not in table:
            table[part] = tomlkit.table(is_super_table=depth < len(parts) - 1)
        inner = table[part]
        if not isinstance(inner, AbstractTable):
            raise ConfigError(f"{path}: {dotted(parts[:depth])} is not a table, so it cannot hold {parts[depth]!r}.")
        table = inner
    return table


@contextlib.contextmanager
def _rewriting(path: Path) -> Generator[tomlkit.TOMLDocument, None, None]:
    """The document to change; it replaces the file only if it then holds valid settings."""
    target = path.resolve()  # a link stays a link: its target is replaced
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with locked(target.parent):
        layer = read_layer(target)
        document = tomlkit.parse(layer.text if layer is not None else "")
        yield document
        text = document.as_string()
        stack = Stack()
        stack.add(parse_layer(path, text))
        checked(validated(stack), stack.origins)
        replace_file(target, text)
