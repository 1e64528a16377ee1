"""What the composer does beside the screen: the user's own editor, and the picture in the clipboard."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yeaft.interfaces.tui.outside import outside
from yeaft.kernel.errors import NotFound

if TYPE_CHECKING:
    from textual.app import App

    from yeaft.interfaces.tui.composer.editing import Editing


async def edit_draft(draft: Editing, environ: Mapping[str, str], app: App[Any]) -> None:
    """Let the user change the whole draft in their own editor, which has the terminal meanwhile.

    Raises `ConfigError` or `YeaftError` if that did not work; then the draft is as it was.
    """
    from yeaft.interfaces.tui.composer.external_editor import edited

    before = draft.whole
    after = await outside(app, edited(before, environ))
    if after != before:
        draft.replace_all(after)


async def clipboard_file(environ: Mapping[str, str]) -> Path:
    """Return a file with the clipboard's picture. Raises `NotFound` where there is none, or nothing to get it with."""
    from yeaft.interfaces.tui.composer.clipboard_image import clipboard_image, has_program

    if not has_program(environ):
        raise NotFound("Nothing here can read pictures from the clipboard: install wl-clipboard, xclip or pngpaste.")
    path = await asyncio.to_thread(clipboard_image, environ)
    if path is None:
        raise NotFound("The clipboard holds no picture.")
    return path
