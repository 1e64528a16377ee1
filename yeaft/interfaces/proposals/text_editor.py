"""Lets the user write a text in an editor of their own, in a terminal that is free for that long."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from yeaft.interfaces.cli.commands.editor import editor_command, failed, not_started
from yeaft.interfaces.foreground import run_in_foreground
from yeaft.kernel.errors import ConfigError, YeaftError
from yeaft.tools.files.texts import Text, encoded_like

if TYPE_CHECKING:
    from collections.abc import Mapping

NO_EDITOR = "No editor is named: set $VISUAL or $EDITOR."
NAMELESS = "text"


async def written(name: str, text: str, like: Text, environ: Mapping[str, str]) -> str:
    """Return what the user has made of `text` in $VISUAL or $EDITOR, which sees a file in the encoding of `like`.

    The terminal must be free. Raises `YeaftError` where there is no editor, or where it fails.
    """
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="yeaft-"))
    try:
        path = folder / (PurePath(name).name or NAMELESS)
        await asyncio.to_thread(path.write_bytes, encoded_like(text, like, name))
        await _edit(path, environ)
        return _decoded(await asyncio.to_thread(path.read_bytes), like, name)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


async def _edit(path: Path, environ: Mapping[str, str]) -> None:
    """Let the user edit a file. Raises `ConfigError` or `YeaftError` if that does not work."""
    found = editor_command(path, environ)
    if found is None:
        raise ConfigError(NO_EDITOR)
    named, command = found
    try:
        code = await run_in_foreground(command, environ)
    except OSError as error:
        raise not_started(named, environ, error) from error
    if code:
        raise failed(named, code, path)


def _decoded(raw: bytes, like: Text, name: str) -> str:
    try:
        return raw.removeprefix(like.bom).decode(like.encoding)
    except UnicodeError as error:
        raise YeaftError(f"{name} was not saved in {like.encoding}, the encoding it had.") from error
