"""How wide the columns of a list are: as what stands in them and, where there is less room, the least needed less."""

from __future__ import annotations

from collections.abc import Sequence

from yeaft.interfaces.cli.terminal_text import cut, padded, width

GAP, DOT = "  ", " · "
MARGIN_COLUMNS = 3
"""What a list takes around its lines: margins and a scroll bar."""
Cells = Sequence[str]


def widths(rows: Sequence[Cells], least: Sequence[int], room: int) -> list[int]:
    """Return the columns that each cell has in `room`, the most needed first; fewer than there are if not all fit.

    The last ones give way first, down to `least`; where that is not enough, they are left out. One in which nothing
    stands has no width and no gap before it.
    """
    if not rows:
        return []
    shown = [max(map(width, column)) for column in zip(*rows, strict=True)]
    leasts = [min(one, natural) for one, natural in zip(least, shown, strict=True)]
    while len(shown) > 1 and _with_gaps(leasts[: len(shown)]) > room:
        shown.pop()
    missing = _with_gaps(shown) - room
    for number in reversed(range(len(shown))):
        given = max(0, min(missing, shown[number] - leasts[number]))
        shown[number] -= given
        missing -= given
    return shown


def in_columns(cells: Cells, columns: Sequence[int]) -> list[str]:
    """Return the cells that are shown, each but the first one with the gap before it, all as wide as their columns."""
    pairs = enumerate(zip(cells, columns, strict=False))
    return [f"{GAP if number else ''}{padded(cut(cell, room), room)}" if room else "" for number, (cell, room) in pairs]


def joined(parts: Cells, room: int) -> str:
    """Return the first parts, as many as fit into `room` columns whole, with dots between them; one at least."""
    lines = (DOT.join(parts[:count]) for count in range(len(parts), 1, -1))
    return next((line for line in lines if width(line) <= room), parts[0])


def _with_gaps(columns: Sequence[int]) -> int:
    return sum(columns) + len(GAP) * sum(1 for column in columns[1:] if column)
