"""What one does with a transcript: scroll, search, copy, and open things in the pager or editor."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from yeaft.interfaces.clipboard import copied_said, copy
from yeaft.interfaces.copying import copied_now
from yeaft.interfaces.tui.blocks import AnyBlock, ToolUse, Words
from yeaft.interfaces.tui.transcript.block_text import block_text, result_text
from yeaft.interfaces.tui.transcript.column import Place
from yeaft.interfaces.tui.transcript.outside import editor_of, pager_of, text_file
from yeaft.interfaces.tui.transcript.shown import shown_on_one_line
from yeaft.kernel.errors import ConfigError, NotFound, YeaftError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.orders import Copy
    from yeaft.interfaces.tui.transcript.search_bar import SearchBar
    from yeaft.interfaces.tui.transcript.transcript import Transcript
    from yeaft.prompts.ui import Ui

MOST_TITLE_CHARS = 200


class Reading:
    """Serves one transcript. `here` is the Session that it shows; `write` writes to the terminal past the screen.

    `show_text` shows a title and a text over the whole screen, `show_pictures` the pictures of a block, if it has any.
    """

    def __init__(self, transcript: Transcript, ui: Ui) -> None:
        self.here: Opened | None = None
        self.environ: Mapping[str, str] = os.environ
        self.write: Callable[[str], None] | None = None
        self.show_text: Callable[[str, str], None] | None = None
        self.show_pictures: Callable[[AnyBlock], bool] | None = None
        self._transcript = transcript
        self._ui = ui
        self._bar: SearchBar | None = None
        self._sought: tuple[str, ...] = ()

    def does(self, verb: str) -> None:
        """Do what a key stands for; see `TRANSCRIPT_KEYS`."""
        transcript = self._transcript
        page = max(transcript.viewport.rows - 2, 1)
        match verb:
            case "page_up" | "page_down":
                transcript.scroll_by(page if verb == "page_down" else -page)
            case "first":
                transcript.go_to_start()
            case "last":
                transcript.go_to_end()
            case "earlier" | "later":
                transcript.jump(1 if verb == "later" else -1)
            case "search":
                self.open_search()
            case "focus":
                transcript.focus()
            case _:
                transcript.see(verb)

    def open_search(self) -> None:
        """Let the user type what to look for; all that lies back is looked through."""
        from yeaft.interfaces.tui.transcript.search_bar import SearchBar

        if self._bar is None:
            self._bar = SearchBar(self, self._ui, self._transcript.finding.word)
            self._transcript.screen.mount(self._bar, after=self._transcript)
            self._transcript.want_all()

    def typed(self, word: str) -> None:
        """Look for another word."""
        transcript = self._transcript
        near = transcript.viewport.bottom_key()
        transcript.finding.search(word, transcript.column.blocks, near)
        self.show_found()

    def stepped(self, by: int) -> None:
        """Look at the next place, or the one before."""
        self._transcript.finding.step(by)
        self.show_found()

    def more_blocks(self, blocks: Sequence[AnyBlock]) -> None:
        """Look through blocks that have come."""
        self.look_on()
        finding = self._transcript.finding
        if self._bar is None:
            return
        finding.learn(blocks)
        if finding.word:
            finding.search(finding.word, self._transcript.column.blocks, finding.current)
            self._bar.tell(finding)

    def seek(self, keys: Sequence[str]) -> None:
        """Bring the first of these blocks into view, as soon as it is there; what lies back is looked through."""
        self._sought = tuple(keys)
        self.look_on()

    def look_on(self) -> None:
        """Look again for what is sought: blocks have come."""
        transcript = self._transcript
        found = next((key for key in self._sought if transcript.column.index_of(key) is not None), None)
        if found is not None:
            self._sought = ()
            transcript.viewport.go_to(Place(found, 0))
            transcript.scroll_by(0)
        elif self._sought:
            transcript.post_message(transcript.WantsOlder())

    def left(self, *, keeps: bool) -> None:
        """Close the line; what was found stays marked, and can be walked through, if `keeps`."""
        bar, self._bar = self._bar, None
        if bar is not None:
            bar.remove()
        if keeps and self._transcript.finding.keys:
            self._transcript.focus()
        else:
            self._transcript.finding.clear()
            self._transcript.refresh()
            self._transcript.leave()

    def show_found(self) -> None:
        """Bring into view what the search looks at."""
        self._transcript.show_found()
        if self._bar is not None:
            self._bar.tell(self._transcript.finding)

    async def wanted(self, what: str, block: AnyBlock) -> None:
        """Do something with a block: `copy`, `pager`, or `editor`, unless there are pictures to be shown instead."""
        try:
            match what:
                case "copy":
                    await self.copy(block_text(block))
                case "pager":
                    await self._page(block_text(block))
                case _ if not self.shows_pictures(block):
                    await self._edit(block)
                case _:
                    pass
        except (YeaftError, OSError) as error:
            self._tell(self._ui.retold(str(error)), is_bad=True)

    def shows_pictures(self, block: AnyBlock) -> bool:
        """Show the pictures of a block large, and say whether it has any."""
        return self.show_pictures is not None and self.show_pictures(block)

    async def copy(self, text: str, *, to_file: bool = False) -> None:
        """Copy a text, and say which way it went. Raises `YeaftError`."""
        copied = await copy(text, self.environ, self.write, to_file=to_file)
        self._tell(copied_said(copied, text, self._ui))

    async def ordered(self, deed: Copy) -> None:
        """Copy what an order names."""
        if self.here is None:
            return
        try:
            self._tell(await copied_now(deed, self.here, self.environ, self.write))
        except YeaftError as error:
            self._tell(self._ui.retold(str(error)), is_bad=True)

    async def pointed(self, target: str, line: int) -> None:
        """Open what was clicked: an address in the browser, a file in the editor."""
        try:
            if "://" in target or target.startswith("mailto:"):
                import webbrowser

                if not target.startswith("file:"):
                    await asyncio.to_thread(webbrowser.open, target)
                return
            path = await asyncio.to_thread(_file, self.here.folder if self.here else Path(), target)
            if path is None:
                raise NotFound(self._ui.text("transcript.no_file", path=target))
            await self._open(path, line)
        except (YeaftError, OSError) as error:
            self._tell(self._ui.retold(str(error)), is_bad=True)

    async def _page(self, text: str) -> None:
        """Show a text in the user's pager or, where there is none, in a panel of our own."""
        command = pager_of(self.environ)
        if command is None and self.show_text is not None:
            title = next((line for line in text.splitlines() if line.strip()), "")
            self.show_text(shown_on_one_line(title[:MOST_TITLE_CHARS]), text)
            return
        if command is None:
            raise ConfigError(self._ui.text("transcript.no_pager", reason="$PAGER"))
        path = await asyncio.to_thread(text_file, text, ".txt")
        try:
            await self._transcript.run_outside([*command, str(path)], self.environ)
        finally:
            path.unlink(missing_ok=True)

    async def _edit(self, block: AnyBlock) -> None:
        """Open a block as a file: what a call has given back alone, words as Markdown."""
        text = result_text(block) if isinstance(block, ToolUse) else block_text(block)
        path = await asyncio.to_thread(text_file, text, ".md" if isinstance(block, Words) else ".txt")
        try:
            await self._open(path)
        finally:
            path.unlink(missing_ok=True)

    async def _open(self, path: Path, line: int = 0) -> None:
        command = editor_of(self.environ, path, line)
        if command is None:
            raise ConfigError(self._ui.text("transcript.no_editor"))
        await self._transcript.run_outside(command, self.environ)

    def _tell(self, text: str, *, is_bad: bool = False) -> None:
        self._transcript.notify(text, severity="error" if is_bad else "information", markup=False)


def _file(folder: Path, target: str) -> Path | None:
    """Return the file that is meant, if there is one. Blocking."""
    path = folder / Path(target).expanduser()
    return path.resolve() if path.is_file() else None
