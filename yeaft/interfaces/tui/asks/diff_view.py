"""What is asked about, to be looked at: a diff or a command. Only the lines that can be seen are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from yeaft.interfaces.cli.terminal_text import cut, unmasked
from yeaft.interfaces.tui.asks.diff_layout import (
    LEAST_SPLIT_COLUMNS,
    DiffLayout,
    FileHead,
    Highlights,
    HunkHead,
    Pair,
    Told,
    items_of,
)
from yeaft.interfaces.tui.asks.shown_line import broken, pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from yeaft.interfaces.proposals.hunks import Row
    from yeaft.interfaces.proposals.taking import Taking
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui

GONE_DARK, COME_DARK = "#4a2126", "#173a26"
GONE_LIGHT, COME_LIGHT = "#ffdcd9", "#d3f5db"
NOTHING = Style.null()
DIM, BOLD = Style(dim=True), Style(bold=True)
BETWEEN = " | "
ENDS = {"\r\n": "␍␊", "\n": "␊", "\r": "␍", "": ""}
PLAIN_ENDS = {"\r\n": "\\r\\n", "\n": "\\n", "\r": "\\r", "": ""}


class DiffView(ScrollView, can_focus=False):
    """Shows a `Taking` or a text. `cursor` is the hunk that the user stands at while choosing, -1 while not."""

    DEFAULT_CSS = """
    DiffView { height: auto; scrollbar-size-vertical: 1; overflow-x: hidden; }
    """

    def __init__(self, look: Look, ui: Ui) -> None:
        super().__init__()
        self._look = look
        self._ui = ui
        self._taking: Taking | None = None
        self._told: tuple[str, ...] = ()
        self._highlights: Highlights = {}
        self._layout_made: DiffLayout | None = None
        self.cursor = -1
        self.wants_split = True

    @property
    def rows(self) -> int:
        """How many rows all of it takes."""
        return self._made().height

    def show(self, taking: Taking | None, told: Sequence[str] = ()) -> None:
        """Show a proposal below some sentences, from the top."""
        self._taking, self._told, self._highlights = taking, tuple(told), {}
        self.scroll_home(animate=False)
        self.lay_out()

    def colour(self, found: Highlights) -> None:
        """Take the colours of the texts that are shown."""
        self._highlights = found
        self.refresh()

    def lay_out(self) -> None:
        """Work out anew where everything stands."""
        self._layout_made = None
        self.virtual_size = Size(self._columns, self.rows)
        self.refresh(layout=True)

    def choose(self, taking: Taking, cursor: int) -> None:
        """Show which hunks are taken, with the one that the user stands at in view."""
        is_begun = (self.cursor < 0) != (cursor < 0)
        self._taking, self.cursor = taking, cursor
        if is_begun:
            self.lay_out()
        if cursor >= 0:
            row = self._made().row_of_hunk(cursor)
            self.scroll_to(y=max(0, row - 1), animate=False)
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return how many rows it would like."""
        del container, viewport, width
        return self.rows

    def on_resize(self, event: events.Resize) -> None:
        """Break lines anew where there is another width."""
        del event
        self.lay_out()

    def render_line(self, y: int) -> Strip:
        """Return one row of what is in view."""
        base = self.rich_style
        found = self._made().at(y + round(self.scroll_offset.y))
        segments: list[Segment] = []
        if found is not None:
            item, row = found
            match item:
                case FileHead(part=part):
                    segments = self._file_head(part)
                case HunkHead():
                    segments = self._hunk_head(item)
                case Pair():
                    segments = self._pair(item, row)
                case Told(text=text):
                    rows = broken(pieces(text, NOTHING, is_plain=self._look.is_plain), self._columns)
                    segments = [Segment(piece, style) for piece, style in rows[min(row, len(rows) - 1)]]
        return Strip(Segment.apply_style(segments, base)).adjust_cell_length(self.size.width, base)

    @property
    def _columns(self) -> int:
        return max(1, self.scrollable_content_region.width or self.size.width or 80)

    def _made(self) -> DiffLayout:
        if self._layout_made is None:
            is_split = self.wants_split and self._columns >= LEAST_SPLIT_COLUMNS
            told = [Told(text) for text in self._told]
            found = items_of(self._taking, is_split=is_split) if self._taking else ()
            items = [*told, *(Told(self._ui.retold(one.text)) if isinstance(one, Told) else one for one in found)]
            self._layout_made = DiffLayout(items, self._columns, is_split=is_split)
        return self._layout_made

    def _file_head(self, part: int) -> list[Segment]:
        assert self._taking is not None
        found = self._taking.part(part)
        code = "asks.new_file" if found.before is None else "asks.gone_file" if found.after is None else ""
        name = unmasked(found.name.replace("\n", " "))
        return [Segment(cut(self._ui.text(code, name=name) if code else name, self._columns), BOLD)]

    def _hunk_head(self, head: HunkHead) -> list[Segment]:
        assert self._taking is not None
        place = f"@@ {head.old or head.new} @@"
        count = len(self._taking.hunks)
        if self.cursor < 0:
            number = f"  {head.hunk + 1}/{count}" if count > 1 else ""
            return [Segment(place + number, DIM)]
        is_taken = head.hunk not in self._taking.left
        code = "asks.taken" if is_taken else "asks.left"
        text = f"[{'x' if is_taken else ' '}] {head.hunk + 1}/{count} {self._ui.text(code)}  {place}"
        is_at = head.hunk == self.cursor
        text = cut(f"{'> ' if is_at else '  '}{text}", self._columns)
        return [Segment(text, Style(bold=True, reverse=True) if is_at else BOLD if is_taken else DIM)]

    def _pair(self, pair: Pair, row: int) -> list[Segment]:
        if not self._made().is_split:
            side = pair.new or pair.old
            assert side is not None
            return self._side(pair, side, row)
        empty = self._made().text_columns + self._made().digits + 3
        left = self._side(pair, pair.old, row, "-") if pair.old else [Segment(" " * empty)]
        right = self._side(pair, pair.new, row, "+") if pair.new else []
        return [*Segment.adjust_line_length(left, empty), Segment(BETWEEN, DIM), *right]

    def _side(self, pair: Pair, side: Row, row: int, column: str = "") -> list[Segment]:
        """Return one row of one text: its numbers, its sign and as much of it as has room."""
        made = self._made()
        base = self._style(side.sign)
        spans = self._spans(pair.part, side)
        found = pieces(side.line, base, spans, is_plain=self._look.is_plain)
        if pair.with_ends and side.sign != " ":
            ends = PLAIN_ENDS if self._look.is_plain else ENDS
            found.append((ends[side.line[len(side.line.rstrip("\r\n")) :]], base + DIM))
        rows = broken(found, made.text_columns)
        numbers = (side.new if column == "+" else side.old,) if column else (side.old, side.new)
        if made.numbers < len(numbers):
            numbers = (side.new or side.old,)
        shown = " ".join(f"{number or '':>{made.digits}}" for number in numbers) if row == 0 else ""
        gutter = f"{shown:>{made.numbers * (made.digits + 1) - 1}} "
        if row >= len(rows):
            return [Segment(" " * (len(gutter) + 2 + made.text_columns), base)]
        text = [Segment(piece, style) for piece, style in rows[row]]
        line = [Segment(gutter, DIM), Segment(f"{side.sign if row == 0 else ' '} ", base + BOLD), *text]
        room = len(gutter) + 2 + made.text_columns
        return Segment.adjust_line_length(line, room, style=base if base.bgcolor else None)

    def _spans(self, part: int, side: Row) -> Sequence[tuple[int, int, Style]]:
        lines = self._highlights.get((part, "-" if side.sign == "-" else "+"), ())
        number = (side.old if side.sign == "-" else side.new) - 1
        return lines[number] if 0 <= number < len(lines) else ()

    def _style(self, sign: str) -> Style:
        if sign == " " or self._look.colours == "none":
            return NOTHING
        if self._look.colours == "ansi":
            return Style(color="red" if sign == "-" else "green")
        if self._look.is_dark:
            return Style(bgcolor=GONE_DARK if sign == "-" else COME_DARK)
        return Style(bgcolor=GONE_LIGHT if sign == "-" else COME_LIGHT)
