"""Tables: columns as wide as what is in them, and narrower where the screen is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from yeaft.interfaces.tui.transcript.line import Line, Part, decor
from yeaft.interfaces.tui.transcript.markdown.inline import inline_parts
from yeaft.interfaces.tui.transcript.wrapping import unbroken_columns, wrapped

if TYPE_CHECKING:
    from markdown_it.token import Token

    from yeaft.interfaces.tui.transcript.palette import Palette

LEAST_COLUMNS = 4
BETWEEN = 3
LONG_WORD = 30
"""Words wider than this are addresses and the like: a column may break them."""


class Cell(NamedTuple):
    """What is in a cell, and on which side it stands."""

    parts: list[Part]
    side: str = ""


def table_lines(tokens: Sequence[Token], columns: int, palette: Palette) -> list[Line]:
    """Return the lines of a table; where columns would break words, each row is a list of its cells instead."""
    rows = _rows(tokens, palette)
    count = max(map(len, rows), default=0)
    if not count:
        return []
    rows = [[*row, *([Cell([])] * (count - len(row)))] for row in rows]
    wanted = [max(_width(row[number]) for row in rows) for number in range(count)]
    room = columns - BETWEEN * (count - 1)
    least = [max(_least(row[number]) for row in rows) for number in range(count)]
    if sum(wanted) > room and sum(least) > room:
        return _as_lists(rows, columns, palette)
    widths = _shared(wanted, least, room)
    bar, line, cross = ("|", "-", "+") if palette.is_plain else ("│", "─", "┼")
    between = decor(f" {bar} ", palette.dim)
    lines = list[Line]()
    for number, row in enumerate(rows):
        lines += _row(row, widths, between)
        if not number:
            rule = f"{line}{cross}{line}".join(line * width for width in widths)
            lines.append(Line((decor(rule, palette.dim),)))
    return lines


def _rows(tokens: Sequence[Token], palette: Palette) -> list[list[Cell]]:
    rows, side, is_head = list[list[Cell]](), "", False
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            side, is_head = str(token.attrs.get("style", "")), token.type == "th_open"
        elif token.type == "inline":
            outer = palette.strong if is_head else None
            parts = (
                inline_parts(token.children or (), palette, outer)
                if outer
                else inline_parts(token.children or (), palette)
            )
            rows[-1].append(Cell(parts, side.removeprefix("text-align:")))
    return rows


def _width(cell: Cell) -> int:
    text = "".join(part.text for part in cell.parts)
    return max(map(cell_len, text.split("\n")), default=0) or 1


def _least(cell: Cell) -> int:
    """Return how narrow a cell may be: as its longest word, and no narrower than a column is at all."""
    text = "".join(part.text for part in cell.parts)
    word = min(max(map(unbroken_columns, text.split("\n"))), LONG_WORD)
    return max(word, min(_width(cell), LEAST_COLUMNS))


def _shared(wanted: list[int], least: list[int], room: int) -> list[int]:
    """Return widths that fit into `room`, which has place for `least`: the widest that can give way do so first."""
    widths = list(wanted)
    excess = sum(widths) - room
    while excess > 0:
        giving = [number for number, width in enumerate(widths) if width > least[number]]
        widest = max(widths[number] for number in giving)
        several = [number for number in giving if widths[number] == widest]
        below = max((widths[number] for number in giving if widths[number] < widest), default=0)
        target = max(below, widest - -(-excess // len(several)))
        for number in several:
            step = min(widths[number] - max(target, least[number]), excess)
            widths[number] -= step
            excess -= step
    return widths


def _row(row: list[Cell], widths: list[int], between: Part) -> list[Line]:
    """Return the lines of one row; only the last one ends a line of the source."""
    cells = [wrapped(cell.parts, width) for cell, width in zip(row, widths, strict=True)]
    lines = list[Line]()
    for number in range(max(map(len, cells))):
        parts = list[Part]()
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            if place:
                parts.append(between._replace(source="\t"))
            line = cell[number] if number < len(cell) else Line()
            blank = width - line.width
            left = blank if row[place].side == "right" else blank // 2 if row[place].side == "center" else 0
            parts += [decor(" " * left), *line.parts, decor(" " * (blank - left))]
        lines.append(Line(tuple(part for part in parts if part.text)))
    return lines


def _as_lists(rows: list[list[Cell]], columns: int, palette: Palette) -> list[Line]:
    head, *others = rows
    lines = list[Line]()
    for row in others or [head]:
        if lines:
            lines.append(Line())
        for name, cell in zip(head, row, strict=True):
            parts = [*name.parts, Part(": ", palette.dim), *cell.parts] if others else cell.parts
            lines += wrapped(parts, columns)
    return lines
