"""The picture in the clipboard, by whatever program of the desktop can hand it out."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

PATIENCE_S = 5.0
MOST_BYTES = 32 * 2**20
PNG_BEGINS = b"\x89PNG\r\n"
COMMANDS = (
    ("WAYLAND_DISPLAY", ("wl-paste", "--no-newline", "--type", "image/png")),
    ("DISPLAY", ("xclip", "-selection", "clipboard", "-target", "image/png", "-out")),
    ("", ("pngpaste", "-")),
)
"""Programs that write a picture to standard output, and the variable without which they cannot work."""


def has_program(environ: Mapping[str, str]) -> bool:
    """Whether there is any program to ask."""
    return bool(_usable(environ))


def clipboard_image(environ: Mapping[str, str]) -> Path | None:
    """Write the clipboard's picture to a private file and return it; None if it holds none. Blocks for a while."""
    for command in _usable(environ):
        try:
            done = subprocess.run(
                command,
                env=dict(environ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=PATIENCE_S,
                check=False,
                start_new_session=True,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0 and done.stdout.startswith(PNG_BEGINS) and len(done.stdout) <= MOST_BYTES:
            descriptor, name = tempfile.mkstemp(prefix="yeaft-clipboard-", suffix=".png")
            with os.fdopen(descriptor, "wb") as file:
                file.write(done.stdout)
            return Path(name)
    return None


def _usable(environ: Mapping[str, str]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for variable, (program, *rest) in COMMANDS:
        path = shutil.which(program, path=environ.get("PATH"))
        if path and (not variable or environ.get(variable)):
            found.append((path, *rest))
    return found
