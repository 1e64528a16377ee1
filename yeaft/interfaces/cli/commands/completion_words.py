"""What can follow what on yeaft's command line, read from the same tables that parse it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Literal

import click
from msgspec import Struct

from yeaft.interfaces.cli.commands.help import TOPICS
from yeaft.interfaces.cli.commands.parsing import Action, params_of
from yeaft.interfaces.cli.options import COMMANDS, main_command

Source = Literal["sessions", "vps", "keys", "files", "folders"]
"""Values that are looked up while completing, rather than written into the script."""

_BY_OPTION: Mapping[str, Source] = {
    "--resume": "sessions",
    "--vp": "vps",
    "--cwd": "folders",
    "--add-dir": "folders",
    "--output-file": "files",
    "--schema": "files",
    "--from": "files",
    "--gguf": "files",
}
_BY_ARGUMENT: Mapping[str, Source] = {
    "SESSION": "sessions",
    "SESSIONS": "sessions",
    "VP": "vps",
    "KEY": "keys",
    "FILE": "files",
    "PATHS": "files",
}


class Choices(Struct, frozen=True, kw_only=True):
    """What can stand in one place: fixed words, and at most one source of further ones."""

    words: tuple[str, ...] = ()
    source: Source | None = None


class Given(Struct, frozen=True, kw_only=True):
    """An option that takes a value: its spellings, and what the value can be."""

    names: tuple[str, ...]
    values: Choices


class Level(Struct, frozen=True, kw_only=True):
    """One place in the tree of commands: `path` is empty, `session`, or `session ls`; a leaf has no commands below."""

    path: str
    is_leaf: bool
    following: Choices
    options: tuple[str, ...]
    valued: tuple[Given, ...]


def levels() -> tuple[Level, ...]:
    """Return all places, the main command first."""
    found = [_level("", main_command().params, tuple(COMMANDS), is_leaf=False)]
    for name, module_name in COMMANDS.items():
        module = import_module(f"yeaft.interfaces.cli.commands.{module_name}")
        actions: Mapping[str, Action] = getattr(module, "ACTIONS", {})
        action: Action | None = getattr(module, "ACTION", None)
        if action is not None:
            found.append(_level(name, params_of(action), TOPICS if name == "help" else ()))
            continue
        found.append(_level(name, (), tuple(actions), is_leaf=False))
        found += [_level(f"{name} {part}", params_of(one)) for part, one in actions.items()]
    return tuple(found)


def _level(path: str, params: Iterable[click.Parameter], words: tuple[str, ...] = (), *, is_leaf: bool = True) -> Level:
    params = tuple(params)
    options = [param for param in params if isinstance(param, click.Option)]
    arguments = [param for param in params if isinstance(param, click.Argument)]
    fixed = [choice for one in arguments for choice in _words_of(one)]
    metavars = [one.metavar or "" for one in arguments]
    source: Source | None = next((_BY_ARGUMENT[name] for name in metavars if name in _BY_ARGUMENT), None)
    return Level(
        path=path,
        is_leaf=is_leaf,
        following=Choices(words=(*words, *fixed), source=source),
        options=(*(name for one in options for name in one.opts), *(() if path == "" else ("--help",))),
        valued=tuple(
            Given(names=tuple(one.opts), values=_values_of(one)) for one in options if not (one.is_flag or one.count)
        ),
    )


def _values_of(one: click.Option) -> Choices:
    source: Source | None = next((_BY_OPTION[name] for name in one.opts if name in _BY_OPTION), None)
    return Choices(words=_words_of(one), source=source)


def _words_of(param: click.Parameter) -> tuple[str, ...]:
    """Return the words that a parameter with a fixed choice takes."""
    return tuple(map(str, param.type.choices)) if isinstance(param.type, click.Choice) else ()
