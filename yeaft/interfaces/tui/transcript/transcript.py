"""The scrolling column of blocks. Only the lines that can be seen are drawn, and only those that have changed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from textual import events, getters
from textual.app import App
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from yeaft.interfaces.tui.blocks import AnyBlock, Posted, ToolUse
from yeaft.interfaces.tui.outside import outside
from yeaft.interfaces.tui.transcript.block_lines import is_foldable
from yeaft.interfaces.tui.transcript.column import Column, Place
from yeaft.interfaces.tui.transcript.finding import Finding
from yeaft.interfaces.tui.transcript.keys import CURSOR_KEYS
from yeaft.interfaces.tui.transcript.long_view import LongView
from yeaft.interfaces.tui.transcript.outside import run
from yeaft.interfaces.tui.transcript.palette import palette_of
from yeaft.interfaces.tui.transcript.pictures import Pictures
from yeaft.interfaces.tui.transcript.pointing import target_at
from yeaft.interfaces.tui.transcript.reading import Reading
from yeaft.interfaces.tui.transcript.rows import GUTTER, Rows
from yeaft.interfaces.tui.transcript.selecting import selected_text
from yeaft.interfaces.tui.transcript.view import View
from yeaft.interfaces.tui.transcript.viewport import Viewport

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.selection import Selection

    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.tui.look import Look
    from yeaft.interfaces.tui.scene import Change
    from yeaft.prompts.ui import Ui

NEAR_LINES = 30
"""So near the first line older blocks are asked for."""
LEAST_COLUMNS = 10
LINKLESS_TERMINALS = ("dumb", "linux", "vt100", "vt102", "vt220", "ansi")


class Transcript(LongView, can_focus=True):
    """What was said and done. `apply` takes what has changed; the end stays in view unless the user scrolled up."""

    if TYPE_CHECKING:
        app = getters.app(App[int])  # textual leaves open what its App returns

    DEFAULT_CSS = """
    Transcript { height: 1fr; overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; }
    Transcript { scrollbar-gutter: stable; }
    """
    FOCUS_ON_CLICK = False
    BINDINGS: ClassVar[list[BindingType]] = [*CURSOR_KEYS]

    class WantsOlder(Message):
        """The user has come near the first block that is there."""

    class Left(Message):
        """The user wants to go back to the draft."""

    def __init__(self, look: Look, ui: Ui) -> None:
        super().__init__()
        self.finding = Finding()
        self._look = look
        self._pictures = Pictures(self.run_worker, self.redraw)
        palette = palette_of(look, links=os.environ.get("TERM", "") not in LINKLESS_TERMINALS)
        self.column = Column(
            View(columns=LEAST_COLUMNS, look=look, palette=palette, ui=ui, pictures=self._pictures.rows)
        )
        self.viewport = Viewport(self.column)
        self.cursor: str | None = None
        self.origin = 0
        self.new_below: set[str] = set()
        self._is_settling = False
        self._size_known = Size()
        self._has_asked = False
        self._wants_all = False
        self.reading = Reading(self, ui)
        self._rows = Rows(self)

    def apply(self, change: Change) -> None:
        """Show what has changed."""
        first = self.column.apply(change.done, change.tail, is_reset=change.is_reset)
        if change.is_reset:
            self._has_asked = False
            self.new_below.clear()
            self.call_after_refresh(self.reading.look_on)
        if not self.viewport.is_following:
            self.new_below.update(block.key for block in self.column.blocks[first:] if not isinstance(block, ToolUse))
        self._settle(first)

    def prepend(self, blocks: Sequence[AnyBlock]) -> None:
        """Put older blocks before all others; what is in view stays where it is. None mean that there are no more."""
        self._has_asked = not blocks
        if blocks:
            self.column.prepend(blocks)
            self._settle()
            self.reading.more_blocks(blocks)
            if self._wants_all:
                self.want_all()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return lines of what is in view as they go to the screen, in place of what Textual would keep by rows."""
        return self._rows.finished(crop)

    def render_line(self, y: int) -> Strip:
        """Return one line of what is in view."""
        return self._rows.row(y)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the user: a step goes over lines as they are, a jump to where the guess is.

        While the size changes, the offset is cut to what fits; that is nobody's wish.
        """
        if not self._is_settling and self.container_size == self._size_known:
            step = round(new_value) - self.viewport.top
            if step and abs(step) <= 3 * self.viewport.rows:
                self.viewport.by(step)
            elif step:
                self.viewport.to(round(new_value))
            self._settle()
        super().watch_scroll_y(old_value, self.scroll_y)

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for another width; the line at the top stays there."""
        del event
        region = self.scrollable_content_region
        self._size_known = self.container_size
        self.viewport.rows = region.height
        columns = max(region.width - GUTTER, LEAST_COLUMNS)
        if columns != self.column.view.columns:
            self._look_so(replace(self.column.view, columns=columns))
        self._settle()

    def see(self, what: str) -> None:
        """Show more or less of everything: `thinking`, `outputs` or `times`."""
        view = self.column.view
        match what:
            case "thinking":
                view = replace(view, thinking=not view.thinking)
            case "outputs":
                self.column.opened.clear()
                view = replace(view, outputs=not view.outputs)
            case _:
                view = replace(view, times=not view.times)
        self._look_so(view)
        self._settle()

    def redraw(self) -> None:
        """Draw anew what hangs on more than blocks: a picture has come."""
        self._look_so(replace(self.column.view))
        self._settle()

    def relook(self) -> None:
        """Draw anew with the colours that the terminal is known to have now."""
        links = self.column.view.palette.links
        self._look_so(replace(self.column.view, palette=palette_of(self._look, links=links)))
        self._settle()

    def attach(self, here: Opened) -> None:
        """Find pictures and files of this Session from now on."""
        self.find_pictures(here.blob)
        self.reading.here = here

    def find_pictures(self, blob: Callable[[str], bytes | None]) -> None:
        """Find pictures by their SHA-256 with `blob`, which may block."""
        self._pictures.blob = blob

    def want_all(self) -> None:
        """Ask for all that lies back, a piece at a time."""
        self._wants_all = True
        if not self._has_asked:
            self._has_asked = True
            self.post_message(self.WantsOlder())

    def leave(self) -> None:
        """Let the user go back to the draft."""
        self.post_message(self.Left())

    async def run_outside(self, command: list[str], environ: Mapping[str, str]) -> None:
        """Give the terminal to a program until it ends. Raises `ConfigError` if it cannot be started."""
        await outside(self.app, run(command, environ))

    def scroll_by(self, lines: int) -> None:
        """Scroll by lines, at once."""
        self.viewport.by(lines)
        self._settle()

    def go_to_start(self) -> None:
        """Go to the first line that is there."""
        self.viewport.to(0)
        self._settle()

    def go_to_end(self) -> None:
        """Go to the end and follow it."""
        self.viewport.follow()
        self._settle()

    def jump(self, by: int) -> None:
        """Go to the next message of the user, or to the one before."""
        index, _ = self.column.at(self.viewport.top) if self.column.blocks else (-1, 0)
        at_block = self.viewport.anchor is not None and self.viewport.anchor.line == 0
        step = range(index + 1, len(self.column.blocks)) if by > 0 else range(index - at_block, -1, -1)
        for number in step:
            block = self.column.blocks[number]
            if isinstance(block, Posted) and block.message.kind == "user":
                self.viewport.go_to(Place(block.key, 0))
                break
        else:
            (self.go_to_end if by > 0 else self.go_to_start)()
        self._settle()

    def move_cursor(self, by: int) -> None:
        """Move the cursor to another block, and bring it into view."""
        key = self.cursor if self.cursor and self.column.index_of(self.cursor) is not None else None
        index = self.column.index_of(key or self.viewport.bottom_key() or "")
        if index is None:
            return
        index = min(max(index + by, 0), len(self.column.blocks) - 1)
        self.cursor = self.column.blocks[index].key
        self.viewport.reveal(Place(self.cursor, 0))
        self._settle()

    def toggle(self, key: str) -> None:
        """Unfold a block, or fold it again."""
        index = self.column.index_of(key)
        if index is not None and is_foldable(self.column.blocks[index]):
            self.column.fold(key, is_open=key not in self.column.opened)
            self._settle()

    def show_found(self) -> None:
        """Bring what the search looks at into view, unfolded if it has to be."""
        key = self.finding.current
        if key is not None and (index := self.column.index_of(key)) is not None:
            line = self._found_line(index)
            if line is None and is_foldable(self.column.blocks[index]):
                self.column.fold(key, is_open=True)
                line = self._found_line(index)
            self.cursor = key
            self.viewport.reveal(Place(key, line or 0), margin=self.viewport.rows // 3)
        self._settle()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return what is selected as it was written, without signs, borders and soft line ends."""
        return selected_text(self.column, selection, self.origin, GUTTER), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw what is selected now."""
        del selection
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Follow a link or path, go to the end by its sign, or unfold what was clicked."""
        number = self.viewport.top + event.y
        if number >= self.column.total or self.text_selection is not None:
            return
        if event.y == self.viewport.rows - 1 and self.new_below and event.x >= self._rows.pill_at:
            self.go_to_end()
            return
        index, within = self.column.at(number)
        block = self.column.blocks[index]
        if target := target_at(self.column.lines(index)[within], event.x - GUTTER):
            self.run_worker(self.reading.pointed(*target))
        else:
            self.cursor = block.key
            self.toggle(block.key)

    def on_focus(self) -> None:
        """Show the cursor."""
        self.move_cursor(0)

    def on_blur(self) -> None:
        """Hide the cursor."""
        self.refresh()

    def action_step(self, by: int) -> None:
        """Move the cursor."""
        self.move_cursor(by)

    def action_fold(self) -> None:
        """Unfold or fold the block with the cursor; a picture is shown large instead."""
        self.move_cursor(0)
        index = self.column.index_of(self.cursor) if self.cursor else None
        if index is not None and not self.reading.shows_pictures(self.column.blocks[index]):
            self.toggle(self.column.blocks[index].key)

    def action_want(self, what: str) -> None:
        """Let something be done with the block that has the cursor."""
        if what != "leave":
            self.move_cursor(0)
        index = self.column.index_of(self.cursor) if self.cursor else None
        if what == "leave":
            self.finding.clear()
            self.leave()
        elif index is not None:
            self.run_worker(self.reading.wanted(what, self.column.blocks[index]))

    def action_found(self, by: int) -> None:
        """Go to the next place that was found, or to the one before."""
        self.reading.stepped(by)

    def _settle(self, first: int | None = None) -> None:
        """Bring into view what has to be there, and draw what is new; from the block `first` on, if that is known."""
        column, viewport = self.column, self.viewport
        held, top = viewport.anchor, viewport.top
        viewport.settle()
        if held is not None and (line := column.line_of(held)) is not None:
            self.origin += line - top
        if viewport.is_following:
            self.new_below.clear()
        self._scroll_there()
        if first is not None and held is not None and held == viewport.anchor:
            self._refresh_from(first)
        else:
            self.refresh()
        if viewport.top < NEAR_LINES and column.blocks and not self._has_asked:
            self._has_asked = True
            self.post_message(self.WantsOlder())

    def _scroll_there(self) -> None:
        self._is_settling = True
        try:
            self.extend(Size(self.size.width, self.column.total), self.viewport.top)
            self.scroll_target_y = self.scroll_y = self.viewport.top
        finally:
            self._is_settling = False

    def _refresh_from(self, first: int) -> None:
        """Draw the lines from a block on, without those of it that are as they were."""
        column, viewport = self.column, self.viewport
        line = column.top(first)
        if first < len(column.blocks) and viewport.top <= line + column.height(first) and column.is_measured(first):
            line += column.laid(first).changed
        row = max(line - viewport.top, 0)
        if row < viewport.rows:
            self.refresh(Region(0, row, self.size.width, viewport.rows - row))

    def _found_line(self, index: int) -> int | None:
        """Return the first line of a block that holds the word; of a long text only what may hold it is laid out."""
        word, column = self.finding.word.lower(), self.column
        count, at = len(column.laid(index).having(word)), 0
        while at < count:
            first, last = column.laid(index).having(word)[at]
            begins = column.top(index)
            while (grown := column.lay_between(begins + first, begins + last)) is not None:
                self.viewport.keep(grown)
                begins, (first, last) = column.top(index), column.laid(index).having(word)[at]
            lines = column.lines(index)[first:last]
            line = next((first + number for number, line in enumerate(lines) if word in line.text.lower()), None)
            if line is not None:
                return line
            at += 1
        return None

    def _look_so(self, view: View) -> None:
        """Look at everything in another way; what is at the top of the view stays there."""
        anchor = self.viewport.anchor
        spot = self.column.spot(anchor) if anchor is not None and not self.viewport.is_following else None
        self.column.look(view)
        if anchor is not None and spot is not None and (place := self.column.place_at(anchor.key, spot)) is not None:
            self.viewport.anchor = place
