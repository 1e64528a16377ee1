"""Where each line of a diff stands on the screen, one text above the other or both side by side."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, zip_longest
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.interfaces.proposals.hunks import Row
from yeaft.interfaces.tui.asks.shown_line import Span, rows_needed

if TYPE_CHECKING:
    from yeaft.interfaces.proposals.taking import Taking

LEAST_SPLIT_COLUMNS = 120
"""From here on there is room for both texts side by side."""
LEAST_NUMBERED_COLUMNS = 50
"""Below this, a line has one number only."""
Highlights = Mapping[tuple[int, str], Sequence[Sequence[Span]]]
"""The styles of lines by part and side ("-" or "+"), as far as they are known."""


class FileHead(Struct, frozen=True):
    """The name of a file, above its hunks."""

    part: int


class HunkHead(Struct, frozen=True):
    """What stands above each hunk; the lines it replaces and those it brings begin here, counted from 1."""

    hunk: int
    old: int
    new: int


class Pair(Struct, frozen=True):
    """What stands in one line: the old and the new text, or one of them; for text alone both are the same row."""

    part: int
    old: Row | None
    new: Row | None
    with_ends: bool = False


class Told(Struct, frozen=True):
    """A sentence, or a line of a command."""

    text: str


Item = FileHead | HunkHead | Pair | Told


class DiffLayout:
    """The items of a diff at a certain width, and the rows of the screen that each takes."""

    def __init__(self, items: Sequence[Item], columns: int, *, is_split: bool) -> None:
        self.items = items
        self.is_split = is_split
        numbers = [
            row.old or row.new for item in items if isinstance(item, Pair) for row in (item.old, item.new) if row
        ]
        self.digits = len(str(max(numbers, default=0)))
        self.numbers = 1 if is_split or columns < LEAST_NUMBERED_COLUMNS else 2
        gutter = self.numbers * (self.digits + 1) + 2
        self.text_columns = (columns - 3) // 2 - gutter if is_split else columns - gutter
        self._starts = [0, *accumulate(self._height(item, columns) for item in items)]

    @property
    def height(self) -> int:
        """How many rows all of it takes."""
        return self._starts[-1]

    def at(self, row: int) -> tuple[Item, int] | None:
        """Return what stands in a row, and the how manieth row of that it is."""
        if not 0 <= row < self.height:
            return None
        place = bisect_right(self._starts, row) - 1
        return self.items[place], row - self._starts[place]

    def row_of_hunk(self, hunk: int) -> int:
        """Return the row where a hunk begins."""
        places = (place for place, item in enumerate(self.items) if isinstance(item, HunkHead) and item.hunk == hunk)
        return self._starts[next(places, 0)]

    def _height(self, item: Item, columns: int) -> int:
        match item:
            case Pair(old=old, new=new):
                sides = {row.line for row in (old, new) if row is not None}
                return max(rows_needed(line, self.text_columns - 2 * item.with_ends) for line in sides)
            case Told(text=text):
                return rows_needed(text, columns)
            case FileHead() | HunkHead():
                return 1


def items_of(taking: Taking, *, is_split: bool) -> Iterator[Item]:
    """Yield what a diff is made of, from top to bottom."""
    seen = -1
    for number, (part, rows) in enumerate(taking.rows()):
        if part != seen and (len(taking.proposal.parts) > 1 or _needs_head(taking, part)):
            yield FileHead(part)
        seen = part
        old, new = [row.old for row in rows if row.old], [row.new for row in rows if row.new]
        yield HunkHead(number, next(iter(old), 0), next(iter(new), 0))
        with_ends = _differs_in_ends_alone(rows)
        yield from (_pairs(part, rows, with_ends=with_ends) if is_split else _singles(part, rows, with_ends=with_ends))
    yield from (Told(remark) for remark in taking.proposal.remarks)


def _needs_head(taking: Taking, part: int) -> bool:
    """Whether there is more to say of the only file than its name, which stands above anyway."""
    found = taking.part(part)
    return found.before is None or found.after is None or bool(found.target) or taking.proposal.tool == "NotebookEdit"


def _singles(part: int, rows: Sequence[Row], *, with_ends: bool) -> Iterator[Pair]:
    for row in rows:
        yield Pair(part, None if row.sign == "+" else row, None if row.sign == "-" else row, with_ends)


def _pairs(part: int, rows: Sequence[Row], *, with_ends: bool) -> Iterator[Pair]:
    """Yield lines that stay on both sides, and those that go beside those that come."""
    gone: list[Row] = []
    come: list[Row] = []
    for row in rows:
        if row.sign == "-":
            gone.append(row)
        elif row.sign == "+":
            come.append(row)
        else:
            yield from (Pair(part, old, new, with_ends) for old, new in zip_longest(gone, come))
            gone, come = [], []
            yield Pair(part, row, row)
    yield from (Pair(part, old, new, with_ends) for old, new in zip_longest(gone, come))


def _differs_in_ends_alone(rows: Sequence[Row]) -> bool:
    gone, come = ([row.line.rstrip("\r\n") for row in rows if row.sign == sign] for sign in "-+")
    return bool(gone) and gone == come
