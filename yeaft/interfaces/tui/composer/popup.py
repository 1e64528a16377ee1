"""The list above the draft that completes what is being written, in sections, with one row chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual.widgets import Static

from yeaft.interfaces.cli.terminal_text import cut, width
from yeaft.tools.policy.visible import visible_on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual import getters
    from textual.app import App

    from yeaft.interfaces.tui.composer.candidates import Candidate
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui

MOST_ROWS = 9
MOST_CHARS = 300
LEAST_LABEL_COLUMNS, MOST_LABEL_COLUMNS = 16, 38
LABEL_SHARE = 3 / 8
"""Of the columns, the labels have so many; what they are about begins behind them, in the same column of all rows."""
GAP = "  "


class Popup(Static):
    """Shows candidates, of which `chosen` is marked. Closed when there are none."""

    if TYPE_CHECKING:
        app = getters.app(App[int])  # textual leaves open what its App returns

    DEFAULT_CSS = """
    Popup { height: auto; max-height: 9; display: none; background: $surface; }
    Popup { text-wrap: nowrap; text-overflow: ellipsis; }
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

    def on_resize(self) -> None:
        """Fit into the new width."""
        if self._shown is not None and self._shown[0]:
            self.update(self._drawn(*self._shown))

    @property
    def _columns(self) -> int:
        return self.size.width or self.app.size.width or 80

    def _drawn(self, candidates: Sequence[Candidate], chosen: int) -> Text:
        rows = list(self._rows(candidates, chosen))
        at = next((number for number, (_, is_chosen) in enumerate(rows) if is_chosen), 0)
        top = max(0, min(at - MOST_ROWS // 2, len(rows) - MOST_ROWS))
        shown = [row for row, _ in rows[top : top + MOST_ROWS]]
        self._tell_of_more(shown[0], "^" if self._look.is_plain else "↑", top)
        self._tell_of_more(shown[-1], "v" if self._look.is_plain else "↓", len(rows) - top - len(shown))
        text = Text("\n", no_wrap=True, overflow="ellipsis").join(shown)
        text.no_wrap, text.overflow = True, "ellipsis"
        return text

    def _tell_of_more(self, row: Text, sign: str, count: int) -> None:
        """Say at the end of a row how many more there are beyond it."""
        if count > 0:
            told = f" {sign}{count}"
            row.truncate(max(1, self._columns - len(told)), overflow="ellipsis", pad=True)
            row.append(told, style=Style(dim=True, bold=False))

    def _rows(self, candidates: Sequence[Candidate], chosen: int) -> Iterator[tuple[Text, bool]]:
        section = ""
        longest = {one.section: 0 for one in candidates}
        for one in candidates:
            longest[one.section] = max(longest[one.section], _label_columns(one))
        for number, candidate in enumerate(candidates):
            if candidate.section not in (section, "hint"):
                section = candidate.section
                yield Text(f"  {self._ui.text(f'composer.section_{section}')}", style=Style(dim=True)), False
            yield self._row(candidate, longest[candidate.section], number == chosen), number == chosen

    def _row(self, candidate: Candidate, longest: int, is_chosen: bool) -> Text:
        row = Text("  " if not is_chosen else "> " if self._look.is_plain else "▸ ")
        if candidate.vp_id:
            vp_look = self._look.of_vp(candidate.vp_id)
            row.append(f"{vp_look.glyph} ", style=vp_look.style)
        label = visible_on_one_line(candidate.label[:MOST_CHARS])
        if not candidate.detail:
            row.append(label)
        else:
            detail = visible_on_one_line(candidate.detail[:MOST_CHARS])
            begin = self._begin(candidate, label, detail, longest)
            row.append(_fitted(label, max(1, begin - row.cell_len - len(GAP))))
            row.append(" " * (begin - row.cell_len))
            row.append(detail, style=Style(dim=True, bold=False))
        if is_chosen:
            row.pad_right(max(0, self._columns - row.cell_len))
            row.stylize_before(self._look.chosen)
        return row

    def _begin(self, candidate: Candidate, label: str, detail: str, longest: int) -> int:
        """Return the column in which the detail begins; `longest` is what the longest label of its section takes."""
        behind = len(GAP) + width(label) + len(GAP)
        match candidate.section:
            case "hint":
                return max(behind, LEAST_LABEL_COLUMNS)
            case "history":
                return min(behind, max(LEAST_LABEL_COLUMNS, self._columns - width(detail)))
            case _:
                share = round(self._columns * LABEL_SHARE)
                return min(max(share, LEAST_LABEL_COLUMNS), MOST_LABEL_COLUMNS, longest + 2 * len(GAP))


def _label_columns(candidate: Candidate) -> int:
    glyph = 2 if candidate.vp_id else 0
    return glyph + width(visible_on_one_line(candidate.label[:MOST_CHARS]))


def _fitted(label: str, columns: int) -> str:
    """Return a label in so many columns; of an order or command, what it takes is left out before a part of that is."""
    name, _, takes = label.partition(" ")
    if width(label) > columns and takes and name.startswith("/"):
        return cut(f"{name} …", columns)
    return cut(label, columns)
