"""Picks a model: those that can be used first, with window and price, and what the others lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from yeaft.events.ops import SetModel
from yeaft.interfaces.tui.panels.choice_panel import ChoicePanel
from yeaft.interfaces.tui.panels.columns import MARGIN_COLUMNS, in_columns, widths
from yeaft.interfaces.tui.panels.filtered_list import Entry
from yeaft.interfaces.tui.panels.in_use import model_of
from yeaft.interfaces.tui.panels.shown_text import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yeaft.interfaces.cli.commands.model import ModelRow
    from yeaft.interfaces.tui.panels.situation import Situation

LEAST_COLUMNS = (20, 7, 11, 14)
THOUSAND = 1000
DIM = Style(dim=True)


def model_panel(situation: Situation, vp_id: str = "") -> ChoicePanel:
    """Return the picker, for everybody or one VP after another; with `vp_id` for that one alone."""

    def entries(whom: str, columns: int) -> list[Entry]:
        from yeaft.interfaces.cli.commands.model import Shelf

        current = model_of(situation, whom or situation.default_vp)
        shelf = Shelf(situation.desk())
        answering = shelf.answering()
        rows = {row.ref: row for row in (*((answering,) if answering else ()), *shelf.rows())}
        ordered = sorted(rows.values(), key=lambda row: (not row.usable, row.ref != current))
        widest = max((len(_k(row.context_tokens)) for row in ordered), default=0)
        told = [_told(situation, row, widest, is_current=row.ref == current) for row in ordered]
        room = widths(told, LEAST_COLUMNS, columns - MARGIN_COLUMNS)
        return [_entry(row, one, room) for row, one in zip(ordered, told, strict=True)]

    return ChoicePanel(
        situation,
        situation.text("panel.model_title"),
        entries,
        lambda ref, who: SetModel(vp_id=who, model=ref),
        whom=[vp_id] if vp_id else ["", *situation.vp_ids],
    )


def _told(situation: Situation, row: ModelRow, widest: int, *, is_current: bool) -> tuple[str, ...]:
    """Return mark and name, window (flush right in `widest` columns), price in and out, and what it uses or lacks."""
    through = safe(row.through)
    return (
        f"{'*' if is_current else ' '} {safe(row.ref)}",
        _k(row.context_tokens).rjust(widest),
        "-" if row.price is None else f"${row.price.input:g}/{row.price.output:g}",
        through if row.usable else situation.text("panel.model_lacks", what=through),
    )


def _entry(row: ModelRow, told: Sequence[str], columns: Sequence[int]) -> Entry:
    cells = in_columns(told, columns)
    shown = Text("".join(cells[:3]), no_wrap=True, overflow="ellipsis")
    shown.append("".join(cells[3:]), style=DIM)
    if not row.usable:
        shown.stylize(DIM)
    return Entry(row.ref, shown, f"{safe(row.ref)} {' '.join(row.aliases)} {safe(row.through)}")


def _k(tokens: int) -> str:
    return f"{tokens // THOUSAND}k" if tokens >= THOUSAND else str(tokens)
