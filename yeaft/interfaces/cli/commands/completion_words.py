"""What can follow what on yeaft's command line, read from the same tables that parse it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Literal

import click
from msgspec import Struct

from yeaft.config.settings import EFFORTS
from yeaft.interfaces.cli.commands.help import TOPICS
from yeaft.interfaces.cli.commands.parsing import Action, params_of
from yeaft.interfaces.cli.help_text import HELP
from yeaft.interfaces.cli.options import COMMANDS, main_command
from yeaft.session.catalogue import CATALOGUE

Source = Literal[
    "sessions", "vps", "models", "tasks", "agents", "artifacts", "runs", "keys", "skills", "files", "folders"
]
"""Values that are looked up while completing, rather than written into the script."""


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


TOOLS = Choices(words=tuple(tool.name for tool in CATALOGUE))
_BY_OPTION: Mapping[str, Choices] = {
    "--resume": Choices(source="sessions"),
    "--vp": Choices(source="vps"),
    "--model": Choices(source="models"),
    "--effort": Choices(words=EFFORTS),
    "--tool": TOOLS,
    "--cwd": Choices(source="folders"),
    "--add-dir": Choices(source="folders"),
    "--output-file": Choices(source="files"),
    "--schema": Choices(source="files"),
    "--from": Choices(source="files"),
    "--in": Choices(source="folders"),
    "--gguf": Choices(source="files"),
    "--path": Choices(source="files"),
}
_BY_ARGUMENT: Mapping[str, Choices] = {
    "SESSION": Choices(source="sessions"),
    "SESSIONS": Choices(source="sessions"),
    "VP": Choices(source="vps"),
    "REF": Choices(source="models"),
    "TASK": Choices(source="tasks"),
    "AGENT": Choices(source="agents"),
    "RUN_ID": Choices(source="runs"),
    "ARTIFACT": Choices(source="artifacts"),
    "OTHER": Choices(source="artifacts"),
    "KEY": Choices(source="keys"),
    "FILE": Choices(source="files"),
    "FOLDER": Choices(source="folders"),
    "PATHS": Choices(source="files"),
    "TOPIC": Choices(words=tuple(dict.fromkeys((*TOPICS, *COMMANDS)))),
    "tool show NAME": TOOLS,
    "skill show NAME": Choices(source="skills"),
}
"""By what an argument is called, if need be with the command before it."""


def levels() -> tuple[Level, ...]:
    """Return all places, the main command first. Of its options only those are offered that `yeaft --help` names."""
    found = [_level("", main_command().params, tuple(COMMANDS), is_leaf=False)]
    for name, module_name in COMMANDS.items():
        module = import_module(f"yeaft.interfaces.cli.commands.{module_name}")
        actions: Mapping[str, Action] = getattr(module, "ACTIONS", {})
        action: Action | None = getattr(module, "ACTION", None)
        if action is not None:
            found.append(_level(name, params_of(action), tuple(actions), is_leaf=not actions))
        else:
            found.append(_level(name, (), tuple(actions), is_leaf=False))
        found += [_level(f"{name} {part}", params_of(one)) for part, one in actions.items()]
    return tuple(found)


def _level(path: str, params: Iterable[click.Parameter], words: tuple[str, ...] = (), *, is_leaf: bool = True) -> Level:
    params = tuple(params)
    options = [param for param in params if isinstance(param, click.Option)]
    following = [_following(path, param) for param in params if isinstance(param, click.Argument)]
    fixed = [word for choices in following for word in choices.words]
    names = [name for one in options if not one.hidden for name in one.opts]
    return Level(
        path=path,
        is_leaf=is_leaf,
        following=Choices(words=(*words, *fixed), source=next((one.source for one in following if one.source), None)),
        options=(*names, "--help") if path else tuple(name for name in names if _is_in_help(name)),
        valued=tuple(
            Given(names=tuple(one.opts), values=_values_of(one)) for one in options if not (one.is_flag or one.count)
        ),
    )


def _is_in_help(name: str) -> bool:
    return re.search(rf"(?<![\w-]){name}(?![\w-])", HELP) is not None


def _following(path: str, one: click.Argument) -> Choices:
    called = one.metavar or ""
    known = _BY_ARGUMENT.get(f"{path} {called}") or _BY_ARGUMENT.get(called)
    return known or Choices(words=_words_of(one))


def _values_of(one: click.Option) -> Choices:
    known = next((_BY_OPTION[name] for name in one.opts if name in _BY_OPTION), None)
    return known or Choices(words=_words_of(one))


def _words_of(param: click.Parameter) -> tuple[str, ...]:
    """Return the words that a parameter with a fixed choice takes."""
    return tuple(map(str, param.type.choices)) if isinstance(param.type, click.Choice) else ()
