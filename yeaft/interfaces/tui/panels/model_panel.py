"""Picks a model: those that can be used first, with window and price, and what the others lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from yeaft.events.ops import SetModel
from yeaft.interfaces.cli.terminal_text import cut, padded
from yeaft.interfaces.tui.panels.choice_panel import ChoicePanel
from yeaft.interfaces.tui.panels.filtered_list import Entry
from yeaft.interfaces.tui.panels.in_use import model_of
from yeaft.interfaces.tui.panels.shown_text import safe

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.model import ModelRow
    from yeaft.interfaces.tui.panels.situation import Situation

LEAST_REF_COLUMNS, MOST_REF_COLUMNS, WINDOW_COLUMNS, PRICE_COLUMNS = 20, 40, 7, 11
RIGHT_COLUMNS = WINDOW_COLUMNS + PRICE_COLUMNS + 3
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
        room = min(max(columns - RIGHT_COLUMNS, LEAST_REF_COLUMNS), MOST_REF_COLUMNS)
        return [_entry(situation, row, room, is_current=row.ref == current) for row in ordered]

    return ChoicePanel(
        situation,
        situation.text("order.model"),
        entries,
        lambda ref, who: SetModel(vp_id=who, model=ref),
        whom=[vp_id] if vp_id else ["", *situation.vp_ids],
    )


def _entry(situation: Situation, row: ModelRow, room: int, *, is_current: bool) -> Entry:
    ref = safe(row.ref)
    mark = "*" if is_current else " "
    price = "-" if row.price is None else f"${row.price.input:g}/{row.price.output:g}"
    shown = Text(f"{mark} {padded(cut(ref, room), room)} ", no_wrap=True, overflow="ellipsis")
    shown.append(padded(_k(row.context_tokens), WINDOW_COLUMNS))
    shown.append(padded(price, PRICE_COLUMNS))
    through = safe(row.through)
    shown.append(through if row.usable else situation.text("panel.model_lacks", what=through), style=DIM)
    if not row.usable:
        shown.stylize(DIM)
    return Entry(row.ref, shown, f"{ref} {' '.join(row.aliases)} {through}")


def _k(tokens: int) -> str:
    return f"{tokens // THOUSAND}k" if tokens >= THOUSAND else str(tokens)
