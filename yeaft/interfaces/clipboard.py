"""Copies a text where the user can paste it from, and says which way it went: not every way can be checked."""

from __future__ import annotations

import asyncio
import base64
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from shutil import which
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from yeaft.kernel.errors import YeaftError

if TYPE_CHECKING:
    from yeaft.prompts.ui import Ui

TOOL_TIMEOUT_S = 3
MOST_OSC52_BYTES = 70_000
"""Terminals throw longer sequences away without a word (xterm and tmux stop somewhat above this)."""
WITHOUT_OSC52 = ("dumb", "linux", "vt100", "vt102", "vt220")
Channel = Literal["tool", "osc52", "file"]


class Copied(Struct, frozen=True):
    """Which way a text went; `name` is the tool or the path."""

    channel: Channel
    name: str = ""


async def copy(
    text: str, environ: Mapping[str, str], write: Callable[[str], None] | None, *, to_file: bool = False
) -> Copied:
    """Give a text to a tool of the desktop, else to the terminal (OSC 52, by `write` if it is one), else to a new file.

    Raises `YeaftError` if not even a file can be written.
    """
    if not to_file:
        for command in _tools(environ):
            if await _run(command, text, environ) == "":
                return Copied("tool", command[0].rpartition("/")[2])
        sequence = await _osc52(text, environ) if write is not None else ""
        if write is not None and sequence:
            write(sequence)
            return Copied("osc52")
        tmux = which("tmux", path=environ.get("PATH")) if environ.get("TMUX") else None
        if tmux and await _run([tmux, "load-buffer", "-"], text, environ) == "":
            return Copied("tool", "tmux")
    return Copied("file", await asyncio.to_thread(_written, text))


def copied_said(copied: Copied, text: str, ui: Ui) -> str:
    """Return what the user is told."""
    what = ui.text("transcript.copied_what", count=len(text))
    return ui.text(f"transcript.copied_{copied.channel}", what=what, tool=copied.name, path=copied.name)


def _tools(environ: Mapping[str, str]) -> list[list[str]]:
    """Return the commands that reach a desktop, where there is one."""
    commands: list[list[str]] = []
    if environ.get("WAYLAND_DISPLAY"):
        commands.append(["wl-copy"])
    if environ.get("DISPLAY"):
        commands += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    if sys.platform == "darwin":
        commands.append(["pbcopy"])
    found = [(which(command[0], path=environ.get("PATH")), command) for command in commands]
    return [[path, *command[1:]] for path, command in found if path]


async def _osc52(text: str, environ: Mapping[str, str]) -> str:
    """Return the sequence that gives a text to the terminal; empty where it would be lost for sure."""
    raw = text.encode("utf-8", "replace")
    if environ.get("TERM", "") in WITHOUT_OSC52 or len(raw) > MOST_OSC52_BYTES or environ.get("STY"):
        return ""
    sequence = f"\x1b]52;c;{base64.b64encode(raw).decode()}\a"
    if not environ.get("TMUX"):
        return sequence
    tmux = which("tmux", path=environ.get("PATH"))
    if tmux is None:
        return ""
    if await _run([tmux, "show-options", "-gqv", "set-clipboard"], "", environ) == "on":
        return sequence
    if await _run([tmux, "show-options", "-gqv", "allow-passthrough"], "", environ) in ("on", "all"):
        return f"\x1bPtmux;{sequence.replace(chr(27), chr(27) * 2)}\x1b\\"
    return ""


async def _run(command: list[str], text: str, environ: Mapping[str, str]) -> str | None:
    """Give `text` to a command; return what it prints, None if it fails or hangs.

    Tools that own the clipboard live on behind: what they print goes to a file, which nobody waits for.
    """
    with tempfile.TemporaryFile() as printed:
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=printed,
                stderr=asyncio.subprocess.DEVNULL,
                env=dict(environ),
                start_new_session=True,
            )
        except OSError:
            return None
        try:
            async with asyncio.timeout(TOOL_TIMEOUT_S):
                await process.communicate(text.encode("utf-8", "replace"))
        except (TimeoutError, OSError):
            if process.returncode is None:
                process.kill()
                await process.wait()
            return None
        if process.returncode:
            return None
        printed.seek(0)
        return printed.read().decode("utf-8", "replace").strip()


def _written(text: str) -> str:
    """Write a file that only the user can read, and return its path."""
    try:
        descriptor, path = tempfile.mkstemp(prefix="yeaft-copy-", suffix=".md")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
    except OSError as error:
        raise YeaftError(f"The text cannot be written to a file: {error.strerror}.") from error
    return path
