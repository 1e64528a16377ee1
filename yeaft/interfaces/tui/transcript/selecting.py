"""What was selected with the mouse, as it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.selection import Selection

    from yeaft.interfaces.tui.transcript.column import Column


def selected_text(column: Column, selection: Selection, origin: int, gutter: int) -> str:
    """Return the source of what is selected, without signs, borders and soft line ends.

    Lines of a selection count from `origin`; `gutter` characters stand before each line.
    """
    if not column.blocks:
        return ""
    total = column.total
    first = selection.start.y + origin if selection.start else 0
    last = selection.end.y + origin if selection.end else total - 1
    found = list[str]()
    for number in range(max(first, 0), min(last, total - 1) + 1):
        index, within = column.at(number)
        if (waiting := column.laid(index).waiting_at(within)) is not None:
            found += (text for line in waiting for text in (line.source(), line.joint))
            continue
        line = column.lines(index)[within]
        start, end = selection.get_span(number - origin) or (0, 0)
        found += (line.source(max(start - gutter, 0), None if end < 0 else max(end - gutter, 0)), line.joint)
    return "".join(found[:-1])
