"""`yeaft config`: read and change settings, and see where each comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from yeaft.config.listing import HIDDEN
from yeaft.interfaces.cli.commands.config_instructions import instructions
from yeaft.interfaces.cli.commands.editor import edit as open_editor
from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, run_group
from yeaft.interfaces.cli.commands.printing import put, put_json, put_table
from yeaft.kernel.errors import ConfigError, NotFound, UsageError
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from pathlib import Path

    from yeaft.config.listing import Setting
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options

NEW_FILE_MODE = 0o600


class Places(Struct, frozen=True, kw_only=True):
    """The files that settings come from, strongest last, and the folder of all that yeaft keeps."""

    home: str
    system: str
    user: str
    project: tuple[str, ...]


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft config ...` and return the exit code."""
    return run_group("config", ACTIONS, options, words)


def get(desk: Desk, *, key: str) -> int:
    """Print the value of a key, or all keys below it."""
    rows = _listed(desk)
    exact = next((row for row in rows if row.key == key), None)
    below = [row for row in rows if row.key.startswith((f"{key}.", f"{key}["))]
    if below:
        if desk.as_json:
            put_json([_row(row) for row in below])
        else:
            put("\n".join(f"{row.key} = {row.shown}" for row in below))
        return EXIT_ANSWERED
    if exact is None and not _is_key(key):
        raise NotFound(_unknown(key, rows))
    if desk.as_json:
        put_json(_value(exact) if exact else None)
    elif exact and exact.is_set:
        put(_plain(exact.value))
    if exact is None or not exact.is_set:
        _tell_unset(desk, key)
    return EXIT_ANSWERED


def set_(desk: Desk, *, key: str, value: str) -> int:
    """Write a value into the user's config.toml."""
    from yeaft.config.edit import set_value
    from yeaft.config.overrides import typed_value

    path = _user_file(desk)
    set_value(path, key, typed_value(value))
    return _tell_changed(desk, "settings.written", key, path)


def unset(desk: Desk, *, key: str) -> int:
    """Remove a key from the user's config.toml."""
    from yeaft.config.edit import unset as remove

    path = _user_file(desk)
    remove(path, key)
    return _tell_changed(desk, "settings.removed", key, path)


def ls(desk: Desk, *, origin: bool) -> int:
    """List every setting in force."""
    rows = _listed(desk)
    if desk.as_json:
        put_json([_row(row) for row in rows])
    elif origin:
        headings = [desk.text(f"heading.{key}") for key in ("key", "value", "origin")]
        put_table(headings, [(row.key, row.shown, row.origin) for row in rows])
    else:
        put_table([desk.text("heading.key"), desk.text("heading.value")], [(row.key, row.shown) for row in rows])
    for notice in desk.loaded.notices:
        desk.note("settings.notice", text=desk.ui.retold(notice))
    for path in desk.loaded.unread:
        desk.note("settings.untrusted", path=str(path))
    return EXIT_ANSWERED


def path(desk: Desk) -> int:
    """Print the path of the user's config.toml; as JSON all places."""
    from yeaft.config.places import PROJECT_CONFIGS, SYSTEM_CONFIG

    if desk.as_json:
        project = tuple(str(desk.folder / name) for name in PROJECT_CONFIGS)
        user = str(_user_file(desk))
        put_json(Places(home=str(desk.home), system=str(SYSTEM_CONFIG), user=user, project=project))
    else:
        put(str(_user_file(desk)))
    return EXIT_ANSWERED


def edit(desk: Desk) -> int:
    """Open the user's config.toml in an editor, or print its path; a mistake made there is told at once."""
    from yeaft.config.layers import load

    file = _user_file(desk)
    if not file.exists():
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.touch(mode=NEW_FILE_MODE)
    if open_editor(file, desk.environ):
        load(desk.home, desk.folder, desk.environ)
    put(str(file))
    return EXIT_ANSWERED


def _listed(desk: Desk) -> tuple[Setting, ...]:
    from yeaft.config.listing import settings

    return settings(desk.loaded)


def _row(setting: Setting) -> dict[str, object]:
    return {"key": setting.key, "value": _value(setting), "origin": setting.origin}


def _value(setting: Setting) -> object:
    """Return the value itself; what is hidden stays the text that stands for it."""
    return HIDDEN if setting.value == HIDDEN else msgspec.Raw(setting.value.encode())


def _plain(value: str) -> str:
    """Return a text without its quotes, and any other JSON value as it is written."""
    return msgspec.json.decode(value, type=str) if value.startswith('"') else value


def _is_key(key: str) -> bool:
    from yeaft.config.listing import is_key
    from yeaft.config.overrides import key_parts

    try:
        return is_key(key_parts(key))
    except UsageError:
        return False


def _tell_unset(desk: Desk, key: str) -> None:
    """Say that nobody has set `key`, and what yeaft does then."""
    meaning = desk.ui.texts.get(f"unset.{key}")
    if meaning:
        desk.note("settings.unset_means", key=key, meaning=meaning)
    else:
        desk.note("settings.unset", key=key)


def _unknown(key: str, rows: tuple[Setting, ...]) -> str:
    import difflib

    near = difflib.get_close_matches(key, [row.key for row in rows], n=1)
    remedy = f"Did you mean {near[0]}?" if near else "`yeaft config ls` lists all."
    return f"There is no setting {key!r}. {remedy}"


def _user_file(desk: Desk) -> Path:
    from yeaft.config.places import user_config

    return user_config(desk.home)


def _tell_changed(desk: Desk, code: str, key: str, path: Path) -> int:
    desk.note(code, key=key, path=str(path))
    try:
        origin = desk.loaded.origins.get(key, str(path))
    except ConfigError as error:
        desk.note("settings.notice", text=desk.ui.retold(str(error)))
        return EXIT_ANSWERED
    if origin != str(path) and code == "settings.written":
        desk.note("settings.overridden", key=key, origin=origin)
    return EXIT_ANSWERED


KEY = argument("KEY")
ACTIONS: Mapping[str, Action] = {
    "get": Action(run=get, params=(KEY,)),
    "set": Action(run=set_, params=(KEY, argument("VALUE")), has_json=False),
    "unset": Action(run=unset, params=(KEY,), has_json=False),
    "ls": Action(run=ls, params=(flag("--origin"),)),
    "path": Action(run=path),
    "edit": Action(run=edit, has_json=False),
    "instructions": Action(run=instructions),
}
