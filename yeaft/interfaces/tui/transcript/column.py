"""All blocks of a transcript one below the other; how high one is is a guess until somebody comes near."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from yeaft.interfaces.tui.blocks import AnyBlock, Heading, Posted, Remark, Thought, ToolUse, TurnOver, Words
from yeaft.interfaces.tui.transcript.block_lines import LONGEST_LINES
from yeaft.interfaces.tui.transcript.laid import Laid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yeaft.interfaces.tui.transcript.line import Line
    from yeaft.interfaces.tui.transcript.view import View

MOST_KEPT_LINES = 4_000
LEAST_KEPT_BLOCKS = 128
"""What was laid out is kept up to so many lines, but for the blocks that were asked for last: those are in view."""


class Place(NamedTuple):
    """A line of a block: what stays the same whatever happens above it."""

    key: str
    line: int


class Grown(NamedTuple):
    """What was laid out of a block that was a guess before; the lines that follow it stand `by` lines further down."""

    key: str
    start: int = 0
    end: int = 0
    by: int = 0

    def moved(self, place: Place) -> Place:
        """Return where a place is now."""
        if place.key != self.key or place.line < self.start:
            return place
        if place.line >= self.end:
            return Place(place.key, place.line + self.by)
        return Place(place.key, max(min(place.line, self.end + self.by - 1), 0))


class Column:
    """Blocks with their heights in lines. Lines are counted from the top of the first block."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.blocks: list[AnyBlock] = []
        self.opened: set[str] = set()
        self._heights: list[int] = []
        self._measured: list[bool] = []
        self._tops: list[int] = [0]
        self._index: dict[str, int] = {}
        self.tail_start = 0
        self._laid: OrderedDict[str, Laid] = OrderedDict()
        self._kept = 0

    @property
    def total(self) -> int:
        """How many lines there are, as far as is known."""
        return self._top(len(self.blocks))

    def index_of(self, key: str) -> int | None:
        """Where a block is; None if it is not there any more."""
        return self._index.get(key)

    def top(self, index: int) -> int:
        """Return the first line of a block, or the line after the last one."""
        return self._top(index)

    def height(self, index: int) -> int:
        """Return how many lines a block has, as far as is known."""
        return self._heights[index]

    def at(self, line: int) -> tuple[int, int]:
        """Return the block that a line belongs to, and the line within it. There must be a block."""
        self._top(len(self.blocks))
        index = min(bisect_right(self._tops, max(line, 0)) - 1, len(self.blocks) - 1)
        return index, min(line - self._tops[index], self._heights[index] - 1)

    def place(self, line: int) -> Place | None:
        """Return what stands at a line; None if there is nothing."""
        if not self.blocks:
            return None
        index, within = self.at(line)
        return Place(self.blocks[index].key, within)

    def line_of(self, place: Place) -> int | None:
        """Return where a place is now; the nearest line of its block if that has become shorter."""
        index = self._index.get(place.key)
        return None if index is None else self._top(index) + min(place.line, self._heights[index] - 1)

    def lines(self, index: int) -> list[Line]:
        """Return the lines of a block, and know from then on how many there are."""
        return self.laid(index).lines

    def laid(self, index: int) -> Laid:
        """Return a block as it is laid out, and know from then on how high it is."""
        block = self.blocks[index]
        is_open = block.key in self.opened
        laid = self._laid.get(block.key)
        if laid is None:
            laid = self._laid[block.key] = Laid(block, self.view, is_open=is_open)
            self._kept += len(laid.lines)
        else:
            self._kept -= len(laid.lines)
            laid.update(block, self.view, is_open=is_open)
            self._kept += len(laid.lines)
            self._laid.move_to_end(block.key)
        self._set_height(index, len(laid.lines))
        while self._kept > MOST_KEPT_LINES and len(self._laid) > LEAST_KEPT_BLOCKS:
            _, oldest = self._laid.popitem(last=False)
            self._kept -= len(oldest.lines)
        return laid

    def lay_between(self, top: int, bottom: int) -> Grown | None:
        """Lay out the last of what is a guess from one line to before another; None if all of it is known."""
        if not self.blocks or bottom <= 0:
            return None
        index, _ = self.at(min(bottom, self.total) - 1)
        while True:
            was_measured, height = self._measured[index], self._heights[index]
            laid = self.laid(index)
            if not was_measured and len(laid.lines) != height:
                return Grown(self.blocks[index].key)
            begins = self._top(index)
            moved = laid.lay(max(top - begins, 0), bottom - begins)
            if moved is not None:
                self._kept += moved.by
                self._set_height(index, len(laid.lines))
                return Grown(self.blocks[index].key, *moved)
            if not index or begins <= top:
                return None
            index -= 1

    def spot(self, place: Place) -> tuple[int, float] | None:
        """Return what a place stays at where all is laid out in another way; None where its line is all there is."""
        laid = self._laid.get(place.key)
        return laid.spot(place.line) if laid is not None else None

    def place_at(self, key: str, spot: tuple[int, float]) -> Place | None:
        """Return the place of a spot as all is laid out now; None if the block is not there any more."""
        if (index := self._index.get(key)) is None:
            return None
        laid = self.laid(index)
        before, line = len(laid.lines), laid.line_at(spot)
        self._kept += len(laid.lines) - before
        self._set_height(index, len(laid.lines))
        return Place(key, line)

    def is_measured(self, index: int) -> bool:
        """Whether the height of a block is more than a guess."""
        return self._measured[index]

    def apply(self, done: Sequence[AnyBlock], tail: Sequence[AnyBlock], *, is_reset: bool) -> int:
        """Put what follows in the place of the tail that was there; return the first block that has changed."""
        if is_reset:
            self._cut(0)
            self.tail_start = 0
            self._laid.clear()
            self._kept = 0
        before = {
            block.key: (block, self._heights[self.tail_start + number], self._measured[self.tail_start + number])
            for number, block in enumerate(self.blocks[self.tail_start :])
        }
        following = [*done, *tail]
        start = self.tail_start
        for old, new in zip(self.blocks[self.tail_start :], following, strict=False):
            if old is not new and old != new:
                break
            start += 1
        self._cut(start)
        for block in following[start - self.tail_start :]:
            old_block, height, was_measured = before.get(block.key, (None, 0, False))
            is_same = old_block == block
            self._append(block, height or self._guess(block), is_measured=is_same and was_measured)
        self.tail_start += len(done)
        return start

    def prepend(self, blocks: Sequence[AnyBlock]) -> None:
        """Put older blocks before all others."""
        self.blocks[:0] = blocks
        self._heights[:0] = [self._guess(block) for block in blocks]
        self._measured[:0] = [False] * len(blocks)
        self.tail_start += len(blocks)
        self._index = {block.key: number for number, block in enumerate(self.blocks)}
        self._tops = [0]

    def look(self, view: View) -> None:
        """Look at everything in another way; all heights are guesses again."""
        self.view = view
        self._heights = [self._guess(block) for block in self.blocks]
        self._measured = [False] * len(self.blocks)
        self._tops = [0]

    def fold(self, key: str, *, is_open: bool) -> None:
        """Unfold or fold a block."""
        (self.opened.add if is_open else self.opened.discard)(key)
        if (index := self._index.get(key)) is not None:
            self._measured[index] = False

    def _append(self, block: AnyBlock, height: int, *, is_measured: bool) -> None:
        self._index[block.key] = len(self.blocks)
        self.blocks.append(block)
        self._heights.append(height)
        self._measured.append(is_measured)

    def _cut(self, start: int) -> None:
        for block in self.blocks[start:]:
            self._index.pop(block.key, None)
        del self.blocks[start:], self._heights[start:], self._measured[start:], self._tops[start + 1 :]

    def _set_height(self, index: int, height: int) -> None:
        self._measured[index] = True
        if self._heights[index] != height:
            self._heights[index] = height
            del self._tops[index + 1 :]

    def _top(self, index: int) -> int:
        known = len(self._tops)
        if index >= known:
            more = accumulate(self._heights[known - 1 :], initial=self._tops[-1])
            next(more)
            self._tops += more
        return self._tops[index]

    def _guess(self, block: AnyBlock) -> int:
        """Return about how high a block will be; exact for most calls and headings."""
        columns = max(self.view.columns - 4, 8)
        match block:
            case ToolUse(call=call):
                failed = call.finished is not None and call.finished.status in ("failed", "lost", "unknown")
                return 1 + failed
            case Heading() | TurnOver():
                return 2
            case Thought():
                return 1
            case Posted(message=message):
                return 1 + min(_guess_lines(message.text, columns), LONGEST_LINES + 1)
            case Remark(text=text, follows=follows):
                return 1 - follows + _guess_lines(text, columns)
            case Words(text=text):
                return 1 + _guess_lines(text, columns)


def _guess_lines(text: str, columns: int) -> int:
    return text.count("\n") + 1 + len(text) // columns
