"""A picture over the whole screen, as well as the terminal can show it; what it is and where it lies is always said."""

from __future__ import annotations

import asyncio
import io
import sys
import termios
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from rich.text import Text
from textual import work
from textual.containers import Center
from textual.widgets import Static

from yeaft.interfaces.tui.graphics import Graphics, graphics_of
from yeaft.interfaces.tui.outside import outside
from yeaft.interfaces.tui.panels.bound import bound
from yeaft.interfaces.tui.panels.frame import Panel
from yeaft.interfaces.tui.panels.shown_text import safe
from yeaft.kernel.errors import BadData, YeaftError

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.widget import Widget

    from yeaft.interfaces.tui.panels.block_pictures import Picture
    from yeaft.interfaces.tui.panels.situation import Situation

PIXELS = "textual_image.widget"
"""Asks the terminal for the size of its cells when it is imported, so it is imported while nothing else reads it."""


class PicturePanel(Panel):
    """Shows one of several pictures at a time."""

    DEFAULT_CSS = """
    PicturePanel > Center { height: 1fr; overflow: hidden; }
    PicturePanel > Center > Static { width: auto; height: auto; }
    PicturePanel > .path { height: auto; max-height: 3; padding: 0 1; }
    """
    BINDINGS = [bound("text.leave", "leave"), bound("text.view", "turn")]

    def __init__(self, situation: Situation, pictures: Sequence[Picture]) -> None:
        super().__init__(situation, "", ("text.view",) if len(pictures) > 1 else ())
        self._pictures = pictures
        self._at = 0
        self._graphics: Graphics = graphics_of(situation.environ, situation.look)
        self._frame = Center()
        self._path = Static("", markup=False, classes="path")

    def compose(self) -> ComposeResult:
        """Return title, picture, where it lies, and keys."""
        yield self.title_line
        yield self._frame
        yield self._path
        yield self.hint_line

    def on_mount(self) -> None:
        """Begin to read."""
        self.call_after_refresh(self._begin)

    def on_resize(self, event: events.Resize) -> None:
        """Fit the picture into its new frame."""
        del event
        self.call_after_refresh(self._begin)

    def action_turn(self) -> None:
        """Show the next picture."""
        self._at = (self._at + 1) % len(self._pictures)
        self._begin()

    def _begin(self) -> None:
        if not self.goes:
            self._show(self._pictures[self._at])

    @work(exclusive=True, group="picture")
    async def _show(self, picture: Picture) -> None:
        text = self.situation.text
        about = [safe(picture.name), picture.mime, text("panel.picture_bytes", count=f"{picture.size_bytes:,}")]
        self._path.update(safe(str(picture.path)))
        content = await asyncio.to_thread(picture.content)
        shown: Widget = Static(text("panel.picture_gone"), markup=False)
        if content is not None:
            try:
                width, height = await asyncio.to_thread(_size, content)
                about.append(f"{width} x {height}")
                shown = await self._drawn(content)
            except BadData as error:
                shown = Static(self.situation.ui.retold(str(error)), markup=False)
        many = f"  {self._at + 1}/{len(self._pictures)}" if len(self._pictures) > 1 else ""
        self.title_line.update(" · ".join(about) + many)
        await self._frame.remove_children()
        await self._frame.mount(shown)

    async def _drawn(self, content: bytes) -> Widget:
        """Return a widget with the picture in it. Raises `BadData` for one that cannot be decoded."""
        if self._graphics == "none":
            return Static(self.situation.text("panel.picture_no_colours"), markup=False)
        make = await self._pixels(self._graphics)
        if make is None:
            size = self._frame.size
            return Static(await asyncio.to_thread(_blocks, content, max(size.width, 1), max(size.height, 1)))
        picture = make(io.BytesIO(content))
        picture.styles.width = picture.styles.height = "auto"
        picture.styles.max_width = picture.styles.max_height = "100%"
        return picture

    async def _pixels(self, graphics: Graphics) -> Callable[[io.BytesIO], Widget] | None:
        """Return what draws pixels, if anything does; the terminal is lent for a moment when it is first wanted."""
        if graphics == "blocks":
            return None
        try:
            if PIXELS not in sys.modules:
                await outside(self.app, _imported())
            from textual_image.widget import SixelImage, TGPImage
        except (ImportError, OSError, termios.error, YeaftError):
            return None

        return TGPImage if graphics == "kitty" else SixelImage


async def _imported() -> None:
    import_module(PIXELS)


def _size(content: bytes) -> tuple[int, int]:
    from yeaft.interfaces.cli.commands.half_blocks import picture_size

    return picture_size(content)


def _blocks(content: bytes, columns: int, rows: int) -> Text:
    from yeaft.interfaces.cli.commands.half_blocks import half_blocks

    return Text("\n").join(Text.from_ansi(row) for row in half_blocks(content, columns, rows))
