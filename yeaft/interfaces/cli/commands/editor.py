"""Opens a file in the user's editor where there is a person to use it."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

from yeaft.kernel.errors import ConfigError, YeaftError

STDIN, STDOUT = 0, 1


def edit(path: Path, environ: Mapping[str, str]) -> bool:
    """Edit `path` with $VISUAL or $EDITOR and wait; False, and nothing done, without a terminal or an editor.

    Raises `ConfigError` if the editor cannot be started, `YeaftError` if it reports a failure.
    """
    found = editor_command(path, environ)
    if found is None:
        return False
    named, command = found
    try:
        code = subprocess.run(command, check=False).returncode
    except OSError as error:
        raise not_started(named, environ, error) from error
    if code:
        raise failed(named, code, path)
    return True


def editor_command(path: Path, environ: Mapping[str, str]) -> tuple[str, list[str]] | None:
    """Return the variable that names the editor and the command to edit `path`; None without one or a terminal.

    Raises `ConfigError` if the variable cannot be read as a command.
    """
    named = next((name for name in ("VISUAL", "EDITOR") if environ.get(name, "").strip()), "")
    if not named or not (os.isatty(STDIN) and os.isatty(STDOUT)):
        return None
    try:
        return named, [*shlex.split(environ[named]), os.fspath(path)]
    except ValueError as error:
        raise ConfigError(f"${named} cannot be read as a command: {error}.") from error


def not_started(named: str, environ: Mapping[str, str], error: OSError) -> ConfigError:
    """Return what is said when the editor cannot be started."""
    return ConfigError(f"The editor in ${named} ({environ[named]}) cannot be started: {error.strerror}.")


def failed(named: str, code: int, path: Path) -> YeaftError:
    """Return what is said when the editor reports a failure."""
    return YeaftError(f"The editor in ${named} ended with exit code {code}; {path} may not be saved.")
