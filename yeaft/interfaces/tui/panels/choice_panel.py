"""Picks one of a few things: an effort, a mode."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from yeaft.config.settings import EFFORTS
from yeaft.events.ops import SetMode, SetModel
from yeaft.interfaces.orders import MODES, THEMES, Choose
from yeaft.interfaces.tui.panels.bound import bound
from yeaft.interfaces.tui.panels.columns import MARGIN_COLUMNS
from yeaft.interfaces.tui.panels.filtered_list import Entry, FilteredList
from yeaft.interfaces.tui.panels.in_use import efforts_of, model_of
from yeaft.interfaces.tui.panels.list_panel import ListPanel
from yeaft.interfaces.tui.panels.shown_text import hung

if TYPE_CHECKING:
    from textual import events

    from yeaft.interfaces.orders import Deed
    from yeaft.interfaces.tui.panels.situation import Situation

NAME_COLUMNS = 10
LEAST_TOLD_COLUMNS = 16
Entries = Callable[[str, int], Sequence[Entry]]
"""Gives what there is to choose for one VP, or for everybody if its id is empty, in so many columns. It may block."""


class ChoicePanel(ListPanel):
    """Returns what `deed` makes of the chosen key and of the VP it is for; `whom` are those that can be meant."""

    BINDINGS = [bound("pick.whom", "whom")]

    def __init__(
        self,
        situation: Situation,
        title: str,
        entries: Entries,
        deed: Callable[[str, str], Deed],
        *,
        whom: Sequence[str] = ("",),
    ) -> None:
        super().__init__(situation, "", ("pick.whom",) if len(whom) > 1 else ())
        self._title = title[:1].upper() + title[1:]
        self._entries = entries
        self._deed = deed
        self._whom = whom
        self._at = 0
        self._columns = 0

    def on_mount(self) -> None:
        """Begin to read."""
        self._reread()

    def on_resize(self, event: events.Resize) -> None:
        """Lay the lines out for another width."""
        if event.size.width != self._columns:
            self._reread()

    def action_whom(self) -> None:
        """Mean the next VP, or everybody again."""
        self._at = (self._at + 1) % len(self._whom)
        self._reread()

    def on_filtered_list_chosen(self, message: FilteredList.Chosen) -> None:
        """Return what was chosen."""
        self.dismiss(self._deed(message.key, self._whom[self._at]))

    def _reread(self) -> None:
        vp_id, self._columns = self._whom[self._at], self.size.width
        who = f"@{vp_id}" if vp_id else self.situation.text("line.everybody")
        self.title_line.update(f"{self._title} · {who}" if len(self._whom) > 1 else self._title)
        self.run_worker(self._read(vp_id), exclusive=True, group="read")

    async def _read(self, vp_id: str) -> None:
        self.listed.show(await asyncio.to_thread(self._entries, vp_id, self._columns))


def mode_panel(situation: Situation) -> ChoicePanel:
    """Return the picker of the approval mode, with what each mode lets happen."""
    current = situation.here.approvals.mode_of(situation.default_vp)

    def entries(_: str, columns: int) -> list[Entry]:
        return [
            _entry(mode, situation.text(f"panel.mode_{mode}"), columns, is_current=mode == current) for mode in MODES
        ]

    return ChoicePanel(situation, situation.text("order.mode"), entries, lambda mode, _: SetMode(mode=MODES[mode]))


def theme_panel(situation: Situation) -> ChoicePanel:
    """Return the picker of the theme for this run, with what each is for."""

    def entries(_: str, columns: int) -> list[Entry]:
        return [_entry(theme, situation.text(f"panel.theme_{theme}"), columns, is_current=False) for theme in THEMES]

    return ChoicePanel(situation, situation.text("order.theme"), entries, lambda theme, _: Choose("theme", text=theme))


def effort_panel(situation: Situation, vp_id: str) -> ChoicePanel:
    """Return the picker of the effort; one that a model does not know is shown with what it takes instead."""

    def entries(whom: str, columns: int) -> list[Entry]:
        from yeaft.llm.effort import clamp

        ref = model_of(situation, whom or situation.default_vp)
        known = efforts_of(situation, ref)
        model = ref or situation.text("panel.no_model")
        found: list[Entry] = []
        for level in EFFORTS:
            used = clamp(level, known)
            code = "panel.effort_none" if not known else "panel.effort_known" if used == level else "panel.effort_as"
            found.append(_entry(level, situation.text(code, model=model, level=used), columns, is_current=False))
        return found

    whom = [vp_id] if vp_id else ["", *situation.vp_ids]
    return ChoicePanel(
        situation,
        situation.text("panel.effort_title"),
        entries,
        lambda level, who: SetModel(vp_id=who, effort=level),
        whom=whom,
    )


def _entry(key: str, told: str, columns: int, *, is_current: bool) -> Entry:
    mark = "*" if is_current else " "
    indent = len(f"{mark} ") + NAME_COLUMNS + 1
    shown = hung(told, max(columns - MARGIN_COLUMNS - indent, LEAST_TOLD_COLUMNS), indent)
    return Entry(key, Text(f"{mark} {key:<{NAME_COLUMNS}} {shown}", no_wrap=True, overflow="ellipsis"), f"{key} {told}")
