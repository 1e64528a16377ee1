"""Shows a text or file in a program of the user's: the pager or the editor has the terminal until it ends."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Mapping
from pathlib import Path
from shutil import which

from yeaft.interfaces.foreground import run_in_foreground
from yeaft.kernel.errors import ConfigError

PAGERS = ("less", "more")
NO_LINE = ("code", "subl", "zed")
"""Editors that want the line behind the name of the file."""


def pager_of(environ: Mapping[str, str]) -> list[str] | None:
    """Return the command of the pager, None if there is none. MANPAGER is one for manual pages only."""
    if words := _words(environ, "PAGER"):
        return words
    found = next((path for name in PAGERS if (path := which(name, path=environ.get("PATH")))), None)
    return [found] if found else None


def editor_of(environ: Mapping[str, str], path: Path, line: int = 0) -> list[str] | None:
    """Return the command that opens a file, at a line if that is not 0; None if no editor is set."""
    words = _words(environ, "VISUAL") or _words(environ, "EDITOR")
    if not words:
        return None
    name = words[0].rpartition("/")[2]
    if not line:
        return [*words, str(path)]
    if name in NO_LINE:
        return [*words, *(["--goto"] if name == "code" else []), f"{path}:{line}"]
    return [*words, f"+{line}", str(path)]


def text_file(text: str, suffix: str) -> Path:
    """Write a text to a new file that only the user can read. Raises `OSError`."""
    descriptor, name = tempfile.mkstemp(prefix="yeaft-", suffix=suffix)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="") as file:
        file.write(text)
    return Path(name)


async def run(command: list[str], environ: Mapping[str, str]) -> None:
    """Run a command at the terminal, which must be free, and wait for its end.

    Raises `ConfigError` if it cannot be started.
    """
    try:
        await run_in_foreground(command, environ)
    except OSError as error:
        raise ConfigError(f"{command[0]} cannot be started: {error.strerror}.") from error


def _words(environ: Mapping[str, str], name: str) -> list[str]:
    try:
        return shlex.split(environ.get(name, ""))
    except ValueError as error:
        raise ConfigError(f"${name} cannot be read as a command: {error}.") from error
