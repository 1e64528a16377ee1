"""A text over the whole screen: what commands print, a log, help; to be searched, kept, or opened in an editor."""

from __future__ import annotations

import asyncio
import os
import shlex
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from textual.widgets import Input

from yeaft.interfaces.foreground import run_in_foreground
from yeaft.interfaces.tui.one_line import MOST_CHARS
from yeaft.interfaces.tui.outside import outside
from yeaft.interfaces.tui.panels.bound import bound
from yeaft.interfaces.tui.panels.frame import Panel
from yeaft.interfaces.tui.panels.text_view import TextView
from yeaft.kernel.errors import ConfigError, YeaftError

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from yeaft.interfaces.tui.panels.situation import Situation

PRIVATE_FILE = 0o600
Text = Callable[[int], Awaitable[str]]
"""Gives the text for a number of columns; it may raise `YeaftError`."""


class View(Struct, frozen=True):
    """One of the texts that a panel can show; with `follow_s` it is asked for again and again while it is shown."""

    title: str
    text: Text
    has_escapes: bool = False
    follow_s: float = 0.0
    at_end: bool = False


class TextPanel(Panel):
    """Shows one of several texts at a time; `word` is looked for in the first one."""

    DEFAULT_CSS = """
    TextPanel > TextView { padding-left: 1; }
    TextPanel > Input.-textual-compact { height: 1; padding: 0 1; display: none; }
    """
    BINDINGS = [
        bound("text.leave", "leave"),
        bound("text.search", "search"),
        bound("text.next", "again(False)"),
        bound("text.previous", "again(True)"),
        bound("text.editor", "edit"),
        bound("text.write", "ask_where"),
        bound("text.view", "turn"),
        bound("text.top", "go('home')"),
        bound("text.bottom", "go('end')"),
    ]

    def __init__(self, situation: Situation, views: Sequence[View], *, word: str = "") -> None:
        keys = (*(("text.view",) if len(views) > 1 else ()), "text.search", "text.editor", "text.write")
        super().__init__(situation, "", keys)
        self._views = views
        self._shown = 0
        self._view = TextView()
        self._line = Input(compact=True, max_length=MOST_CHARS)
        self._line.cursor_blink = False
        self._asks = ""
        self._word = word
        self._text = ""

    def compose(self) -> ComposeResult:
        """Return title, text, the line to type in, and keys."""
        yield self.title_line
        yield self._view
        yield self._line
        yield self.hint_line

    def on_mount(self) -> None:
        """Begin to read."""
        self._view.focus()
        self.call_after_refresh(self._begin)

    def action_leave(self) -> None:
        """Leave the line that is typed in or, if there is none, the panel."""
        if self._line.display:
            self._close_line()
        else:
            self.dismiss(None)

    def action_search(self) -> None:
        """Let the user type what to look for."""
        self._open_line("search", self._word)

    def action_ask_where(self) -> None:
        """Let the user type where to write the text to."""
        self._open_line("write", "")

    def action_again(self, backwards: bool) -> None:
        """Go to the next place that has what was looked for."""
        if self._word and not self._view.find(self._word, backwards=backwards):
            self.tell("panel.not_found", text=self._word)

    def action_turn(self) -> None:
        """Show the next one of the texts."""
        self._shown = (self._shown + 1) % len(self._views)
        self._begin()

    def action_go(self, where: str) -> None:
        """Go to one of the ends."""
        if where == "home":
            self._view.scroll_home(animate=False)
        else:
            self._view.scroll_end(animate=False)

    async def action_edit(self) -> None:
        """Open the text in the user's editor, as a file of its own."""
        try:
            path = await asyncio.to_thread(_temporary, self._view.plain)
        except OSError as error:
            self._complain("panel.not_written", path=tempfile.gettempdir(), reason=error.strerror or str(error))
            return
        try:
            await outside(self.app, _edited(path, self.situation))
            await self.run_action("app.redraw")
        except YeaftError as error:
            self.refuse(error)
        finally:
            await asyncio.to_thread(path.unlink, missing_ok=True)

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Do what the line is for."""
        event.stop()
        asked = self._asks
        self._close_line()
        if asked == "write" and event.value.strip():
            await self._write(event.value.strip())
        elif asked == "search":
            self._word = event.value
            self.action_again(False)

    def _open_line(self, asks: str, value: str) -> None:
        self._asks = asks
        self._line.placeholder = self.situation.text(f"panel.ask_{asks}")
        self._line.value = value
        self._line.display = True
        self._line.focus()

    def _close_line(self) -> None:
        self._line.display = False
        self._view.focus()

    async def _write(self, name: str) -> None:
        try:
            path = await asyncio.to_thread(_write_new, self.situation.here.folder, name, self._view.plain)
        except OSError as error:
            self._complain("panel.not_written", path=name, reason=error.strerror or str(error))
            return
        self.tell("panel.written", path=str(path))

    def _complain(self, code: str, /, **params: str) -> None:
        self.notify(self.situation.text(code, **params), severity="error", markup=False)

    def _begin(self) -> None:
        if self.goes:
            return
        view = self._views[self._shown]
        self.title_line.update(view.title)
        self._text = ""
        self._view.show(self.situation.text("panel.reading"))
        self.run_worker(self._read(view), exclusive=True, group="text")

    async def _read(self, view: View) -> None:
        """Show a text and, if it grows, what comes, as long as the panel is open and the text is the one shown."""
        is_first = True
        while True:
            try:
                text = await view.text(max(self._view.scrollable_content_region.width, 20))
            except YeaftError as error:
                text = self.situation.ui.retold(str(error))
            if is_first or text != self._text:
                is_at_end = self._view.is_vertical_scroll_end
                self._text = text
                shown = text or self.situation.text("panel.nothing")
                if is_first or is_at_end:
                    self._view.show(shown, has_escapes=view.has_escapes, at_end=view.at_end)
            if is_first and self._word:
                self._view.find(self._word)
            is_first = False
            if not view.follow_s:
                return
            await asyncio.sleep(view.follow_s)


async def _edited(path: Path, situation: Situation) -> None:
    """Let the user edit a file. Raises `ConfigError` if that cannot be begun."""
    environ = situation.environ
    named = next((name for name in ("VISUAL", "EDITOR") if environ.get(name, "").strip()), "")
    if not named:
        raise ConfigError(situation.text("panel.no_editor"))
    try:
        await run_in_foreground([*shlex.split(environ[named]), os.fspath(path)], environ)
    except (OSError, ValueError) as error:
        raise ConfigError(f"The editor in ${named} ({environ[named]}) cannot be started: {error}.") from error


def _temporary(text: str) -> Path:
    """Write a file for the editor. Raises `OSError`."""
    descriptor, name = tempfile.mkstemp(prefix="yeaft-", suffix=".txt")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return Path(name)


def _write_new(folder: Path, name: str, text: str) -> Path:
    """Write a file that is not there yet and return where it is. Raises `OSError`."""
    path = folder / Path(name).expanduser()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return path
