"""The draft in the user's own editor: what comes back takes its place, unless the editor reports a failure."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Mapping
from pathlib import Path

from yeaft.interfaces.foreground import run_in_foreground
from yeaft.kernel.errors import ConfigError, YeaftError

VARIABLES = ("VISUAL", "EDITOR")
USUAL = ("sensible-editor", "nano", "vi")


async def edited(text: str, environ: Mapping[str, str]) -> str:
    """Let the user edit `text` with $VISUAL, $EDITOR or what is usual, and return it; the terminal must be free.

    Raises `ConfigError` if no editor can be started, `YeaftError` if it ends with a failure.
    """
    command = _command(environ)
    with tempfile.TemporaryDirectory(prefix="yeaft-draft-") as folder:
        path = Path(folder) / "draft.md"
        path.write_text(text, encoding="utf-8", errors="replace", newline="")
        try:
            code = await run_in_foreground([*command, str(path)], environ)
        except OSError as error:
            raise ConfigError(f"The editor {command[0]} cannot be started: {error.strerror}.") from error
        if code:
            raise YeaftError(f"The editor {command[0]} ended with exit code {code}; the draft is as it was.")
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise YeaftError(f"The editor {command[0]} left no file; the draft is as it was.") from error
    after = raw.decode("utf-8", "replace")
    return after if text.endswith("\n") else after.removesuffix("\n")


def _command(environ: Mapping[str, str]) -> list[str]:
    from shutil import which

    for name in VARIABLES:
        if words := _words(environ.get(name, ""), name):
            return words
    for program in USUAL:
        if path := which(program, path=environ.get("PATH")):
            return [path]
    raise ConfigError("There is no editor: set $VISUAL or $EDITOR, for example to vi.")


def _words(value: str, name: str) -> list[str]:
    try:
        return shlex.split(value)
    except ValueError as error:
        raise ConfigError(f"${name} cannot be read as a command: {error}.") from error
