"""The last line of a panel: its keys, as they are bound now, as many as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from yeaft.interfaces.cli.terminal_text import width
from yeaft.interfaces.key_names import chord_text, text_code
from yeaft.interfaces.tui.lines_view import LinesView
from yeaft.interfaces.tui.transcript.line import Line, text_line

if TYPE_CHECKING:
    from yeaft.interfaces.tui.lines_view import Lay
    from yeaft.interfaces.tui.panels.situation import Situation

GAP = "  "
MOST_LINES = 2
HERE = "_here"
"""What ends the name of a key that is said to do something else here than what is said of it everywhere."""


def hint_line(situation: Situation, key_ids: Sequence[str]) -> LinesView:
    """Return the line for these keys, the most needed first; the last one, which leaves the panel, is always there."""
    return LinesView(hint_lay(situation, key_ids), classes="hint")


def hint_lay(situation: Situation, key_ids: Sequence[str]) -> Lay:
    """Return what lays these keys out."""
    named = [(situation.keys_of(key_id.removesuffix(HERE)), situation.text(text_code(key_id))) for key_id in key_ids]
    hints = [f"{chord_text(chords[0])} {what}" for chords, what in named if chords]

    def lay(columns: int) -> list[Line]:
        return [text_line(line) for line in hint_lines(hints, columns)]

    return lay


def hint_lines(hints: Sequence[str], columns: int) -> list[str]:
    """Return hints in at most two lines, broken only between them; from the last but one on they are left out."""
    kept = list(hints)
    while len(lines := _filled(kept, columns)) > MOST_LINES and len(kept) > 1:
        kept.pop(-2)
    return lines


def _filled(hints: Sequence[str], columns: int) -> list[str]:
    lines = list[str]()
    for hint in hints:
        if lines and width(lines[-1]) + len(GAP) + width(hint) <= columns:
            lines[-1] += f"{GAP}{hint}"
        else:
            lines.append(hint)
    return lines
