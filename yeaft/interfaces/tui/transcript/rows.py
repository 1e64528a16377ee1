"""Draws the lines of a transcript that are in view; one that was in view before, and has only moved, not again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from yeaft.interfaces.tui.transcript.painting import Span, occurrences, painted

if TYPE_CHECKING:
    from textual.color import Color
    from textual.filter import LineFilter
    from textual.geometry import Region

    from yeaft.interfaces.tui.transcript.line import Line
    from yeaft.interfaces.tui.transcript.transcript import Transcript

GUTTER = 1
"""The columns on the left in which the cursor stands."""


class Ways(NamedTuple):
    """How all lines are drawn: so wide, on this ground, and through these filters."""

    width: int
    ground: Style
    behind: Color
    filters: tuple[LineFilter, ...]

    def finished(self, strip: Strip) -> Strip:
        """Return a line as it goes to the screen."""
        for each in self.filters:
            strip = strip.apply_filter(each, self.behind)
        return strip


class Drawn(NamedTuple):
    """A line as it went to the screen, and how it was drawn."""

    strip: Strip
    line: Line
    ways: Ways


class Rows:
    """Serves one transcript. Rows are counted from the top of what is in view."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._kept: dict[tuple[str, int], Drawn] = {}
        self._ways: Ways | None = None

    def finished(self, crop: Region) -> list[Strip]:
        """Return rows as they go to the screen."""
        transcript = self._transcript
        filters, (_, behind) = tuple(transcript.get_line_filters()), transcript.background_colors
        ways = Ways(transcript.size.width, transcript.visual_style.rich_style, behind, filters)
        if self._ways is not None and self._ways == ways:
            ways = self._ways
        self._ways = ways
        kept = dict[tuple[str, int], Drawn]()
        first, last = crop.column_span
        strips = [self._finished(y, ways, kept).crop(first, last) for y in crop.line_range]
        if crop.height == transcript.size.height:
            self._kept = kept
        return strips

    def row(self, y: int) -> Strip:
        """Return one row before the filters of the screen, whose parts know where they are to those who select."""
        return self._row(y, has_offsets=True).simplify()

    @property
    def pill_at(self) -> int:
        """Where the sign begins that there is more below: it stands on the right, before the scroll bar."""
        return self._transcript.scrollable_content_region.width - cell_len(self._pill())

    def _finished(self, y: int, ways: Ways, kept: dict[tuple[str, int], Drawn]) -> Strip:
        """Return one row, and keep it for the next time if it is as it will be wherever it stands."""
        transcript, column = self._transcript, self._transcript.column
        number = transcript.viewport.top + y
        is_marked = transcript.finding.word or transcript.text_selection or self._has_pill(y)
        if is_marked or number >= column.total:
            return ways.finished(self._row(y))
        index, within = column.at(number)
        key = column.blocks[index].key
        if transcript.has_focus and key == transcript.cursor:
            return ways.finished(self._row(y))
        line, drawn = column.lines(index)[within], self._kept.get((key, within))
        if drawn is None or drawn.ways is not ways or drawn.line != line:
            # only now: a filter may do with a bar what it does not with the words beside it
            drawn = Drawn(ways.finished(self._row(y)).simplify(), line, ways)
        kept[key, within] = drawn
        return drawn.strip

    def _row(self, y: int, *, has_offsets: bool = False) -> Strip:
        transcript, column = self._transcript, self._transcript.column
        number = transcript.viewport.top + y
        width, ground = transcript.size.width, transcript.visual_style.rich_style
        if number >= column.total or not column.blocks:
            return Strip.blank(width, ground)
        strip = self._strip(*column.at(number))
        if self._has_pill(y):
            return self._with_pill(strip).adjust_cell_length(width).apply_style(ground)
        told = number - transcript.origin
        strip = self._selected(strip, told)
        if has_offsets:
            strip = strip.apply_offsets(0, told)
        return strip.adjust_cell_length(width).apply_style(ground)

    def _strip(self, index: int, within: int) -> Strip:
        transcript, view = self._transcript, self._transcript.column.view
        line = transcript.column.lines(index)[within]
        segments, columns = [Segment(" " * GUTTER), *line.segments()], GUTTER + line.width
        if word := transcript.finding.word:
            is_current = transcript.column.blocks[index].key == transcript.finding.current
            style = view.palette.found if is_current else view.palette.found_too
            segments = painted(segments, occurrences(f"{' ' * GUTTER}{line.text}", word, style))
        if transcript.has_focus and transcript.column.blocks[index].key == transcript.cursor:
            segments[0] = Segment(view.sign("▌", ">"), view.palette.cursor)
        return Strip(segments, columns)

    def _selected(self, strip: Strip, y: int) -> Strip:
        transcript = self._transcript
        selection = transcript.text_selection
        span = selection.get_span(y) if selection else None
        if span is not None:
            style = transcript.screen.get_component_rich_style("screen--selection")
            end = len(strip.text) if span[1] < 0 else span[1]
            return Strip(painted([*strip], [Span(max(span[0], GUTTER), end, style)]), strip.cell_length)
        return strip

    def _has_pill(self, y: int) -> bool:
        viewport = self._transcript.viewport
        return y == viewport.rows - 1 and not viewport.is_following

    def _pill(self) -> str:
        view, count = self._transcript.column.view, len(self._transcript.new_below)
        said = f" {view.ui.text('transcript.new_below', count=count)}" if count else ""
        return f" {view.sign('↓', 'v')}{said} "

    def _with_pill(self, strip: Strip) -> Strip:
        style = Style(reverse=True, bold=bool(self._transcript.new_below))
        return Strip.join((strip.adjust_cell_length(self.pill_at), Strip([Segment(self._pill(), style)])))
