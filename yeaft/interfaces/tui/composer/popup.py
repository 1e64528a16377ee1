"""The list above the draft that completes what is being written, in sections, with one row chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual.widgets import Static

from yeaft.tools.policy.visible import visible_on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from yeaft.interfaces.tui.composer.candidates import Candidate
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui

MOST_ROWS = 9
MOST_CHARS = 300
LABEL_COLUMNS = 30


class Popup(Static):
    """Shows candidates, of which `chosen` is marked. Closed when there are none."""

    DEFAULT_CSS = """
    Popup { height: auto; max-height: 9; display: none; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, look: Look, ui: Ui) -> None:
        super().__init__(markup=False)
        self._look = look
        self._ui = ui
        self._shown: tuple[Sequence[Candidate], int] | None = None

    def show(self, candidates: Sequence[Candidate], chosen: int) -> None:
        """Show these candidates; none closes it."""
        if self._shown == (candidates, chosen):
            return
        self._shown = (candidates, chosen)
        self.display = bool(candidates)
        if candidates:
            self.update(self._drawn(candidates, chosen))

    def _drawn(self, candidates: Sequence[Candidate], chosen: int) -> Text:
        rows = list(self._rows(candidates, chosen))
        at = next((number for number, (_, is_chosen) in enumerate(rows) if is_chosen), 0)
        top = max(0, min(at - MOST_ROWS // 2, len(rows) - MOST_ROWS))
        text = Text("\n", no_wrap=True, overflow="ellipsis").join(row for row, _ in rows[top : top + MOST_ROWS])
        text.no_wrap, text.overflow = True, "ellipsis"
        return text

    def _rows(self, candidates: Sequence[Candidate], chosen: int) -> Iterator[tuple[Text, bool]]:
        section = ""
        for number, candidate in enumerate(candidates):
            if candidate.section not in (section, "hint"):
                section = candidate.section
                yield Text(f"  {self._ui.text(f'composer.section_{section}')}", style=Style(dim=True)), False
            yield self._row(candidate, number == chosen), number == chosen

    def _row(self, candidate: Candidate, is_chosen: bool) -> Text:
        mark = "  " if not is_chosen else "> " if self._look.is_plain else "▸ "
        row = Text(mark)
        if candidate.vp_id:
            vp_look = self._look.of_vp(candidate.vp_id)
            row.append(f"{vp_look.glyph} ", style=vp_look.style)
        label = visible_on_one_line(candidate.label[:MOST_CHARS])
        row.append(label)
        if candidate.detail:
            row.append(" " * max(2, LABEL_COLUMNS - row.cell_len))
            row.append(visible_on_one_line(candidate.detail[:MOST_CHARS]), style=Style(dim=True))
        if is_chosen:
            row.stylize(Style(bold=True, reverse=True), len(mark))
        return row
