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
    named = next((name for name in ("VISUAL", "EDITOR") if environ.get(name, "").strip()), "")
    if not named or not (os.isatty(STDIN) and os.isatty(STDOUT)):
        return False
    command = [*shlex.split(environ[named]), os.fspath(path)]
    try:
        code = subprocess.run(command, check=False).returncode
    except OSError as error:
        raise ConfigError(f"The editor in ${named} ({environ[named]}) cannot be started: {error.strerror}.") from error
    if code:
        raise YeaftError(f"The editor in ${named} ended with exit code {code}; {path} may not be saved.")
    return True
