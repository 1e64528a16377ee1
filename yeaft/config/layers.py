"""Reads every place that may hold settings, weakest first, into one checked value."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from yeaft.config.checks import checked
from yeaft.config.files import read_layer
from yeaft.config.places import PROJECT_CONFIGS, SYSTEM_CONFIG, user_config
from yeaft.config.settings import Config
from yeaft.config.tables import Layer, Stack, Value, nested
from yeaft.config.tightening import tightening, within_sandbox, without_keys
from yeaft.config.variables import variable_layers

if TYPE_CHECKING:
    from collections.abc import Iterator


class Loaded(Struct, frozen=True, kw_only=True):
    """The settings in force.

    `origins` tells for each key that some place sets where it was set last; every other key has its built-in value.
    `notices` are sentences about values that were mended. `unread` are project files that a trusted folder would add;
    of these only rules that ask or deny are among the `layers`, which are all places, weakest first.
    """

    config: Config
    origins: Mapping[str, str]
    layers: tuple[Layer, ...] = ()
    notices: tuple[str, ...] = ()
    unread: tuple[Path, ...] = ()


def load(
    home: Path,
    folder: Path | None,
    environ: Mapping[str, str],
    overrides: Sequence[str] = (),
    flags: Mapping[str, Value] | None = None,
    *,
    trusted: bool = False,
    system_config: Path = SYSTEM_CONFIG,
) -> Loaded:
    """Lay all settings over each other: built-in, system, user, project, `YEAFT_*`, then `overrides` and `flags`.

    `overrides` are the `KEY=VALUE` of `--set`; `flags` map dotted keys to values. Project files are read whole only if
    the folder is `trusted`, and even then cannot open a sandbox that the user requires, nor bind keys; otherwise only
    for what they forbid. Raises `ConfigError` naming place, nearest key and remedy; no file is ever changed.
    """
    project = _project_files(folder, home) if folder is not None else ()
    unread = () if trusted else tuple(path for path in project if path.is_file())
    tightened, remarks = tightening(unread)
    stack = Stack()
    for path in (system_config, user_config(home), *(project if trusted else ())):
        if (layer := read_layer(path)) is None:
            continue
        if path in project:
            layer, ignored = without_keys(within_sandbox(layer, stack.table))
            remarks += ignored
        stack.add(layer)
    for layer in (*tightened, *variable_layers(environ), *_typed(overrides, flags or {})):
        stack.add(layer)
    config, notices = checked(validated(stack), stack.origins)
    return Loaded(
        config=config,
        origins=stack.origins,
        layers=tuple(stack.layers),
        notices=(*notices, *remarks),
        unread=unread,
    )


def forbidden_in(folder: Path) -> list[Layer]:
    """What the project files of a folder forbid, which is in force whether it is trusted or not."""
    return tightening([path for path in _project_files(folder, None) if path.is_file()])[0]


def validated(stack: Stack) -> Config:
    """The merged settings as a value. Raises `ConfigError` with everything that is wrong, place by place."""
    try:
        return msgspec.convert(stack.table, Config)
    except msgspec.ValidationError as error:
        from yeaft.config.explain import explained

        raise explained(stack.layers, str(error)) from error


def _project_files(folder: Path, home: Path | None) -> tuple[Path, ...]:
    """The files of a project; what is in `home`, where yeaft keeps its own files, is the user's and no project's."""
    paths = (folder / name for name in PROJECT_CONFIGS)
    return tuple(path for path in paths if home is None or os.path.realpath(path.parent) != os.path.realpath(home))


def _typed(overrides: Sequence[str], flags: Mapping[str, Value]) -> "Iterator[Layer]":
    if overrides:
        from yeaft.config.overrides import override_layer

        yield from map(override_layer, overrides)
    for key, value in flags.items():
        yield Layer(origin="the command line", table=nested(key.split("."), value))
